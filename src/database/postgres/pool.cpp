#include "database/postgres/pool.hpp"

#include "database/postgres/tuning.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace umavez::pg {
namespace {

// A request asks twice: for its claim, and for a look at what is there.
constexpr Duration patience_away = tuning::patience_away / 2;

}  // namespace

Pool::Pool(PoolOptions options)
    : options_(std::move(options)), hosts_(options_.connect.parameters)
{
    for (std::size_t i = 0; i < purposes; ++i) lots_[i].most = options_.sizes[i];
    thread_ = std::thread{[this] { loop(); }};
}

Pool::~Pool()
{
    {
        const std::lock_guard guard{mutex_};
        is_closed_ = true;
        asked_.notify_all();
    }
    thread_.join();
}

ConnectOptions Pool::options_for(Purpose purpose) const
{
    ConnectOptions connect = options_.connect;
    connect.is_lane = purpose == Purpose::claim || purpose == Purpose::urgent;
    return connect;
}

Result<void> Pool::open_first()
{
    auto connection = hosts_.connect(options_for(Purpose::closure));
    if (!connection) return std::unexpected(connection.error());
    const std::lock_guard guard{mutex_};
    ++lot(Purpose::closure).alive;
    lot(Purpose::closure).idle.push_back(*std::move(connection));
    return {};
}

bool Pool::is_away() const
{
    const std::lock_guard guard{mutex_};
    return away_.has_value();
}

std::unique_ptr<Connection> Pool::take_idle(Lot& lot)
{
    while (!lot.idle.empty()) {
        std::unique_ptr<Connection> connection = std::move(lot.idle.back());
        lot.idle.pop_back();
        if (!connection->is_stale()) return connection;
        --lot.alive;
    }
    return nullptr;
}

// Asks the doubted, without the lock.
std::unique_ptr<Connection> Pool::take_proven(Lot& lot, std::unique_lock<std::mutex>& lock)
{
    while (auto connection = take_idle(lot)) {
        if (!connection->is_doubted()) return connection;
        lock.unlock();
        std::vector<std::unique_ptr<Connection>> dropped;  // closed outside of the lock
        const bool is_there = connection->answers_within(tuning::patience_doubted);
        lock.lock();
        if (is_there) return connection;
        --lot.alive;
        dropped.push_back(std::move(connection));
        drop_idle(dropped);
        is_doubted_ = true;
        lock.unlock();
        dropped.clear();
        lock.lock();
    }
    return nullptr;
}

void Pool::drop_idle(std::vector<std::unique_ptr<Connection>>& dropped)
{
    for (Lot& one : lots_) {
        one.alive -= one.idle.size();
        std::ranges::move(one.idle, std::back_inserter(dropped));
        one.idle.clear();
    }
}

Result<Pool::Loan> Pool::acquire(
    Purpose purpose, Duration asked_at, std::optional<Duration> until
)
{
    std::unique_lock lock{mutex_};
    Lot& wanted = lot(purpose);
    while (true) {
        if (auto connection = take_proven(wanted, lock)) {
            return Loan{*this, purpose, std::move(connection)};
        }
        const Duration patience =
            away_ || is_doubted_ ? patience_away : Duration{tuning::patience_busy};
        const Duration most = until.value_or(Duration::max());
        const Duration left = std::min(asked_at + patience, most) - system_clock().boottime();
        if (left <= Duration{0}) {
            if (away_) return std::unexpected(*away_);
            return fail(
                Errc::store_unavailable,
                "all connections to PostgreSQL are busy: raise umavez_connections, or find what "
                "holds them"
            );
        }
        // While none is known to be away, a look now and then finds out that it is.
        const Duration pause = std::min<Duration>(left, patience_away / 4);
        ++wanted.waiting;
        asked_.notify_one();
        wanted.changed.wait_for(lock, pause);
        --wanted.waiting;
    }
}

void Pool::give_back(Purpose purpose, std::unique_ptr<Connection> connection)
{
    std::vector<std::unique_ptr<Connection>> broken;  // closed outside of the lock
    const std::lock_guard guard{mutex_};
    Lot& own = lot(purpose);
    if (connection->is_lost()) {
        const bool is_overdue = connection->is_overdue();
        if (connection->is_kept()) {
            const Duration until = system_clock().boottime() + tuning::overdue_kept;
            own.kept.push_back({std::move(connection), until});
        } else {
            --own.alive;
            broken.push_back(std::move(connection));
        }
        if (is_overdue) {
            for (Lot& one : lots_) {
                for (const auto& idle : one.idle) idle->doubt();
            }
        } else {
            drop_idle(broken);
        }
        is_doubted_ = true;
        wake_all();
        asked_.notify_one();
    } else {
        own.idle.push_back(std::move(connection));
        own.changed.notify_one();
    }
}

void Pool::wake_all()
{
    for (Lot& one : lots_) one.changed.notify_all();
}

std::optional<Purpose> Pool::wanted() const
{
    // Completions before claims, claims before the rest.
    for (const Purpose purpose :
         {Purpose::urgent, Purpose::claim, Purpose::closure, Purpose::read}) {
        const Lot& one = lots_[static_cast<std::size_t>(purpose)];
        if (one.waiting > one.idle.size() && one.alive < one.most) return purpose;
    }
    return std::nullopt;
}

void Pool::wait_out_backoff(std::unique_lock<std::mutex>& lock)
{
    const Duration longest = std::min<Duration>(
        tuning::backoff_most, tuning::backoff_first * (1 << std::min(failures_ - 1, 10))
    );
    // Half of it is chance: many processes lost the same server.
    const auto half = static_cast<std::uint64_t>(longest.count() / 2);
    const Duration pause{static_cast<std::int64_t>(half + uniform(system_random(), half + 1))};
    asked_.wait_for(lock, pause, [this] { return is_closed_; });
}

bool Pool::has_kept() const
{
    return std::ranges::any_of(lots_, [](const Lot& one) { return !one.kept.empty(); });
}

void Pool::close_answered(std::unique_lock<std::mutex>& lock)
{
    std::vector<Kept> over;
    const Duration now = system_clock().boottime();
    for (Lot& one : lots_) {
        const auto is_over = [&](Kept& kept) { return kept.until <= now || !kept.connection->is_kept(); };
        const auto ended = std::ranges::partition(one.kept, std::not_fn(is_over));
        one.alive -= ended.size();
        std::ranges::move(ended, std::back_inserter(over));
        one.kept.erase(ended.begin(), ended.end());
    }
    lock.unlock();
    over.clear();
    lock.lock();
}

void Pool::loop()
{
    std::unique_lock lock{mutex_};
    while (!is_closed_) {
        const std::optional<Purpose> purpose = wanted();
        if (!purpose) {
            if (has_kept()) {
                asked_.wait_for(lock, tuning::kept_look);
                close_answered(lock);
            } else {
                asked_.wait(lock);
            }
            continue;
        }
        ++lot(*purpose).alive;
        lock.unlock();
        auto connection = hosts_.connect(options_for(*purpose));
        lock.lock();
        if (connection) {
            away_.reset();
            failures_ = 0;
            is_doubted_ = false;
            lot(*purpose).idle.push_back(*std::move(connection));
            lot(*purpose).changed.notify_one();
            continue;
        }
        --lot(*purpose).alive;
        ++failures_;
        away_ = connection.error();
        away_->code = Errc::store_unavailable;
        wake_all();
        wait_out_backoff(lock);
    }
}

}  // namespace umavez::pg
