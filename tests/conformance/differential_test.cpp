// Random command sequences on every store and on a model made of decide(), to_record() and matches().
// A disagreement is shrunk, and the shortest sequence that shows it is printed, one command per line.
//
// Two callers fight for three keys. Each remembers what it read and what it owned, however long ago, so
// most commands come too late: that is the point.

#include "conformance/model_store.hpp"
#include "conformance/store_conformance.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

namespace umavez::test {

enum class Act : std::uint8_t {
    claim, read, take, heartbeat, save, run, finish, fail, release, doubt, hold, operator_release,
    operator_resolve, sweep, due, pass, count_,
};

constexpr std::array<const char*, static_cast<std::size_t>(Act::count_)> act_names = {
    "claim", "read", "take", "heartbeat", "save", "run", "finish", "fail", "release", "doubt", "hold",
    "operator_release", "operator_resolve", "sweep", "due", "pass",
};

struct Command {
    Act act = Act::claim;
    int caller = 0;
    int key = 0;
    int detail = 0;  // which target and fingerprint, which answer, how much time
};

void showValue(const Command& command, std::ostream& out)
{
    out << "\n  " << act_names[static_cast<std::size_t>(command.act)] << " caller=" << command.caller
        << " key=" << command.key << " detail=" << command.detail;
}

}  // namespace umavez::test

namespace rc {

template <>
struct Arbitrary<umavez::test::Command> {
    static Gen<umavez::test::Command> arbitrary()
    {
        using umavez::test::Act;
        using umavez::test::Command;
        // Without `resize` short sequences would only ever see the first acts.
        const auto number = [](int bound) { return gen::resize(100, gen::inRange(0, bound)); };
        return gen::build<Command>(
            gen::set(
                &Command::act,
                gen::resize(
                    100,
                    gen::weightedElement<Act>({
                        {5, Act::claim}, {2, Act::read}, {3, Act::take}, {3, Act::heartbeat},
                        {1, Act::save}, {1, Act::run}, {2, Act::finish}, {1, Act::fail},
                        {1, Act::release}, {1, Act::doubt}, {2, Act::hold}, {1, Act::operator_release},
                        {1, Act::operator_resolve}, {2, Act::sweep}, {1, Act::due}, {5, Act::pass},
                    })
                )
            ),
            gen::set(&Command::caller, number(2)),
            gen::set(&Command::key, number(3)),
            gen::set(&Command::detail, number(8))
        );
    }
};

}  // namespace rc

namespace umavez::test {
namespace {

// Keys differ in what their operations do with abandoned work.
struct Subject {
    RecordId id;
    Policy policy;
};

std::vector<Subject> subjects(int number)
{
    const std::string tenant = "t" + std::to_string(number);
    Policy rerun = leased_policy(OnAbandoned::rerun);
    rerun.takeovers_max = 2;
    Policy cached = cached_policy();
    cached.retention = 20s;
    cached.has_reconciler = true;
    Policy reconciled = reconciled_policy();
    reconciled.retention = 40s;
    reconciled.on_mismatch = OnMismatch::original;
    return {
        {id_of("key", "rerun", tenant), rerun},
        {id_of("key", "cached", tenant), cached},
        {id_of("key", "reconciled", tenant), reconciled},
    };
}

class Duel {
public:
    Duel(Store& store, FakeClock& clock, int number)
        : driver_(store), store_(store), clock_(clock), subjects_(subjects(number))
    {
    }

    void perform(const Command& command)
    {
        const Subject& subject = subjects_[static_cast<std::size_t>(command.key)];
        Memory& memory = memories_[{command.caller, command.key}];
        switch (command.act) {
            case Act::pass: pass(command.detail); return;
            case Act::sweep: sweep(); break;
            case Act::due: due(); break;
            case Act::claim: claim(command, subject, memory); break;
            case Act::read: memory.read = model_.find(subject.id); break;
            case Act::take: if (memory.read) take(command, subject, memory); break;
            case Act::hold:
            case Act::operator_release:
            case Act::operator_resolve:
                if (memory.read) bystander(command, subject, *memory.read);
                break;
            case Act::heartbeat: if (memory.owned) heartbeat(subject, *memory.owned); break;
            case Act::save:
            case Act::run:
            case Act::finish:
            case Act::fail:
            case Act::release:
            case Act::doubt:
                if (memory.owned) owner(command, subject, memory);
                break;
            case Act::count_: break;
        }
        RC_ASSERT((driver_.find(subject.id) == model_.find(subject.id)));
    }

