// The header X-Idempotency-Key carried into a command, behind a small HTTP server on Boost.Beast:
//
//     http_header &
//     curl -d '{"customer_email":"ana@example.com"}' -H 'X-Idempotency-Key: pedido-42'
//     localhost:PORT/orders
//
// Sent again, the order is the same and the answer says `Idempotent-Replayed: true`.

#include <umavez/mediator.hpp>
#include <umavez/mediator/asio.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <cstdio>
#include <string>

using namespace umavez;
namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

struct Order {
    std::int64_t id = 0;
    std::string customer_email;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, customer_email))

struct CreateOrder {
    using Result = Order;
    std::string customer_email;
    std::optional<std::string> idempotency_key;
};
BOOST_DESCRIBE_STRUCT(CreateOrder, (), (customer_email, idempotency_key))

// What the client says; the key is not among it.
struct Body {
    std::string customer_email;
};
BOOST_DESCRIBE_STRUCT(Body, (), (customer_email))

using Request = http::request<http::string_body>;
using Answer = http::response<http::string_body>;

http::status status_of(SendErrc code)
{
    if (code == SendErrc::in_progress || code == SendErrc::in_doubt) return http::status::conflict;
    if (code == SendErrc::mismatch || code == SendErrc::invalid)
        return http::status::unprocessable_entity;
    if (code == SendErrc::invalid_key) return http::status::bad_request;
    if (code == SendErrc::unavailable) return http::status::service_unavailable;
    return http::status::internal_server_error;
}

asio::awaitable<Answer> create_order(Mediator& mediator, const Request& request)
{
    Answer answer{http::status::created, request.version()};
    answer.set(http::field::content_type, "application/json");
    const auto body = from_json<Body>(request.body());
    if (!body) {
        answer.result(http::status::unprocessable_entity);
        answer.body() = body.error();
        co_return answer;
    }
    CreateOrder command{body->customer_email, std::nullopt};
    if (const auto key = request.find("X-Idempotency-Key"); key != request.end()) {
        command.idempotency_key = key->value();
    }
    SendReport report;
    const SendOptions options{.report = &report};
    const auto order = co_await send_on_asio(mediator, command, options);
    if (order) {
        answer.body() = to_json(*order).value();
        const bool is_replay = report.outcome != SendOutcome::executed;
        if (is_replay) answer.set("Idempotent-Replayed", "true");
    } else {
        answer.result(status_of(order.error().code));
        answer.body() = order.error().detail;
    }
    co_return answer;
}

asio::awaitable<void> serve(Mediator& mediator, tcp::socket socket)
{
    boost::beast::flat_buffer buffer;
    for (;;) {
        Request request;
        co_await http::async_read(socket, buffer, request, asio::use_awaitable);
        Answer answer = co_await create_order(mediator, request);
        answer.keep_alive(request.keep_alive());
        answer.prepare_payload();
        co_await http::async_write(socket, answer, asio::use_awaitable);
        if (!answer.keep_alive()) co_return;
    }
}

asio::awaitable<void> listen(Mediator& mediator, tcp::acceptor acceptor)
{
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
        // An exception ends its connection: the client went away.
        asio::co_spawn(acceptor.get_executor(), serve(mediator, std::move(socket)), asio::detached);
    }
}

}  // namespace

int main()
{
    MediatorBuilder builder;
    builder.memory_cache();
    std::int64_t orders = 0;
    builder.handle<CreateOrder>([&orders](const CreateOrder& command) {
        return Order{++orders, command.customer_email};
    });
    const auto mediator = builder.open();
    if (!mediator) return 1;

    asio::io_context loop;
    tcp::acceptor acceptor{loop, {asio::ip::address_v4::loopback(), 0}};
    std::printf("http://127.0.0.1:%d/orders\n", acceptor.local_endpoint().port());
    std::fflush(stdout);
    asio::co_spawn(loop, listen(**mediator, std::move(acceptor)), asio::detached);
    loop.run();
    return 0;
}
