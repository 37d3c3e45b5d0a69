#pragma once

// ControlSocket: `<database>.sock`, where the process that holds a database answers commands of
// others.
//
// One line in, one line out, then the connection ends. Mode 0600: who may connect may do
// everything. A socket left behind by a process that died is removed by the holder of the
// database's lock, which is why only the holder may open one. Thread-safe.

#include <umavez/result.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

namespace umavez {

inline constexpr std::size_t control_line_bytes_max = 64 * 1024;
inline constexpr auto control_deadline = std::chrono::seconds{5};  // for a whole exchange

class ControlSocket {
public:
    // Takes a line without its end and gives the line of the answer. Runs on the socket's own
    // thread, one at a time.
    using Handler = std::function<std::string(std::string_view line)>;

    // The caller holds the lock of the database this socket belongs to.
    static Result<std::unique_ptr<ControlSocket>> open(std::string path, Handler handler);

    // Ends what is being answered within its deadline, and removes the socket.
    ~ControlSocket();
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

private:
    ControlSocket(std::string path, Handler handler, int listener, int wake);
    void loop();
    void serve(int peer);

    const std::string path_;
    const Handler handler_;
    const int listener_;
    const int wake_;
    std::thread thread_;
};

// Asks the process that listens at `path`. store_unavailable: nobody answers there.
Result<std::string> ask_control_socket(const std::string& path, std::string_view line);

}  // namespace umavez
