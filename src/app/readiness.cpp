#include "app/readiness.hpp"

#include <fmt/format.h>

namespace umavez {
namespace {

Duration boottime()
{
    return system_clock().boottime();
}

}  // namespace

Readiness::Readiness(Database& database, const FileWatch& files, const ReadinessOptions& options)
    : database_(database), files_(files), options_(options), thread_([this] { run(); })
{
}

Readiness::~Readiness()
{
    {
        const std::lock_guard guard{mutex_};
        stopping_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

ReadinessReport Readiness::check()
{
    // Three calls of stat(2): always as it is now.
    if (const auto checked = files_.check(); !checked)
        return {.files = false, .store = {}, .detail = checked.error().detail};
    DatabaseHealth health = check_store();
    return {.files = true, .store = health.reachable, .detail = std::move(health.detail)};
}

DatabaseHealth Readiness::check_store()
{
    std::unique_lock lock{mutex_};
    if (last_at_ && boottime() - *last_at_ < options_.kept) return last_;
    if (!asked_since_) {
        asked_since_ = boottime();
        changed_.notify_all();
    }
    // Who comes when a check hangs already waits for the rest of its time only.
    const Duration left = *asked_since_ + options_.limit - boottime();
    const bool is_answered =
        changed_.wait_for(lock, left, [this] { return !asked_since_.has_value(); });
    if (is_answered) return last_;
    return {
        .reachable = false,
        .detail = fmt::format(
            "the store did not answer within {} ms",
            std::chrono::duration_cast<std::chrono::milliseconds>(options_.limit).count()
        ),
    };
}

void Readiness::run()
{
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return stopping_ || asked_since_; });
        if (stopping_) return;
        lock.unlock();
        DatabaseHealth found = database_.health();
        lock.lock();
        last_ = std::move(found);
        last_at_ = boottime();
        asked_since_.reset();
        changed_.notify_all();
    }
}

}  // namespace umavez
