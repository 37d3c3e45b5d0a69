#pragma once

// Connection: one client, one request after the other, plain or under TLS. It belongs to one
// io_context, which one thread runs; what may be called from other threads says so.

#include "http/message.hpp"
#include "http/server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace umavez::http {

// The executor is named: Asio's own choice, which holds any, costs a tenth of a small request.
using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
template <typename T>
using Awaitable = boost::asio::awaitable<T, Executor>;
// Awaited at once, where use_awaitable would make a coroutine for each operation.
inline constexpr boost::asio::deferred_t in_place;
inline constexpr auto as_value = boost::asio::as_tuple(in_place);

// What every connection of a server shares; outlives them.
struct Shared {
    ServerOptions options;
    Handler handler;
    OnAnswered on_answered;
    Gate gate;
    std::atomic<bool> stopping = false;
    std::atomic<std::size_t> bodies_bytes = 0;     // of bodies that are not small
    std::atomic<std::uint64_t> uploads_bytes = 0;  // in files
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    virtual ~Connection() = default;

    // Until the client leaves, misbehaves or the server stops.
    virtual Awaitable<void> run() = 0;

    // Thread-safe. Closes the connection if it waits for a request, or whatever it does except
    // running a handler if `hard`.
    virtual void wind_down(bool hard) = 0;

    // Thread-safe. Asks the connection to end what it waits for, if that is overdue at `now`
    // (boottime). One look at a number for the many that are not.
    void cut_if_overdue(Duration now)
    {
        if (now.count() > deadline_.load(std::memory_order_relaxed)) cut();
    }

    // Thread-safe.
    bool runs_handler() const noexcept { return runs_handler_; }

protected:
    virtual void cut() = 0;

    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::atomic<std::int64_t> deadline_ = never;  // of what it waits for; microseconds of boottime
    std::atomic<bool> runs_handler_ = false;
};

// Under TLS if there is a context.
std::shared_ptr<Connection> make_connection(
    Socket socket, std::shared_ptr<boost::asio::ssl::context> tls, Shared& shared
);

}  // namespace umavez::http
