// The races of hazards C, L and T, in every order of their steps, on every store (hazards.md A7.8).
//
// o owns the record at the start; t and u are takers, b is a bystander, p an operator, s the sweeper, c a
// client. The tables are the contract: one line per order, each step with its result.

#include "conformance/races.hpp"
#include "conformance/store_conformance.hpp"

#include <algorithm>

namespace umavez::test {
namespace {

using Table = std::vector<std::string>;

class StoreRaces : public StoreConformance {
protected:
    enum class Start { lease_alive, lease_over, spent };

    // Runs every order on a record of its own and gives one line for each.
    Table permute(const std::vector<Session>& sessions, const Policy& policy, Start start)
    {
        Table table;
        for (const std::vector<Turn>& order : interleavings(sessions)) {
            Scene scene{store(), clock_, id_of("race-" + std::to_string(++races_)), policy};
            if (start == Start::spent) {
                scene.begin_spent();
            } else {
                scene.begin(start == Start::lease_over);
            }
            table.push_back(run(scene, order));
            EXPECT_EQ(scene.complaints(), "") << table.back();
        }
        return table;
    }
    static int count(const std::string& line, const std::string& result)
    {
        int found = 0;
        for (auto at = line.find(result); at != line.npos; at = line.find(result, at + 1)) ++found;
        return found;
    }