    // Pages and counts see the same records.
    void compare_everything()
    {
        RecordsQuery query;
        query.tenant_id = subjects_[0].id.tenant_id;
        std::map<RecordId, Record> scanned;
        for (const NamedRecord& named : driver_.scan(query)) scanned.emplace(named.id, named.record);
        RC_ASSERT((scanned == model_.records()));
    }

private:
    struct Memory {
        std::optional<Record> read;
        std::optional<Record> owned;
    };

    // Mostly to the very end of somebody's lease, settling or retention, or one tick before it.
    void pass(int detail)
    {
        static constexpr std::array<Duration, 8> steps = {
            1us, 1s, 15s - 1us, 15s, 20s, 30s - 1us, 30s, 40s
        };
        clock_.advance(steps[static_cast<std::size_t>(detail)]);
    }

    Execution fresh_execution()
    {
        Execution execution{};
        ++executions_;
        for (std::size_t i = 0; i < 4; ++i) {
            execution[i] = static_cast<std::uint8_t>(executions_ >> (8 * i));
        }
        return execution;
    }
    static Request request(const Command& command)
    {
        // Mostly the same request; now and then another target or payload.
        return request_of(command.detail == 6 ? 2 : 1, command.detail == 7 ? 2 : 1);
    }

    void claim(const Command& command, const Subject& subject, Memory& memory)
    {
        const Draft draft = claim_draft(
            nullptr, request(command), subject.policy, Claim{.new_lifetime = true}, fresh_execution()
        );
        std::vector<Insertion> batch;
        batch.push_back({subject.id, draft, std::nullopt});
        const Found real = must(wait(store_.insert_or_get(std::move(batch)))).at(0);
        const Found model = model_.insert_or_get(subject.id, draft, real.now);
        RC_ASSERT(real.inserted == model.inserted);
        RC_ASSERT((real.record == model.record));
        memory.read = model.record;
        if (model.inserted) {
            memory.owned = model.record;
        } else {
            take(command, subject, memory);
        }
    }

    void take(const Command& command, const Subject& subject, Memory& memory)
    {
        const Record read = *memory.read;
        const Decision decision = decide(&read, request(command), subject.policy, driver_.now());
        const Claim* const claim = std::get_if<Claim>(&decision);
        if (claim == nullptr) return;
        const Draft draft =
            claim_draft(&read, request(command), subject.policy, *claim, fresh_execution());
        const Replaced replaced = replace(subject.id, takeover_expects(read, subject.policy), draft);
        if (replaced.done) memory.owned = replaced.record;
    }

    void bystander(const Command& command, const Subject& subject, const Record& read)
    {
        const bool is_abandoned = read.status == Status::processing;
        const auto retention = std::optional<Duration>{30s};
        if (command.act == Act::hold) {
            if (!is_abandoned) return;
            replace(subject.id, takeover_expects(read, subject.policy), hold_draft(read, subject.policy));
        } else if (command.act == Act::operator_release) {
            if (read.status == Status::succeeded) return;
            const Expected expected = takeover_expects(read, subject.policy);
            replace(subject.id, expected, operator_release_draft(read, fresh_execution(), retention));
        } else {
            if (is_completed(read)) return;
            const Status status = command.detail % 2 == 0 ? Status::succeeded : Status::failed;
            auto response = command.detail < 4 ? std::optional{stored(200)} : std::nullopt;
            const Draft draft =
                operator_resolve_draft(read, status, std::move(response), fresh_execution(), retention);
            replace(subject.id, takeover_expects(read, subject.policy), draft);
        }
    }

