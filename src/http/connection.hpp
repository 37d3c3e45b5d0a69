#pragma once

// Connection: one client, one request after the other. The only file pair that sees Beast.
// Confined to its executor, except where said.

#include "http/framing.hpp"
#include "http/message.hpp"
#include "http/problem.hpp"
#include "http/server.hpp"
#include "http/trace_context.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace umavez::http {

// What every connection of a server shares; outlives them.
struct Shared {
    ServerOptions options;
    Handler handler;
    OnAnswered on_answered;
    std::atomic<bool> stopping = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(boost::asio::ip::tcp::socket socket, Shared& shared);

    // Until the client leaves, misbehaves or the server stops.
    boost::asio::awaitable<void> run();

    // Thread-safe. Closes the connection if it waits for a request, or whatever it does except
    // running a handler if `hard`.
    void wind_down(bool hard);

    // Thread-safe.
    bool runs_handler() const noexcept { return runs_handler_; }

private:
    struct Gone {};  // closed, cut by a deadline or by wind_down

    boost::asio::awaitable<bool> serve_one();
    boost::asio::awaitable<std::variant<HeadEnd, Refusal, Gone>> read_head();
    boost::asio::awaitable<std::variant<Request, Refusal, Gone>> read_request(std::size_t head_bytes
    );
    boost::asio::awaitable<Response> call_handler(Request request);
    boost::asio::awaitable<void> refuse(Refusal refusal);
    // `response` outlives the call.
    boost::asio::awaitable<bool> write(const Response& response, bool keep_alive, bool is_head);
    boost::asio::awaitable<void> linger();

    std::string_view arrived() const noexcept;
    ProblemPlace place() const;
    void report(const Response& response) const;

    Shared& shared_;
    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_;
    std::string peer_;
    bool is_idle_ = false;
    std::atomic<bool> runs_handler_ = false;

    // Of the request at hand, for the report and for problems.
    Duration began_{};
    std::string method_;
    std::string path_;
    std::string request_id_;
    std::optional<TraceContext> trace_;
    Language language_ = Language::english;
    std::string error_;
    bool keep_alive_ = true;
};

}  // namespace umavez::http
