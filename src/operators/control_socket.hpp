#pragma once

// ControlSocket: `<database>.sock`, where the process that holds a database answers commands of
// others.
//
// One line in, one line out, then the connection ends. Several are answered at a time, and who is
// silent is cut off soon, so that nobody waits for another. A line that is too long is answered
// with "error: …". Mode 0600: who may connect may do
// everything. A socket left behind by a process that died is removed by the holder of the
// database's lock, which is why only the holder may open one. Thread-safe.

#include "base/limits.hpp"

#include <umavez/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace umavez::operators {

// A response to keep, escaped twice on its way: "\\u0001" is seven bytes for one.
inline constexpr std::size_t control_line_bytes_max = 8 * limits::response_bytes_max;
inline constexpr std::size_t control_answer_bytes_max = 16 * 1024 * 1024;
inline constexpr std::size_t control_threads = 4;
inline constexpr auto control_silence_max = std::chrono::seconds{1};     // between parts of a line
inline constexpr auto control_line_deadline = std::chrono::seconds{10};  // for the whole line
inline constexpr auto control_write_deadline = std::chrono::seconds{5};  // for the whole answer

class ControlSocket {
public:
    // Takes a line without its end and gives the line of the answer. Runs on the socket's own
    // threads: it may take its time, and is called several times at once.
    using Handler = std::function<std::string(std::string_view line)>;

    // The caller holds the lock of the database this socket belongs to.
    static Result<std::unique_ptr<ControlSocket>> open(std::string path, Handler handler);

    // Ends what is being answered, and removes the socket.
    ~ControlSocket();
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

private:
    ControlSocket(std::string path, Handler handler, int listener, int wake);
    void loop();
    bool wait_for_peer() const;
    void pause() const;
    void serve(int peer) const;

    const std::string path_;
    const Handler handler_;
    const int listener_;
    const int wake_;
    std::vector<std::thread> threads_;
};

// Asks the process that listens at `path`. store_unavailable: nobody listens there.
// store_unknown: the line was sent, but no answer came in time.
Result<std::string> ask_control_socket(
    const std::string& path,
    std::string_view line,
    std::chrono::milliseconds patience = std::chrono::minutes{1}
);

}  // namespace umavez::operators
