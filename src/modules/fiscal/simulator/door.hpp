#pragma once

// Door: the TLS side of the simulator. Clients show a certificate of the simulator's CA or are refused in
// the handshake. A thread per connection, blocking: an authority that is played has few clients, and may
// close, reset and break off where a good server must not. So none of it is in src/http, of which only the
// reader of requests and the writer of heads are taken.
//
// Thread-safe. The destructor ends all connections and waits for their threads.

#include "modules/fiscal/simulator/simulator.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace umavez::fiscal::simulator {

struct DoorOptions {
    std::string address = "127.0.0.1";  // of this machine
    std::uint16_t port = 8443;          // 0: any free one
    std::string server_pem;             // certificate and key
    std::string client_ca;              // of whom clients have a certificate
    std::size_t connections_max = 512;
    Duration idle_limit = std::chrono::seconds{60};  // of a read or a write
};

using Serve =
    std::function<Reply(const http::Request&, std::string caller, const std::stop_token& stop)>;

class Door {
public:
    static Result<std::unique_ptr<Door>> open(DoorOptions options, Serve serve);
    virtual ~Door() = default;
    virtual std::uint16_t port() const noexcept = 0;
};

}  // namespace umavez::fiscal::simulator