    int races_ = 0;
};

const Policy rerun = leased_policy(OnAbandoned::rerun);

TEST_P(StoreRaces, HeartbeatBetweenReadAndTakeoverWins)
{
    const Table expected = {
        "o.heartbeat=done o.finish=done t.read=succeeded t.take=replay",
        "o.heartbeat=done t.read=processing o.finish=done t.take=in_progress",
        "o.heartbeat=done t.read=processing t.take=in_progress o.finish=done",
        "t.read=processing o.heartbeat=done o.finish=done t.take=refused",
        "t.read=processing o.heartbeat=done t.take=refused o.finish=done",
        "t.read=processing t.take=taken o.heartbeat=refused o.finish=refused",
    };
    EXPECT_EQ(
        permute({{'o', {"heartbeat", "finish"}}, {'t', {"read", "take"}}}, rerun, Start::lease_over),
        expected
    );
}

TEST_P(StoreRaces, HeartbeatBetweenReadAndTakeoverWinsEvenIfItsLeaseIsOverToo)
{
    const Table expected = {
        "t.read=processing o.heartbeat=done x.expire=passed t.take=refused",
        "o.heartbeat=done t.read=processing x.expire=passed t.take=taken",
        "o.heartbeat=done x.expire=passed t.read=processing t.take=taken",
        "t.read=processing x.expire=passed o.heartbeat=done t.take=refused",
        "t.read=processing x.expire=passed t.take=taken o.heartbeat=refused",
        "x.expire=passed o.heartbeat=done t.read=processing t.take=in_progress",
    };
    const Table table = permute(
        {{'o', {"heartbeat"}}, {'x', {"expire"}}, {'t', {"read", "take"}}}, rerun, Start::lease_over
    );

    EXPECT_EQ(table.size(), 12u);
    for (const std::string& line : expected) EXPECT_EQ(std::ranges::count(table, line), 1) << line;
}

TEST_P(StoreRaces, LiveLeaseIsTakenInNoOrder)
{
    for (const std::string& line : permute(
             {{'o', {"heartbeat", "save", "finish"}}, {'t', {"read", "take"}}}, rerun, Start::lease_alive
         )) {
        EXPECT_EQ(count(line, "taken"), 0) << line;
        EXPECT_EQ(count(line, "o.finish=done"), 1) << line;
    }
}

TEST_P(StoreRaces, CompletionAgainstTakeover)
{
    const Table expected = {
        "o.finish=done t.read=succeeded t.take=replay t.finish=not-owner",
        "t.read=processing o.finish=done t.take=refused t.finish=not-owner",
        "t.read=processing t.take=taken o.finish=refused t.finish=done",
        "t.read=processing t.take=taken t.finish=done o.finish=refused",
    };
    EXPECT_EQ(
        permute({{'o', {"finish"}}, {'t', {"read", "take", "finish"}}}, rerun, Start::lease_over),
        expected
    );
}

TEST_P(StoreRaces, RepeatedCompletionIsRecognisedOrFenced)
{
    const Table expected = {
        "o.finish=done o.finish=repeated o.finish2=refused t.read=succeeded t.take=replay",
        "o.finish=done o.finish=repeated t.read=succeeded o.finish2=refused t.take=replay",
        "o.finish=done o.finish=repeated t.read=succeeded t.take=replay o.finish2=refused",
        "o.finish=done t.read=succeeded o.finish=repeated o.finish2=refused t.take=replay",
        "o.finish=done t.read=succeeded o.finish=repeated t.take=replay o.finish2=refused",
        "o.finish=done t.read=succeeded t.take=replay o.finish=repeated o.finish2=refused",
        "t.read=processing o.finish=done o.finish=repeated o.finish2=refused t.take=refused",
        "t.read=processing o.finish=done o.finish=repeated t.take=refused o.finish2=refused",
        "t.read=processing o.finish=done t.take=refused o.finish=repeated o.finish2=refused",
        "t.read=processing t.take=taken o.finish=refused o.finish=refused o.finish2=refused",
    };
    EXPECT_EQ(
        permute(
            {{'o', {"finish", "finish", "finish2"}}, {'t', {"read", "take"}}}, rerun, Start::lease_over
        ),
        expected
    );
}

TEST_P(StoreRaces, OneOfTwoTakersWinsAndOnlyItsCompletionIsAccepted)
{
    const std::vector<Session> sessions = {
        {'o', {"finish"}}, {'t', {"read", "take", "finish"}}, {'u', {"read", "take", "finish"}}
    };
    const Table table = permute(sessions, rerun, Start::lease_over);

    EXPECT_EQ(table.size(), 140u);
    for (const std::string& line : table) {
        EXPECT_LE(count(line, "=taken"), 1) << line;
        EXPECT_EQ(count(line, "finish=done"), 1) << line;
        EXPECT_EQ(count(line, "=taken") + count(line, "o.finish=done"), 1) << line;
    }
}

TEST_P(StoreRaces, HoldAgainstTheOwnersFinish)
{
    const Table expected = {
        "b.read=processing b.hold=held o.finish=done",
        "b.read=processing o.finish=done b.hold=refused",
        "o.finish=done b.read=succeeded b.hold=live",
    };
    EXPECT_EQ(
        permute({{'b', {"read", "hold"}}, {'o', {"finish"}}}, leased_policy(), Start::lease_over),
        expected
    );
}

TEST_P(StoreRaces, HoldAgainstHeartbeatAndRelease)
{
    const Table expected = {
        "b.read=processing b.hold=held o.heartbeat=refused o.release=refused",
        "b.read=processing o.heartbeat=done b.hold=refused o.release=released",
        "b.read=processing o.heartbeat=done o.release=released b.hold=refused",
        "o.heartbeat=done b.read=processing b.hold=live o.release=released",
        "o.heartbeat=done b.read=processing o.release=released b.hold=live",
        "o.heartbeat=done o.release=released b.read=failed b.hold=live",
    };
    EXPECT_EQ(
        permute(
            {{'b', {"read", "hold"}}, {'o', {"heartbeat", "release"}}}, leased_policy(), Start::lease_over
        ),
        expected
    );
}

TEST_P(StoreRaces, HoldReconcileAndLateFinishGiveOneCompletion)
{
    const Policy policy = reconciled_policy(OnAbandoned::hold);
    const std::vector<Session> sessions = {
        {'b', {"read", "hold"}},
        {'x', {"expire"}},
        {'t', {"read", "take", "finish"}},
        {'o', {"finish"}},
    };
    const Table table = permute(sessions, policy, Start::lease_over);

    EXPECT_EQ(table.size(), 420u);
    int reconciled = 0;
    for (const std::string& line : table) {
        EXPECT_EQ(count(line, "finish=done"), 1) << line;
        reconciled += count(line, "t.finish=done");
    }
    EXPECT_GT(reconciled, 0) << "some order must let the reconciler win";
}

TEST_P(StoreRaces, OperatorsReleaseAgainstTheOwnersFinish)
{
    const Table expected = {
        "p.read=processing p.operator=released o.finish=refused",
        "p.read=processing o.finish=done p.operator=refused",
        "o.finish=done p.read=succeeded p.operator=forbidden",
    };
    EXPECT_EQ(
        permute({{'p', {"read", "operator"}}, {'o', {"finish"}}}, leased_policy(), Start::lease_over),
        expected
    );
}

TEST_P(StoreRaces, OperatorsReleaseIsClaimedOnceAndFencesTheOwner)
{
    const std::vector<Session> sessions = {
        {'p', {"read", "operator"}}, {'c', {"claim", "finish"}}, {'o', {"heartbeat", "finish"}}
    };
    for (const std::string& line : permute(sessions, leased_policy(), Start::lease_over)) {
        EXPECT_LE(count(line, "finish=done"), 1) << line;
        const bool is_fenced = line.find("p.operator=released") < line.find("o.finish");
        EXPECT_TRUE(!is_fenced || count(line, "o.finish=refused") == 1) << line;
    }
}

TEST_P(StoreRaces, SweepAgainstReclaim)
{
    const Table expected = {
        "s.sweep=swept s.sweep=left c.read=nothing c.take=nothing c.claim=inserted",
        "s.sweep=swept c.read=nothing s.sweep=left c.take=nothing c.claim=inserted",
        "s.sweep=swept c.read=nothing c.take=nothing s.sweep=left c.claim=inserted",
        "s.sweep=swept c.read=nothing c.take=nothing c.claim=inserted s.sweep=left",
        "c.read=succeeded s.sweep=swept s.sweep=left c.take=gone c.claim=inserted",
        "c.read=succeeded s.sweep=swept c.take=gone s.sweep=left c.claim=inserted",
        "c.read=succeeded s.sweep=swept c.take=gone c.claim=inserted s.sweep=left",
        "c.read=succeeded c.take=taken s.sweep=left s.sweep=left c.claim=in_progress",
        "c.read=succeeded c.take=taken s.sweep=left c.claim=in_progress s.sweep=left",
        "c.read=succeeded c.take=taken c.claim=in_progress s.sweep=left s.sweep=left",
    };
    EXPECT_EQ(
        permute(
            {{'s', {"sweep", "sweep"}}, {'c', {"read", "take", "claim"}}}, leased_policy(), Start::spent
        ),
        expected
    );
}

TEST_P(StoreRaces, SweepAgainstALateOwnerOfTheLastLifetime)
{
    const std::vector<Session> sessions = {
        {'s', {"sweep"}}, {'c', {"claim", "finish"}}, {'o', {"heartbeat", "finish2"}}
    };
    for (const std::string& line : permute(sessions, leased_policy(), Start::spent)) {
        EXPECT_EQ(count(line, "o.heartbeat=refused"), 1) << line;
        EXPECT_EQ(count(line, "o.finish2=refused"), 1) << line;
        EXPECT_EQ(count(line, "c.finish=done"), 1) << line;
    }
}

TEST_P(StoreRaces, SweepOfAnAbandonedCachedRunAgainstItsOwner)
{
    Policy policy = cached_policy();
    policy.retention = 1us;  // spent almost as soon as its lease is over
    const Table expected = {
        "x.expire=passed s.sweep=swept o.heartbeat=refused o.finish=refused",
        "x.expire=passed o.heartbeat=done s.sweep=left o.finish=done",
        "x.expire=passed o.heartbeat=done o.finish=done s.sweep=left",
    };
    Table table = permute(
        {{'x', {"expire"}}, {'s', {"sweep"}}, {'o', {"heartbeat", "finish"}}}, policy, Start::lease_over
    );
    EXPECT_EQ(table.size(), 12u);
    for (const std::string& line : expected) EXPECT_EQ(std::ranges::count(table, line), 1) << line;
}

TEST_P(StoreRaces, TwoClaimsHaveOneOwner)
{
    const Table expected = {
        "t.claim=taken t.finish=done u.claim=replay u.finish=not-owner",
        "t.claim=taken u.claim=in_progress t.finish=done u.finish=not-owner",
        "t.claim=taken u.claim=in_progress u.finish=not-owner t.finish=done",
        "u.claim=taken t.claim=in_progress t.finish=not-owner u.finish=done",
        "u.claim=taken t.claim=in_progress u.finish=done t.finish=not-owner",
        "u.claim=taken u.finish=done t.claim=replay t.finish=not-owner",
    };
    for (const Start start : {Start::lease_over, Start::spent}) {
        EXPECT_EQ(
            permute({{'t', {"claim", "finish"}}, {'u', {"claim", "finish"}}}, rerun, start), expected
        );
    }
}

TEST_P(StoreRaces, CheckpointAgainstTakeover)
{
    const Table expected = {
        "o.save=done t.read=processing t.take=in_progress",
        "t.read=processing o.save=done t.take=refused",
        "t.read=processing t.take=taken o.save=refused",
    };
    EXPECT_EQ(
        permute({{'o', {"save"}}, {'t', {"read", "take"}}}, rerun, Start::lease_over), expected
    );
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreRaces, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
