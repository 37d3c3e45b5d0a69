#include "http/server.hpp"

#include "http/connection.hpp"
#include "http/encode.hpp"
#include "http/problem.hpp"
#include "http/request_id.hpp"
#include "http/tls.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace umavez::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer = asio::basic_waitable_timer<
    std::chrono::steady_clock,
    asio::wait_traits<std::chrono::steady_clock>,
    Executor>;

// The kernel has no file descriptor or memory left: it may soon, and asking at once would burn a
// core.
constexpr auto accept_pause = std::chrono::milliseconds{100};

// To a client for whom there is no room. What it asked for was not read, so its language is
// unknown.
std::string too_many_connections()
{
    Request unread;
    unread.request_id = choose_request_id({});
    Problem problem =
        problem_for(503, {"too many connections at once", "conexões demais ao mesmo tempo"});
    problem.headers = {{"Retry-After", "1"}};
    const Response response = to_response(problem, unread);
    std::string bytes;
    append_head(
        bytes,
        response,
        {.now = system_clock().realtime(), .request_id = unread.request_id, .keep_alive = false}
    );
    return bytes + response.body;
}

// One try, without waiting: there may be thousands of them.
void turn_away(Socket& socket)
{
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(too_many_connections()), 0, ignored);
    socket.shutdown(Socket::shutdown_send, ignored);
    // Unread bytes would make the end a reset, and the answer might be lost.
    std::array<char, 4096> unread{};
    socket.receive(asio::buffer(unread), 0, ignored);
}

// Deadlines are kept to a quarter of the shortest one; looking for overdue connections more often
// than this costs more than it gives.
constexpr Duration sweep_interval_min = std::chrono::milliseconds{5};
constexpr Duration sweep_interval_max = std::chrono::milliseconds{500};

Duration sweep_interval(const ServerOptions& options)
{
    const Duration shortest = std::min(
        {options.idle_limit,
         options.head_limit,
         options.body_limit,
         options.write_limit,
         options.uploads.limit,
         options.uploads.stall_limit}
    );
    return std::clamp(shortest / 4, sweep_interval_min, sweep_interval_max);
}

// A thread and the connections it serves: no lock, no strand.
struct Loop {
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    std::thread thread;
};

class AsioServer final : public Server {
public:
    AsioServer(ServerOptions options, Handler handler, OnAnswered on_answered, Gate gate)
        : shared_{std::move(options), std::move(handler), std::move(on_answered), std::move(gate)},
          loops_(std::max<std::size_t>(shared_.options.threads, 1)),
          acceptor_(loops_.front().context),
          pause_(loops_.front().context),
          sweep_(loops_.front().context)
    {
    }

    ~AsioServer() override
    {
        stop(Duration{0});
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return connections_.empty() && !accepts_; });
        }
        asio::post(sweep_.get_executor(), [this] {
            has_ended_ = true;
            sweep_.cancel();
        });
        for (Loop& loop : loops_) loop.work.reset();
        for (Loop& loop : loops_) {
            if (loop.thread.joinable()) loop.thread.join();
        }
    }

    Result<void> bind()
    {
        const ServerOptions& options = shared_.options;
        boost::system::error_code error;
        const auto address = asio::ip::make_address(options.address, error);
        if (error) return refuse("it is not an IP address");
        const tcp::endpoint endpoint{address, options.port};
        acceptor_.open(endpoint.protocol(), error);
        if (!error) acceptor_.set_option(Acceptor::reuse_address{true}, error);
        if (!error) acceptor_.bind(endpoint, error);
        if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
        if (error) return refuse(error.message());
        port_ = acceptor_.local_endpoint(error).port();
        return {};
    }

    std::uint16_t port() const noexcept override { return port_; }

    Result<void> reload_tls() override
    {
        if (!shared_.options.tls) return {};
        auto loaded = load_tls(*shared_.options.tls);
        if (!loaded) return std::unexpected(loaded.error());
        const std::lock_guard guard{mutex_};
        tls_ = *std::move(loaded);
        return {};
    }

    void start() override
    {
        // First: where no thread is to be had, nothing was begun that only a thread could end.
        for (Loop& loop : loops_) loop.thread = std::thread{[&loop] { loop.context.run(); }};
        {
            const std::lock_guard guard{mutex_};
            accepts_ = true;
        }
        auto ended = [this](const std::exception_ptr&) {
            const std::lock_guard guard{mutex_};
            accepts_ = false;
            changed_.notify_all();
        };
        asio::co_spawn(acceptor_.get_executor(), accept(), std::move(ended));
        asio::post(sweep_.get_executor(), [this] { sweep_later(); });
    }

    std::size_t stop(Duration drain_limit) override
    {
        shared_.stopping = true;
        asio::post(acceptor_.get_executor(), [this] {
            boost::system::error_code ignored;
            acceptor_.close(ignored);
            pause_.cancel();
        });
        std::unique_lock lock{mutex_};
        for (const auto& connection : connections_) connection->wind_down(false);
        changed_.wait_for(lock, drain_limit, [this] { return connections_.empty() && !accepts_; });
        std::size_t running = 0;
        for (const auto& connection : connections_) {
            connection->wind_down(true);
            if (connection->runs_handler()) ++running;
        }
        return running;
    }