    void owner(const Command& command, const Subject& subject, Memory& memory)
    {
        const Record owned = *memory.owned;
        const Policy& policy = subject.policy;
        const std::string text = "answer " + std::to_string(command.detail);
        const auto write = [&](const Expected& expected, const Draft& draft) {
            const Replaced replaced = replace(subject.id, expected, draft);
            if (replaced.done) memory.owned = replaced.record;
        };
        const Expected owns = owner_expects(owned.token);
        const Expected settles = settler_expects(owned.token);
        if (command.act == Act::save) write(owns, save_draft(owned, text, policy));
        if (command.act == Act::run) write(owns, run_draft(owned, policy));
        if (command.act == Act::release) write(owns, release_draft(owned, stored(503, text), policy));
        if (command.act == Act::doubt) {
            write(owns, doubt_draft(owned, backoff(owned.attempts, 0.5)));
        }
        if (command.act == Act::finish) {
            write(settles, complete_draft(owned, Status::succeeded, stored(201, text), policy));
        }
        if (command.act == Act::fail) {
            const Response response{
                .status = 422, .headers = {{"a", text}}, .body = text, .entity = {}
            };
            const StoredResponse omitted = to_stored(response, 9);
            write(settles, complete_draft(owned, Status::failed, omitted, policy));
        }
    }

    void heartbeat(const Subject& subject, const Record& owned)
    {
        const Heartbeat beat{
            subject.id,
            owned.token,
            subject.policy.lease,
            processing_expires_in(subject.policy, owned.mode),
        };
        const Replaced real = must(wait(store_.heartbeat({beat}))).at(0);
        const Replaced model = model_.heartbeat(beat, real.now);
        RC_ASSERT(real.done == model.done);
        RC_ASSERT((real.record == model.record));
    }

    Replaced replace(const RecordId& id, const Expected& expected, const Draft& draft)
    {
        const Replaced real = driver_.replace(id, expected, draft);
        const Replaced model = model_.replace(id, expected, draft, real.now);
        RC_ASSERT(real.done == model.done);
        if (real.done) {
            RC_ASSERT((without_response(real.record) == without_response(model.record)));
        } else {
            RC_ASSERT((real.record == model.record));
        }
        return model;
    }

    void sweep()
    {
        std::vector<RecordId> real = driver_.sweep();
        std::erase_if(real, [this](const RecordId& id) {
            return id.tenant_id != subjects_[0].id.tenant_id;  // left by an earlier sequence
        });
        std::ranges::sort(real);
        RC_ASSERT((real == model_.sweep(driver_.now())));
    }

    void due()
    {
        DueQuery query{
            .abandoned = {subjects_[0].id.operation, subjects_[1].id.operation},
            .in_doubt = {subjects_[1].id.operation, subjects_[2].id.operation},
            .count_max = 1'000'000,
        };
        std::vector<RecordId> real;
        for (const NamedRecord& named : driver_.due(query)) {
            if (named.id.tenant_id == subjects_[0].id.tenant_id) real.push_back(named.id);
        }
        std::ranges::sort(real);
        RC_ASSERT((real == model_.due(query, driver_.now())));
    }

    StoreDriver driver_;
    Store& store_;
    FakeClock& clock_;
    const std::vector<Subject> subjects_;
    ModelStore model_;
    std::map<std::pair<int, int>, Memory> memories_;
    std::uint32_t executions_ = 0;
};

class StoreDifferential : public StoreConformance {};

TEST_P(StoreDifferential, RandomCommandsAgreeWithTheModel)
{
    int number = 0;
    for (int round = 0; round < 3; ++round) {  // of a hundred sequences
        const bool agrees = rc::check([&] {
            // Always of full size: it takes several commands until anybody is too late.
            const auto commands = *rc::gen::resize(100, rc::gen::arbitrary<std::vector<Command>>());
            Duel duel{store(), clock_, ++number};
            for (const Command& command : commands) duel.perform(command);
            duel.compare_everything();
        });

        ASSERT_TRUE(agrees) << "the shortened sequence is above";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreDifferential, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
