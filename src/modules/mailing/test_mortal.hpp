#pragma once

// MortalDatabase, MortalTransport: what a process reaches the world through, until it dies. After its death
// nothing of it reaches anything, as after kill -9. A database may also lose answers. Thread-safe.

#include "modules/mailing/test_depot.hpp"

namespace umavez::mailing {

// The life of one process: it passes points, and dies at the one that was chosen.
class Life {
public:
    explicit Life(int dies_at = 0) : left_(dies_at) {}

    // Whether it lives on.
    bool pass()
    {
        if (!is_dead_ && left_ > 0 && --left_ == 0) {
            is_dead_ = true;
            stop.request_stop();
        }
        return !is_dead_;
    }
    bool is_dead() const { return is_dead_; }

    std::stop_source stop;  // so that the code of a dead process comes to its end

private:
    int left_;
    bool is_dead_ = false;
};

enum class Fate : std::uint8_t { answered, lost_before, lost_after, unavailable };

class MortalDatabase final : public Database {
public:
    using Fates = std::function<Fate(int call)>;
    MortalDatabase(Database& database, Life& life, Fates fates = {})
        : database_(database), life_(life), fates_(std::move(fates))
    {
    }

    Task<Result<void>> async_transact(Closure closure) override
    {
        return answer(transact_now(std::move(closure)));
    }
    Task<Result<void>> async_read(Closure closure) override
    {
        if (life_.is_dead()) return answer(fail(Errc::store_unavailable, "dead"));
        return database_.async_read(std::move(closure));
    }
    Result<void> migrate(std::span<const Migration> steps) override
    {
        return database_.migrate(steps);
    }
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration> steps) override
    {
        return database_.migration_state(steps);
    }
    Dialect dialect() const noexcept override { return database_.dialect(); }
    const std::string& url() const noexcept override { return database_.url(); }
    DatabaseHealth health() override { return database_.health(); }
    LaneStats lane_stats() const override { return database_.lane_stats(); }
    Result<void> backup(const std::string& path, std::stop_token stop) override
    {
        return database_.backup(path, stop);
    }
    bool step() override { return database_.step(); }

private:
    static Task<Result<void>> answer(Result<void> result) { co_return result; }

    Result<void> transact_now(Closure closure)
    {
        if (!life_.pass()) return fail(Errc::store_unavailable, "dead");
        const Fate fate = fates_ ? fates_(++calls_) : Fate::answered;
        if (fate == Fate::unavailable) return fail(Errc::store_unavailable, "away");
        if (fate == Fate::lost_before) return fail(Errc::store_unknown, "no answer");
        const auto done = database_.transact(std::move(closure));
        if (!life_.pass()) return fail(Errc::store_unknown, "dead");
        if (fate == Fate::lost_after) return fail(Errc::store_unknown, "no answer");
        return done;
    }

    Database& database_;
    Life& life_;
    const Fates fates_;
    int calls_ = 0;
};

class MortalTransport final : public mail::Transport {
public:
    MortalTransport(Sink& sink, Life& life) : sink_(sink), life_(life) {}
    mail::Delivered send(const mail::Envelope& envelope, std::string_view content, std::stop_token)
        override
    {
        if (!life_.pass()) return {.verdict = mail::Verdict::unreachable, .detail = "dead"};
        mail::Delivered delivered = sink_.take(envelope, content);
        life_.pass();
        return delivered;
    }

private:
    Sink& sink_;
    Life& life_;
};

}  // namespace umavez::mailing
