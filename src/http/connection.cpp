#include "http/connection.hpp"

#include "http/encode.hpp"
#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "http/request_id.hpp"
#include "http/request_reader.hpp"
#include "http/trace_context.hpp"

#include <umavez/asio.hpp>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <optional>
#include <type_traits>

namespace umavez::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using TlsStream = asio::ssl::stream<Socket>;

// A body up to this size is copied behind its head: one buffer is cheaper to send than two.
constexpr std::size_t joined_bytes_max = 16 * 1024;
// An output buffer that grew beyond this is given back.
constexpr std::size_t kept_bytes_max = 64 * 1024;

// Before we close we read on for a while: a close with unread bytes would reset the connection and
// the client might never see the answer.
constexpr std::size_t linger_bytes_max = 4 * 1024 * 1024;
constexpr auto linger_limit = std::chrono::seconds{2};

std::string to_text(const tcp::endpoint& endpoint)
{
    const std::string address = endpoint.address().to_string();
    const bool is_v6 = endpoint.address().is_v6();
    return (is_v6 ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

template <typename Stream>
class StreamConnection final : public Connection {
public:
    static constexpr bool is_tls = std::is_same_v<Stream, TlsStream>;
    using Phase = RequestReader::Phase;

    template <typename... Arguments>
    explicit StreamConnection(
        Shared& shared, std::shared_ptr<asio::ssl::context> tls, Arguments&&... arguments
    )
        : shared_(shared),
          tls_(std::move(tls)),
          stream_(std::forward<Arguments>(arguments)...),
          reader_({shared.options.head_bytes_max, shared.options.body_bytes_max})
    {
        error_code ignored;  // a client that is gone already is found out by the first read
        socket().set_option(tcp::no_delay{true}, ignored);
        socket().non_blocking(true, ignored);
        peer_ = to_text(socket().remote_endpoint(ignored));
    }

    ~StreamConnection() override { let_body_go(); }

    Awaitable<void> run() override
    {
        bool goes_on = true;
        if constexpr (is_tls) goes_on = co_await shake_hands();
        while (goes_on) goes_on = co_await serve_one();
        if constexpr (is_tls) co_await say_goodbye();
        close();
    }

    void wind_down(bool hard) override
    {
        asio::post(socket().get_executor(), [this, hard, self = shared_from_this()] {
            if (is_idle_ || hard) close();
        });
    }

protected:
    void cut() override
    {
        asio::post(socket().get_executor(), [this, self = shared_from_this()] {
            // It may have gone on since.
            if (system_clock().boottime().count() <= deadline_) return;
            no_deadline();
            if (is_reading_ && !is_idle_) {
                is_overdue_ = true;
                error_code ignored;
                socket().cancel(ignored);
            } else {
                close();
            }
        });
    }

private:
    Socket& socket() noexcept
    {
        if constexpr (is_tls) {
            return stream_.next_layer();
        } else {
            return stream_;
        }
    }

    void close() noexcept
    {
        error_code ignored;
        socket().close(ignored);
    }

    void set_deadline(Duration limit)
    {
        const Duration deadline = system_clock().boottime() + limit;
        deadline_.store(deadline.count(), std::memory_order_relaxed);
    }

    void no_deadline() noexcept { deadline_.store(never, std::memory_order_relaxed); }

    Awaitable<bool> shake_hands()
    {
        set_deadline(shared_.options.head_limit);
        const auto [error] = co_await stream_.async_handshake(TlsStream::server, as_value);
        co_return !error;
    }

    // Without it the client cannot tell an end from a cut.
    Awaitable<void> say_goodbye()
    {
        set_deadline(linger_limit);
        co_await stream_.async_shutdown(as_value);
    }

    // False when the connection has to end.
    Awaitable<bool> serve_one()
    {
        std::optional<Phase> waits_in;  // whose deadline is set
        for (;;) {
            const bool was_idle = reader_.phase() == Phase::idle;
            auto step = reader_.next();
            const Phase phase = reader_.phase();
            if (was_idle && phase != Phase::idle) began_ = system_clock().boottime();
            if (std::holds_alternative<RequestReader::Complete>(step)) {
                // Once more: it came with its head, or was unpacked.
                if (hold_body()) break;
                step = too_many_bodies();
            }
            if (auto* const refusal = std::get_if<Refusal>(&step)) {
                co_await refuse(std::move(*refusal));
                co_return false;
            }
            if (std::holds_alternative<RequestReader::HeadRead>(step)) {
                note_request();
                if (ask_gate()) continue;
                // Most bodies come with their head: then the connection may stay.
                const bool stays =
                    reader_.skip_body() && reader_.keeps_alive() && !shared_.stopping;
                const bool goes_on = co_await turn_away(stays);
                co_return goes_on;
            }
            // Once for the whole head and once for the whole body: a byte every few seconds does
            // not prolong them. An upload has time, but must not stand still.
            if (reader_.spool() != nullptr) {
                set_deadline(std::min(shared_.options.uploads.stall_limit, upload_time_left()));
            } else if (waits_in != phase) {
                set_deadline(limit_of(phase));
            }
            waits_in = phase;
            if (std::holds_alternative<RequestReader::SendContinue>(step)) {
                static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
                const auto [error, bytes] =
                    co_await asio::async_write(stream_, asio::buffer(go_on), as_value);
                if (error) co_return false;
                continue;
            }
            if (phase == Phase::idle && shared_.stopping) co_return false;
            is_reading_ = true;
            is_idle_ = phase == Phase::idle;
            // The next request is on its way: by the time the others were served it will be here, and
            // the read need not wait for it.
            if (is_idle_) co_await asio::post(socket().get_executor(), in_place);
            const std::span<char> space = reader_.prepare();
            const auto [error, bytes] = co_await stream_.async_read_some(
                asio::buffer(space.data(), space.size()), as_value
            );
            is_reading_ = is_idle_ = false;
            if (error) {
                Refusal too_slow{
                    408, {"the request did not arrive in time", "a requisição não chegou a tempo"}
                };
                if (is_overdue_) co_await refuse(std::move(too_slow));
                co_return false;
            }
            reader_.commit(bytes);
            if (phase == Phase::body && !hold_body()) {
                Refusal too_many = too_many_bodies();
                co_await refuse(std::move(too_many));
                co_return false;
            }
        }
        no_deadline();
        const Response response = co_await call_handler(reader_.take());
        let_body_go();  // before the answer: whoever has that may send the next body
        // The others that are ready first: a client is then woken once for many answers.
        co_await asio::post(socket().get_executor(), in_place);
        const bool stays = reader_.keeps_alive() && !shared_.stopping;
        const std::optional<Pieces> unsent = send_at_once(response, stays);
        bool written = unsent.has_value();
        if (unsent && asio::buffer_size(*unsent) > 0) written = co_await send_rest(*unsent);
        end_answer(response);
        if (written && !stays && !shared_.stopping) co_await linger();
        co_return written&& stays;
    }

    Duration limit_of(Phase phase) const noexcept
    {
        switch (phase) {
            case Phase::idle: return shared_.options.idle_limit;
            case Phase::head: return shared_.options.head_limit;
            case Phase::body: return shared_.options.body_limit;
        }
        return {};
    }

    static Refusal too_many_bodies()
    {
        return {
            503,
            {"too many large bodies at once", "corpos grandes demais ao mesmo tempo"},
            {{"Retry-After", "1"}},
        };
    }

    // False where all connections hold too much together. A small body does not count: it must get
    // through where large ones wait.
    bool hold_body()
    {
        if (reader_.spool() != nullptr) return hold_spooled(reader_.spool()->bytes());
        return reader_.has_small_body() || hold(reader_.body_bytes());
    }

    void let_body_go() noexcept
    {
        hold(0);
        hold_spooled(0);
    }

    bool hold_spooled(std::uint64_t bytes) noexcept
    {
        if (bytes == held_spooled_) return true;
        const std::uint64_t all = shared_.uploads_bytes += bytes - held_spooled_;
        held_spooled_ = bytes;
        return all <= shared_.options.uploads.together_bytes_max;
    }

    Duration upload_time_left() const
    {
        return began_ + shared_.options.uploads.limit - system_clock().boottime();
    }

    bool hold(std::size_t bytes) noexcept
    {
        if (bytes == held_) return true;
        const std::size_t all = shared_.bodies_bytes += bytes - held_;
        held_ = bytes;
        return all <= shared_.options.bodies_bytes_max;
    }

    // Once for every request: an id that was made up must stay the same.
    void note_request()
    {
        Request& request = reader_.request();
        method_ = request.method;
        path_ = request.path;
        request_id_ = choose_request_id(request.headers);
        trace_ = find_trace_context(request.headers);
        language_ = choose_language(request.headers);
        error_.clear();
        entry_ = {};
        request.peer = peer_;
        request.request_id = request_id_;
    }

    // False: the answer is known, and no body will be read.
    bool ask_gate()
    {
        // What has no body, or a small one, costs nothing: the handler can refuse it.
        if (!shared_.gate || (reader_.has_small_body() && !is_small_upload())) return true;
        enter();
        if (entry_.spooled_bytes_max > 0 && reader_.has_body() && !entry_.refusal) begin_upload();
        return !entry_.refusal;
    }

    bool is_small_upload()
    {
        const auto& is_upload = shared_.options.uploads.is_upload;
        const bool may_be =
            is_upload ? is_upload(reader_.request()) : !shared_.options.uploads.folder.empty();
        return reader_.has_body() && may_be;
    }

    void begin_upload()
    {
        const UploadOptions& uploads = shared_.options.uploads;
        if (uploads.folder.empty()) {
            Text reason{"this server takes no uploads", "este servidor não aceita envios"};
            entry_.refusal = to_response(problem_for(503, std::move(reason)), place());
            entry_.refusal->route = entry_.route;
            return;
        }
        const std::uint64_t bytes_max = std::min(entry_.spooled_bytes_max, uploads.bytes_max);
        reader_.spool_body(BodySpool{uploads.folder, bytes_max});
    }

    void enter()
    {
        try {
            entry_ = shared_.gate(reader_.request());
        } catch (const std::exception& exception) {
            error_ = exception.what();
            entry_.refusal = to_response(problem_for(500), place());
        }
    }

    Awaitable<Response> call_handler(Request request)
    {
        runs_handler_ = true;
        try {
            Task<Response> answering = shared_.handler(std::move(request));
            Response response = co_await on_asio<Executor>(std::move(answering));
            runs_handler_ = false;
            co_return response;
        } catch (const std::exception& exception) {
            error_ = exception.what();
        }
        runs_handler_ = false;
        co_return to_response(problem_for(500), place());
    }

    Awaitable<void> refuse(Refusal refusal)
    {
        if (reader_.phase() != Phase::body) {
            note_request();
        } else if (shared_.gate && reader_.has_small_body()) {
            enter();  // for its route and headers: nobody has asked yet
        }
        if (reader_.spool() != nullptr) error_ = reader_.spool()->trouble();
        Problem problem = problem_for(refusal.status, std::move(refusal.reason));
        problem.headers = std::move(refusal.headers);
        std::ranges::copy(entry_.headers, std::back_inserter(problem.headers));
        Response response = to_response(problem, place());
        response.route = entry_.route;
        entry_.refusal = std::move(response);
        co_await turn_away(false);
    }

    // With the answer of the entry. False when the connection has to end.
    Awaitable<bool> turn_away(bool stays)
    {
        reader_.take();
        let_body_go();
        const Response response = *std::exchange(entry_.refusal, std::nullopt);
        const std::optional<Pieces> unsent = send_at_once(response, stays);
        bool written = unsent.has_value();
        if (unsent && asio::buffer_size(*unsent) > 0) written = co_await send_rest(*unsent);
        end_answer(response);
        if (written && !stays) co_await linger();
        co_return written&& stays;
    }

    using Pieces = std::array<asio::const_buffer, 2>;

    // What is left to be sent of an answer; nullopt: the client is gone. Most answers fit into the kernel's
    // buffer: no operation, no turn of the loop, no coroutine.
    std::optional<Pieces> send_at_once(const Response& response, bool stays)
    {
        const Delivery delivery{system_clock().realtime(), request_id_, stays, method_ == "HEAD"};
        out_.clear();
        append_head(out_, response, delivery);
        Pieces pieces{};
        if (sends_body(response, delivery)) {
            if (response.body.size() <= joined_bytes_max) {
                out_ += response.body;
            } else {
                pieces[1] = asio::buffer(response.body);
            }
        }
        pieces[0] = asio::buffer(out_);
        if constexpr (!is_tls) {
            error_code error;
            const std::size_t sent = stream_.write_some(pieces, error);
            if (error && error != asio::error::would_block) return std::nullopt;
            pieces[1] += sent - std::min(sent, pieces[0].size());
            pieces[0] += std::min(sent, pieces[0].size());
        }
        return pieces;
    }

    // False: the client is gone.
    Awaitable<bool> send_rest(Pieces pieces)
    {
        set_deadline(shared_.options.write_limit);
        const auto [error, bytes] = co_await asio::async_write(stream_, pieces, as_value);
        co_return !error;
    }

    void end_answer(const Response& response)
    {
        if (out_.capacity() > kept_bytes_max) std::string{}.swap(out_);  // assigning keeps the room
        report(response);
    }

    Awaitable<void> linger()
    {
        error_code ignored;
        if constexpr (is_tls) co_await say_goodbye();
        set_deadline(linger_limit);
        reader_.drop();
        socket().shutdown(Socket::shutdown_send, ignored);
        for (std::size_t count = 0; count < linger_bytes_max;) {
            const std::span<char> space = reader_.prepare();
            const auto [error, bytes] = co_await socket().async_read_some(
                asio::buffer(space.data(), space.size()), as_value
            );
            if (error) co_return;
            count += bytes;
        }
    }

    ProblemPlace place() const
    {
        return {ProblemCatalogue::of_server(), language_, path_, request_id_};
    }

    void report(const Response& response) const
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

    Shared& shared_;
    std::shared_ptr<asio::ssl::context> tls_;  // outlives the stream, whatever is loaded meanwhile
    Stream stream_;
    RequestReader reader_;
    std::string peer_;
    std::string out_;
    std::size_t held_ = 0;
    std::uint64_t held_spooled_ = 0;
    bool is_reading_ = false;
    bool is_idle_ = false;
    bool is_overdue_ = false;

    // Of the request at hand, for the report and for problems.
    Duration began_{};
    std::string method_;
    std::string path_;
    std::string request_id_;
    std::optional<TraceContext> trace_;
    Language language_ = Language::english;
    Entry entry_;
    std::string error_;
};

}  // namespace

std::shared_ptr<Connection> make_connection(
    Socket socket, std::shared_ptr<asio::ssl::context> tls, Shared& shared
)
{
    if (tls == nullptr) {
        return std::make_shared<StreamConnection<Socket>>(shared, nullptr, std::move(socket));
    }
    asio::ssl::context& context = *tls;
    return std::make_shared<StreamConnection<TlsStream>>(
        shared, std::move(tls), std::move(socket), context
    );
}

}  // namespace umavez::http
