#include "http/connection.hpp"

#include "http/encode.hpp"
#include "http/problem_catalogue.hpp"
#include "http/request_id.hpp"

#include <umavez/asio.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <exception>

namespace umavez::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

constexpr auto as_value = asio::as_tuple(asio::use_awaitable);

// A body passes through the buffer in pieces of at most this; so does a chunk's extension.
constexpr std::size_t piece_bytes_max = 64 * 1024;
constexpr std::size_t read_bytes = 8 * 1024;

// After a refusal we read on for a while: a close with unread bytes would reset the connection and
// the client might never see the answer.
constexpr std::size_t linger_bytes_max = 4 * 1024 * 1024;
constexpr auto linger_limit = std::chrono::seconds{2};

std::string to_text(const asio::ip::tcp::endpoint& endpoint)
{
    const std::string address = endpoint.address().to_string();
    const bool is_v6 = endpoint.address().is_v6();
    return (is_v6 ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

// Splits the target, which may be absolute ("http://host/path"); false where it names no path of
// ours.
bool take_target(std::string_view target, Request& request)
{
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!is_same_header(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(scheme.size());
        const std::size_t end = target.find_first_of("/?");
        if (!is_host(target.substr(0, end))) return false;
        target = end == std::string_view::npos ? "/" : target.substr(end);
        if (target.starts_with('?')) {
            request.path = "/";
            request.query = target.substr(1);
            return true;
        }
    }
    if (!target.starts_with('/') && target != "*") return false;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
    return true;
}

Refusal to_refusal(const beast::error_code& error)
{
    if (error == beast::http::error::body_limit) return {413, "the body is too large"};
    if (error == beast::http::error::header_limit) return {431, "the header block is too large"};
    return {400, "the request is malformed: " + error.message()};
}

bool is_of_parser(const beast::error_code& error)
{
    return error.category() ==
               beast::http::make_error_code(beast::http::error::bad_chunk).category() &&
           error != beast::http::error::end_of_stream &&
           error != beast::http::error::partial_message;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Shared& shared)
    : shared_(shared),
      stream_(std::move(socket)),
      buffer_(shared.options.head_bytes_max + piece_bytes_max)
{
    beast::error_code ignored;  // a client that is gone already is found out by the first read
    stream_.socket().set_option(asio::ip::tcp::no_delay{true}, ignored);
    peer_ = to_text(stream_.socket().remote_endpoint(ignored));
}

asio::awaitable<void> Connection::run()
{
    for (;;) {
        const bool goes_on = co_await serve_one();
        if (!goes_on) break;
    }
    beast::error_code ignored;
    stream_.socket().close(ignored);
}

void Connection::wind_down(bool hard)
{
    asio::post(stream_.get_executor(), [self = shared_from_this(), hard] {
        if (self->is_idle_ || hard) self->stream_.close();
    });
}

std::string_view Connection::arrived() const noexcept
{
    const auto bytes = buffer_.cdata();
    return {static_cast<const char*>(bytes.data()), bytes.size()};
}

asio::awaitable<bool> Connection::serve_one()
{
    method_.clear();
    path_.clear();
    request_id_.clear();
    trace_.reset();
    language_ = Language::english;
    error_.clear();
    keep_alive_ = true;

    auto head = co_await read_head();
    if (std::holds_alternative<Gone>(head)) co_return false;
    if (auto* const refusal = std::get_if<Refusal>(&head)) {
        co_await refuse(std::move(*refusal));
        co_return false;
    }
    auto read = co_await read_request(std::get<HeadEnd>(head).bytes);
    if (std::holds_alternative<Gone>(read)) co_return false;
    if (auto* const refusal = std::get_if<Refusal>(&read)) {
        co_await refuse(std::move(*refusal));
        co_return false;
    }
    const bool is_head = method_ == "HEAD";
    Response response = co_await call_handler(std::move(std::get<Request>(read)));
    const bool keep_alive = keep_alive_ && !shared_.stopping;
    const bool written = co_await write(response, keep_alive, is_head);
    report(response);
    co_return written&& keep_alive;
}

asio::awaitable<std::variant<HeadEnd, Refusal, Connection::Gone>> Connection::read_head()
{
    if (arrived().empty()) stream_.expires_after(shared_.options.idle_limit);
    bool has_begun = false;
    for (;;) {
        // One empty line or several before a request are left over from the one before.
        while (arrived().starts_with("\r\n")) buffer_.consume(2);
        if (!arrived().empty() && !has_begun) {
            has_begun = true;
            began_ = system_clock().boottime();
            // Once for the whole head: a byte every few seconds does not prolong it.
            stream_.expires_after(shared_.options.head_limit);
        }
        if (arrived() != "\r") {
            auto scanned = scan_head(arrived(), shared_.options.head_bytes_max);
            if (auto* const end = std::get_if<HeadEnd>(&scanned)) co_return *end;
            if (auto* const refusal = std::get_if<Refusal>(&scanned)) co_return std::move(*refusal);
        }
        if (shared_.stopping && !has_begun) co_return Gone{};
        is_idle_ = !has_begun;
        const auto [error, bytes] =
            co_await stream_.async_read_some(buffer_.prepare(read_bytes), as_value);
        is_idle_ = false;
        if (error) co_return Gone{};
        buffer_.commit(bytes);
    }
}

asio::awaitable<std::variant<Request, Refusal, Connection::Gone>> Connection::read_request(
    std::size_t head_bytes
)
{
    auto checked = check_head(arrived().substr(0, head_bytes), shared_.options.body_bytes_max);
    if (auto* const refusal = std::get_if<Refusal>(&checked)) co_return std::move(*refusal);
    const Framing framing = std::get<Framing>(checked);

    beast::http::request_parser<beast::http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(shared_.options.head_bytes_max));
    parser.body_limit(shared_.options.body_bytes_max);
    beast::error_code error;
    buffer_.consume(parser.put(buffer_.cdata(), error));
    if (error && error != beast::http::error::need_more) co_return to_refusal(error);

    // Taken before the body is read, because trailers would join the headers.
    Request request;
    const auto& message = parser.get();
    request.method = std::string{message.method_string()};
    request.version_minor = framing.version_minor;
    request.peer = peer_;
    for (const auto& field : message) {
        request.headers.push_back({std::string{field.name_string()}, std::string{field.value()}});
    }
    request.request_id = choose_request_id(request.headers);
    trace_ = find_trace_context(request.headers);
    language_ = choose_language(request.headers);
    method_ = request.method;
    request_id_ = request.request_id;
    keep_alive_ = message.keep_alive();
    if (!take_target(message.target(), request)) co_return Refusal{400, "the target is not a path"};
    path_ = request.path;

    if (framing.has_body()) {
        stream_.expires_after(shared_.options.body_limit);
        if (framing.expects_continue && framing.version_minor >= 1 && arrived().empty()) {
            static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            const auto [failure, bytes] =
                co_await asio::async_write(stream_, asio::buffer(go_on), as_value);
            if (failure) co_return Gone{};
        }
        const auto [failure, bytes] =
            co_await beast::http::async_read(stream_, buffer_, parser, as_value);
        if (failure && is_of_parser(failure)) co_return to_refusal(failure);
        if (failure) co_return Gone{};
        request.body = std::move(parser.get().body());
    }
    co_return request;
}

asio::awaitable<Response> Connection::call_handler(Request request)
{
    runs_handler_ = true;
    try {
        Task<Response> answering = shared_.handler(std::move(request));
        Response response = co_await on_asio(std::move(answering));
        runs_handler_ = false;
        co_return response;
    } catch (const std::exception& exception) {
        error_ = exception.what();
    }
    runs_handler_ = false;
    co_return to_response(problem_for(500), place());
}

asio::awaitable<void> Connection::refuse(Refusal refusal)
{
    if (request_id_.empty()) request_id_ = choose_request_id({});
    Response response =
        to_response(problem_for(refusal.status, std::move(refusal.reason)), place());
    const bool written = co_await write(response, false, method_ == "HEAD");
    report(response);
    if (written) co_await linger();
}

asio::awaitable<bool> Connection::write(const Response& response, bool keep_alive, bool is_head)
{
    const Delivery delivery{system_clock().realtime(), request_id_, keep_alive, is_head};
    const std::string head = encode_head(response, delivery);
    std::array<asio::const_buffer, 2> pieces{asio::buffer(head), asio::const_buffer{}};
    if (sends_body(response, delivery)) pieces[1] = asio::buffer(response.body);

    stream_.expires_after(shared_.options.write_limit);
    const auto [error, bytes] = co_await asio::async_write(stream_, pieces, as_value);
    co_return !error;
}

asio::awaitable<void> Connection::linger()
{
    beast::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(linger_limit);
    std::size_t drained = 0;
    buffer_.clear();
    while (drained < linger_bytes_max) {
        const auto [error, bytes] =
            co_await stream_.async_read_some(buffer_.prepare(read_bytes), as_value);
        if (error) co_return;
        drained += bytes;
    }
}

ProblemPlace Connection::place() const
{
    return {ProblemCatalogue::of_server(), language_, path_, request_id_};
}

void Connection::report(const Response& response) const
{
    if (!shared_.on_answered) return;
    shared_.on_answered(
        {.method = method_,
         .path = path_,
         .route = response.route,
         .status = response.status,
         .took = system_clock().boottime() - began_,
         .request_id = request_id_,
         .trace_id = trace_ ? trace_->trace_id() : std::string_view{},
         .peer = peer_,
         .error = error_,
         .notes = response.notes}
    );
}

}  // namespace umavez::http
