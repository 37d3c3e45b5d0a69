#include "store/postgres/write_calls.hpp"

#include "base/pause.hpp"
#include "database/postgres/lock_probe.hpp"
#include "database/postgres/tuning.hpp"

#include <algorithm>
#include <exception>

namespace umavez::pg {
namespace {

// The members of all calls, sorted by key, and where each answer goes.
template <typename Member, typename Answer, typename Statement>
std::optional<BatchFailure> run(
    std::span<Call* const> calls, const BatchTrip& trip, Statement statement
)
{
    struct Place {
        Member* member;
        Answer* answer;
    };
    std::vector<Place> places;
    for (Call* const call : calls) {
        auto& batch = static_cast<BatchCall<Member, Answer>&>(*call);
        for (std::size_t i = 0; i < batch.members; ++i) {
            places.push_back({&batch.at(i), &batch.answers[i]});
        }
    }
    std::ranges::sort(places, [](const Place& a, const Place& b) {
        return a.member->id < b.member->id;
    });
    std::vector<Member*> members;
    members.reserve(places.size());
    for (const Place& place : places) members.push_back(place.member);
    auto answers = statement(trip, std::span<Member* const>{members});
    if (!answers) return std::move(answers.error());
    for (std::size_t i = 0; i < places.size(); ++i) *places[i].answer = std::move((*answers)[i]);
    return std::nullopt;
}

std::size_t members_of(std::span<Call* const> calls)
{
    std::size_t members = 0;
    for (const Call* const call : calls) members += call->members;
    return members;
}

const StaticSql lock_probe_sql{"LOCK TABLE umavez_records IN ROW EXCLUSIVE MODE NOWAIT"};

}  // namespace

const StaticSql& records_lock_probe()
{
    return lock_probe_sql;
}

std::optional<BatchFailure> WritingCalls::attempt(std::span<Call* const> calls, Notes::Ride* ride)
    const
{
    const Duration asked_at = calls.empty() ? system_clock().boottime() : calls.front()->asked_at;
    auto loan = database_.pool().acquire(purpose_, asked_at);
    if (!loan) return BatchFailure{loan.error()};
    if (const auto ours = database_.check_schema(**loan); !ours) {
        return BatchFailure{ours.error(), (*loan)->is_lost() ? Remedy::reconnect : Remedy::none};
    }
    const StoreClock* const clock = database_.clock();
    const BatchTrip trip{
        .connection = **loan,
        .rider = ride != nullptr && !ride->is_empty() ? ride : nullptr,
        .clock = clock == nullptr ? std::nullopt : std::optional{to_micros(clock->now())},
    };
    if (calls.empty()) {
        auto rode = ride_alone(trip);
        return rode ? std::nullopt : std::optional{rode.error()};
    }
    database_.count_batch(members_of(calls));
    switch (calls.front()->kind) {
        case Call::Kind::insertion: return run<Insertion, Found>(calls, trip, insert_or_get_batch);
        case Call::Kind::takeover:
        case Call::Kind::completion: return run<Replacement, Replaced>(calls, trip, replace_batch);
        case Call::Kind::heartbeat: return run<Heartbeat, Replaced>(calls, trip, heartbeat_batch);
    }
    return std::nullopt;
}

void WritingCalls::write(std::span<Call* const> calls) const noexcept
{
    try {
        write_all(calls);
    } catch (const std::exception&) {
        // Out of memory, most likely: too short for another allocation. What was sent may have been done.
        for (Call* const call : calls) call->result = fail(Errc::store_unknown, "out of memory");
    }
}

void WritingCalls::write_all(std::span<Call* const> calls) const
{
    const auto give_all = [calls](const Error& error) {
        for (Call* const call : calls) call->result = std::unexpected(error);
    };
    Notes::Ride ride{notes_};
    for (int tries = 1;; ++tries) {
        const auto failure = attempt(calls, &ride);
        if (!failure) return;
        const bool is_unknown = effect_of(failure->error.code) == Effect::unknown;
        const bool is_away = failure->error.code == Errc::store_unavailable;
        if (is_unknown) {
            ride.drop();  // perhaps they landed: nothing is told twice
            return give_all(failure->error);
        }
        const bool repeats =
            failure->remedy == Remedy::run_again || failure->remedy == Remedy::reconnect;
        if (repeats && tries < tuning::closure_tries_max) {
            pause_up_to(tuning::retry_pause_most);
            continue;
        }
        // The statement itself was refused: were it the notes, they have had their chance.
        if (failure->remedy == Remedy::none && !is_away && !ride.is_empty()) {
            ride.drop();
            continue;
        }
        if (failure->remedy == Remedy::wait_more && is_locked_out()) {
            return give_all(table_locked_error());
        }
        const bool stays_together = is_away && failure->remedy != Remedy::wait_more;
        if (calls.size() > 1 && !stays_together) {
            database_.count_retried(calls.size());
            for (Call* const& call : calls) write_all({&call, 1});
            return;
        }
        if (failure->remedy == Remedy::wait_more) {
            return give_all(
                {Errc::busy, "another transaction holds the key", std::source_location::current()}
            );
        }
        return give_all(failure->error);
    }
}

bool WritingCalls::is_locked_out() const
{
    auto loan = database_.pool().acquire(purpose_, system_clock().boottime());
    return loan && is_table_locked(**loan, records_lock_probe());
}

void WritingCalls::write_notes() const noexcept
{
    try {
        write_waiting_notes();
    } catch (const std::exception&) {
        // Out of memory: the ride has given back or dropped what it held.
    }
}

void WritingCalls::write_waiting_notes() const
{
    Notes::Ride ride{notes_};
    if (ride.is_empty()) return;
    const auto failure = attempt({}, &ride);
    if (!failure) return;
    // A server that is away may come back; words that it refuses it will refuse again, and those without an
    // answer may have landed.
    if (failure->error.code != Errc::store_unavailable) ride.drop();
}

}  // namespace umavez::pg
