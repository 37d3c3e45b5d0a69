// The smallest server that Boost.Beast makes: reads a POST, answers 300 bytes of JSON, keeps the
// connection. What HTTP costs before anybody has looked at the request.
//
// Usage: bare_beast PORT. One thread; ends with SIGTERM.

#include "http/charge.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

http::response<http::string_body> answer(const http::request<http::string_body>& request)
{
    http::response<http::string_body> response{http::status::ok, request.version()};
    response.set(http::field::content_type, "application/json");
    const auto key = request["Idempotency-Key"];
    if (!key.empty()) response.set("Idempotency-Key", key);
    response.keep_alive(request.keep_alive());
    response.body() = umavez::bench::charge();
    response.prepare_payload();
    return response;
}

asio::awaitable<void> serve(tcp::socket socket)
{
    beast::flat_buffer buffer;
    beast::error_code error;
    for (;;) {
        http::request<http::string_body> request;
        co_await http::async_read(
            socket, buffer, request, asio::redirect_error(asio::use_awaitable, error)
        );
        if (error) break;
        auto response = answer(request);
        co_await http::async_write(
            socket, response, asio::redirect_error(asio::use_awaitable, error)
        );
        if (error || !response.keep_alive()) break;
    }
    socket.shutdown(tcp::socket::shutdown_send, error);
}

asio::awaitable<void> accept(tcp::acceptor acceptor)
{
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: bare_beast PORT\n", stderr);
        return 2;
    }
    const auto port = static_cast<asio::ip::port_type>(std::atoi(argv[1]));
    asio::io_context context{1};
    tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), port}};
    asio::co_spawn(context, accept(std::move(acceptor)), asio::detached);
    context.run();
}
