#pragma once

// Server: HTTP/1.1 on a few threads, plain or under TLS. Knows nothing of idempotency. A connection
// stays with the thread that it was given to.
//
// Every answer has X-Request-Id. Requests whose end is unclear are refused and the connection is
// closed (framing.hpp); slow senders are cut. A client that goes away changes nothing: its handler
// runs to the end.
//
// Thread-safe.

#include "http/message.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace umavez::http {

// PEM files: the certificate followed by its chain, and the private key without a passphrase.
struct TlsFiles {
    std::string cert;
    std::string key;
};

// Bodies of routes that take uploads (Body::spooled_bytes_max): they go into files.
struct UploadOptions {
    std::string folder = {};                          // empty: uploads are refused
    std::uint64_t bytes_max = 64 * 1024 * 1024;       // as sent, and unpacked
    std::uint64_t together_bytes_max = 4ULL << 30;    // of all that are not answered yet
    Duration limit = std::chrono::minutes{10};        // for the whole of one
    Duration stall_limit = std::chrono::seconds{30};  // without a byte

    // Whether a head may be that of an upload (Router::is_upload): the gate is then asked even where
    // the body is small. Cheap, and on the connection's thread. Empty: where there is a folder the
    // gate is asked about every body.
    std::function<bool(const Request& head)> is_upload = {};
};

struct ServerOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;              // 0: any free one
    std::string address_flag = "--listen";  // named where the address cannot be had
    std::size_t threads = 2;
    std::optional<TlsFiles> tls = {};

    std::size_t head_bytes_max = 16 * 1024;
    std::size_t body_bytes_max = 1024 * 1024;          // as sent, and unpacked
    std::size_t bodies_bytes_max = 256 * 1024 * 1024;  // of all connections together
    std::size_t connections_max = 10'000;

    Duration idle_limit = std::chrono::seconds{60};   // between two requests
    Duration head_limit = std::chrono::seconds{10};   // from the first byte of a head to its last
    Duration body_limit = std::chrono::seconds{30};   // for the whole body
    Duration write_limit = std::chrono::seconds{30};  // for the whole answer

    UploadOptions uploads = {};
};

// What became of one request; views are valid during the call.
struct Answered {
    std::string_view method;  // empty where the head could not be read
    std::string_view path;
    std::string_view route;  // the pattern that matched, if one did
    int status = 0;
    Duration took{};
    std::string_view request_id;
    std::string_view trace_id;  // of a traceparent (trace_context.hpp), if there was one
    std::string_view peer;
    std::string_view error;  // an exception of the handler, for operators
    std::span<const Note> notes;
};
using OnAnswered = std::function<void(const Answered&)>;

class Server {
public:
    // Binds the address; connections wait in the kernel until start(). `on_answered` is called from
    // every thread of the server. The gate, if there is one, is asked about bodies that are not small.
    static Result<std::unique_ptr<Server>> listen(
        ServerOptions options, Handler handler, OnAnswered on_answered, Gate gate = {}
    );

    virtual ~Server() = default;  // stops, and waits for handlers without a limit

    virtual std::uint16_t port() const noexcept = 0;
    virtual void start() = 0;

    // Reads the certificate again, for connections to come. On an error the old one stays.
    virtual Result<void> reload_tls() = 0;

    // Accepts nothing more, closes idle connections, lets running requests finish for at most
    // `drain_limit` and cuts the rest. Tells how many handlers still run.
    virtual std::size_t stop(Duration drain_limit) = 0;
};

}  // namespace umavez::http
