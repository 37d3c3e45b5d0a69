#include "simulation/mutants.hpp"

#include "core/decide.hpp"
#include "simulation/store_decorator.hpp"

#include <array>

namespace umavez::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 8> names = {
    "fencing-off",     "fingerprint-skipped",        "application-clock",
    "plain-read-back", "takeover-ignores-heartbeat", "in-doubt-expires",
    "reconcile-lost",  "release-on-exception",
};

class FencingOff final : public StoreDecorator {
public:
    using StoreDecorator::StoreDecorator;

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        for (Replacement& each : batch) {
            const Result<Sighting> seen = co_await inner_.find(each.id);
            if (!seen || !seen->record) continue;
            each.expected.token = seen->record->token;
            each.expected.statuses = 0xff;
        }
        auto answer = co_await inner_.replace(std::move(batch));
        co_return answer;
    }
};

class FingerprintSkipped final : public StoreDecorator {
public:
    using StoreDecorator::StoreDecorator;

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        std::vector<Fingerprint> asked;
        for (const Insertion& each : batch) asked.push_back(each.draft.fingerprint);
        Result<std::vector<Found>> answer = co_await inner_.insert_or_get(std::move(batch));
        for (std::size_t i = 0; answer && i < asked.size(); ++i) {
            (*answer)[i].record.fingerprint = asked[i];
        }
        co_return answer;
    }
};

class TakeoverIgnoresHeartbeat final : public StoreDecorator {
public:
    using StoreDecorator::StoreDecorator;

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        for (Replacement& each : batch) {
            each.expected.processing_expires_at.reset();
            each.expected.lease_over_for.reset();
        }
        return inner_.replace(std::move(batch));
    }
};

// A doubt older than this passes for a completion whose retention is over.
class InDoubtExpires final : public StoreDecorator {
public:
    using StoreDecorator::StoreDecorator;

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        Result<std::vector<Found>> answer = co_await inner_.insert_or_get(std::move(batch));
        if (!answer) co_return answer;
        for (Found& each : *answer) disguise(each.record, each.now);
        co_return answer;
    }
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        for (Replacement& each : batch) {
            if ((each.expected.statuses & bit(Status::succeeded)) == 0) continue;
            each.expected.statuses =
                static_cast<std::uint8_t>(each.expected.statuses | bit(Status::in_doubt));
        }
        Result<std::vector<Replaced>> answer = co_await inner_.replace(std::move(batch));
        if (!answer) co_return answer;
        for (Replaced& each : *answer) {
            if (!each.done && each.record) disguise(*each.record, each.now);
        }
        co_return answer;
    }

private:
    static void disguise(Record& record, Instant now)
    {
        if (record.status != Status::in_doubt || now < record.updated_at + 3s) return;
        record.status = Status::succeeded;
        record.expires_at = now;
    }
};

class ReconcileLost final : public StoreDecorator {
public:
    using StoreDecorator::StoreDecorator;

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        for (Replacement& each : batch) {
            if (each.next.raise_epoch) each.next.mode = Mode::run;
        }
        return inner_.replace(std::move(batch));
    }
};

class ReleaseOnException final : public StoreDecorator {
public:
    using StoreDecorator::StoreDecorator;

    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        for (Replacement& each : batch) {
            const bool is_owners = !each.expected.processing_expires_at;
            if (each.next.status != Status::in_doubt || !is_owners) continue;
            each.next.status = Status::failed;
            each.next.final = false;
            each.next.retry_in.reset();
        }
        return inner_.replace(std::move(batch));
    }
};

class ApplicationClock final : public StoreDecorator {
public:
    ApplicationClock(Store& inner, const NodeClock& clock) : StoreDecorator(inner), clock_(clock) {}

    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override
    {
        Result<std::vector<Found>> answer = co_await inner_.insert_or_get(std::move(batch));
        if (!answer) co_return answer;
        for (Found& each : *answer) each.now = clock_.realtime();
        co_return answer;
    }
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override
    {
        for (Replacement& each : batch) each.expected.lease_over_for.reset();
        Result<std::vector<Replaced>> answer = co_await inner_.replace(std::move(batch));
        if (!answer) co_return answer;
        for (Replaced& each : *answer) each.now = clock_.realtime();
        co_return answer;
    }
    Async<Sighting> find(RecordId id) override
    {
        Result<Sighting> seen = co_await inner_.find(std::move(id));
        if (seen) seen->now = clock_.realtime();
        co_return seen;
    }

private:
    const NodeClock& clock_;
};

}  // namespace

const std::vector<Mutant>& all_mutants()
{
    static const std::vector<Mutant> mutants = {
        Mutant::fencing_off,      Mutant::fingerprint_skipped,        Mutant::application_clock,
        Mutant::plain_read_back,  Mutant::takeover_ignores_heartbeat, Mutant::in_doubt_expires,
        Mutant::reconcile_lost,   Mutant::release_on_exception,
    };
    return mutants;
}

std::string_view to_text(Mutant mutant) noexcept
{
    return names[static_cast<std::size_t>(mutant)];
}

std::optional<Mutant> parse_mutant(std::string_view text) noexcept
{
    for (const Mutant mutant : all_mutants()) {
        if (to_text(mutant) == text) return mutant;
    }
    return std::nullopt;
}

std::unique_ptr<Store> make_shared_mutant(std::optional<Mutant> mutant, Store& inner)
{
    if (!mutant) return nullptr;
    switch (*mutant) {
        case Mutant::fencing_off: return std::make_unique<FencingOff>(inner);
        case Mutant::fingerprint_skipped: return std::make_unique<FingerprintSkipped>(inner);
        case Mutant::takeover_ignores_heartbeat:
            return std::make_unique<TakeoverIgnoresHeartbeat>(inner);
        case Mutant::in_doubt_expires: return std::make_unique<InDoubtExpires>(inner);
        case Mutant::reconcile_lost: return std::make_unique<ReconcileLost>(inner);
        case Mutant::release_on_exception: return std::make_unique<ReleaseOnException>(inner);
        case Mutant::application_clock:
        case Mutant::plain_read_back: break;
    }
    return nullptr;
}

std::unique_ptr<Store> make_node_mutant(
    std::optional<Mutant> mutant, Store& inner, const NodeClock& clock
)
{
    if (mutant != Mutant::application_clock) return nullptr;
    return std::make_unique<ApplicationClock>(inner, clock);
}

}  // namespace umavez::simulation