private:
    std::unexpected<Error> refuse(const std::string& reason) const
    {
        const ServerOptions& options = shared_.options;
        return fail(
            Errc::misconfigured,
            fmt::format(
                "cannot listen on {}:{}: {}; choose another address with {}",
                options.address,
                options.port,
                reason,
                options.address_flag
            )
        );
    }

    // Without memory for one more client, the others are served and the next one may be luckier.
    bool takes(Socket socket) noexcept
    try {
        take(std::move(socket));
        return true;
    } catch (const std::exception&) {
        return false;
    }

    Awaitable<void> accept()
    {
        while (!shared_.stopping) {
            asio::io_context& context = loops_[next_loop_++ % loops_.size()].context;
            auto [error, socket] =
                co_await acceptor_.async_accept(context.get_executor(), as_value);
            if (shared_.stopping) co_return;
            if (!error && takes(std::move(socket))) continue;
            pause_.expires_after(accept_pause);
            co_await pause_.async_wait(as_value);
        }
    }

    void take(Socket socket)
    {
        const std::lock_guard guard{mutex_};
        if (connections_.size() >= shared_.options.connections_max) {
            if (!tls_) turn_away(socket);
            return;
        }
        const auto executor = socket.get_executor();
        auto connection = make_connection(std::move(socket), tls_, shared_);
        connections_.insert(connection);
        // An exception that reaches this place is bad_alloc or a bug of ours; the connection is
        // lost, the server is not.
        auto ended = [this, connection](const std::exception_ptr&) { leave(connection); };
        try {
            asio::co_spawn(executor, connection->run(), std::move(ended));
        } catch (...) {
            connections_.erase(connection);  // or the end would wait for it
            throw;
        }
    }

    // One timer for all connections: a timer of their own for every read would cost more than the
    // read.
    void sweep_later()
    {
        sweep_.expires_after(sweep_interval(shared_.options));
        sweep_.async_wait([this](const boost::system::error_code& error) {
            if (error || has_ended_) return;
            const Duration now = system_clock().boottime();
            {
                const std::lock_guard guard{mutex_};
                for (const auto& connection : connections_) connection->cut_if_overdue(now);
            }
            sweep_later();
        });
    }

    void leave(const std::shared_ptr<Connection>& connection)
    {
        const std::lock_guard guard{mutex_};
        connections_.erase(connection);
        changed_.notify_all();
    }

    Shared shared_;
    std::vector<Loop> loops_;
    std::size_t next_loop_ = 0;  // of the coroutine that accepts
    Acceptor acceptor_;
    Timer pause_;
    Timer sweep_;
    bool has_ended_ = false;  // of the thread that sweeps
    std::uint16_t port_ = 0;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::unordered_set<std::shared_ptr<Connection>> connections_;  // guarded by mutex_
    bool accepts_ = false;                                         // guarded by mutex_
    std::shared_ptr<asio::ssl::context> tls_;                      // guarded by mutex_
};

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(
    ServerOptions options, Handler handler, OnAnswered on_answered, Gate gate
)
{
    auto server = std::make_unique<AsioServer>(
        std::move(options), std::move(handler), std::move(on_answered), std::move(gate)
    );
    if (auto loaded = server->reload_tls(); !loaded) return std::unexpected(loaded.error());
    if (auto bound = server->bind(); !bound) return std::unexpected(bound.error());
    return server;
}

}  // namespace umavez::http
