// The audit: what changed a record is there with the record; what changed nothing rides along later.

#include "conformance/store_conformance.hpp"

namespace umavez::test {
namespace {

class StoreAudit : public StoreConformance {
protected:
    static std::vector<std::string> told(const std::vector<AuditEntry>& entries)
    {
        std::vector<std::string> lines;
        for (const AuditEntry& entry : entries) {
            lines.push_back(std::string(to_text(entry.event)) + ": " + entry.detail);
        }
        return lines;
    }
};

using Lines = std::vector<std::string>;

TEST_P(StoreAudit, TimelineTellsTheStoryOfAKeyOldestFirst)
{
    StoreDriver driver = this->driver();
    const Found claimed =
        driver.insert(id_of("a"), 1, leased_policy(), AuditNote{AuditEvent::claimed, "first"});
    clock_.advance(1min);
    Draft draft = claim_draft(
        &claimed.record, request_of(), leased_policy(), {.takeover = true}, execution_of(2)
    );
    const Replaced taken = driver.replace(
        id_of("a"),
        takeover_expects(claimed.record, leased_policy()),
        draft,
        AuditNote{AuditEvent::taken_over, ""}
    );
    clock_.advance(1s);
    const Replaced executed = driver.replace(
        id_of("a"),
        settler_expects(taken.record->token),
        complete_draft(*taken.record, Status::succeeded, stored(), leased_policy()),
        AuditNote{AuditEvent::executed, "201 \xc3\xa9"}
    );

    const std::vector<AuditEntry> entries = driver.timeline(id_of("a"));

    EXPECT_EQ(told(entries), (Lines{"claimed: first", "taken_over: ", "executed: 201 \xc3\xa9"}));
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].at, claimed.now);
    EXPECT_EQ(entries[1].at, taken.now);
    EXPECT_EQ(entries[2].at, executed.now);
    EXPECT_EQ(entries[0].token, claimed.record.token);
    EXPECT_EQ(entries[1].token, taken.record->token);
    EXPECT_EQ(entries[2].token, taken.record->token);
    for (const AuditEntry& entry : entries) EXPECT_EQ(entry.id, id_of("a"));
}

TEST_P(StoreAudit, RefusedWritesLeaveNoEntry)
{
    StoreDriver driver = this->driver();
    const Found claimed =
        driver.insert(id_of("a"), 1, leased_policy(), AuditNote{AuditEvent::claimed, ""});
    driver.insert(id_of("a"), 2, leased_policy(), AuditNote{AuditEvent::claimed, "a duplicate"});
    driver.replace(
        id_of("a"),
        settler_expects({1, execution_of(9)}),
        complete_draft(claimed.record, Status::succeeded, stored(), leased_policy()),
        AuditNote{AuditEvent::executed, "a stranger"}
    );

    EXPECT_EQ(told(driver.timeline(id_of("a"))), Lines{"claimed: "});
}

TEST_P(StoreAudit, NoteRidesAlongWithTheNextWrite)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("a"), 1, leased_policy(), AuditNote{AuditEvent::claimed, ""});
    store().note(id_of("a"), {AuditEvent::in_progress, "a duplicate"});
    store().note(id_of("a"), {AuditEvent::mismatch, "another payload"});

    driver.insert(id_of("b"), 1);

    EXPECT_EQ(
        told(driver.timeline(id_of("a"))),
        (Lines{"claimed: ", "in_progress: a duplicate", "mismatch: another payload"})
    );
}

TEST_P(StoreAudit, NotesStandWhereTheyHappenedNotWhereTheyWereWritten)
{
    StoreDriver driver = this->driver();
    const Found claimed =
        driver.insert(id_of("a"), 1, leased_policy(), AuditNote{AuditEvent::claimed, ""});
    clock_.advance(1s);
    store().note(id_of("a"), {AuditEvent::in_progress, "a duplicate"});
    clock_.advance(1s);

    driver.replace(
        id_of("a"),
        settler_expects(claimed.record.token),
        complete_draft(claimed.record, Status::succeeded, stored(), leased_policy()),
        AuditNote{AuditEvent::executed, ""}
    );

    EXPECT_EQ(
        told(driver.timeline(id_of("a"))),
        (Lines{"claimed: ", "in_progress: a duplicate", "executed: "})
    );
}

TEST_P(StoreAudit, KeysHaveSeparateStories)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("a"), 1, leased_policy(), AuditNote{AuditEvent::claimed, "a"});
    driver.insert(id_of("A"), 1, leased_policy(), AuditNote{AuditEvent::claimed, "A"});

    EXPECT_EQ(told(driver.timeline(id_of("a"))), Lines{"claimed: a"});
    EXPECT_EQ(told(driver.timeline(id_of("A"))), Lines{"claimed: A"});
    EXPECT_EQ(told(driver.timeline(id_of("nobody"))), Lines{});
}

TEST_P(StoreAudit, BoundedTimelineGivesTheLatestEntries)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("a"), 1);
    for (int i = 0; i < 150; ++i) {
        store().note(id_of("a"), {AuditEvent::replayed, std::to_string(i)});
        driver.insert(id_of("b"), 1);
    }

    EXPECT_EQ(
        told(driver.timeline(id_of("a"), 3)), (Lines{"replayed: 147", "replayed: 148", "replayed: 149"})
    );
    EXPECT_GE(driver.timeline(id_of("a"), 1'000).size(), 100u) << "at least the last hundred are kept";
}

TEST_P(StoreAudit, EntriesBeyondTheirRetentionAreSweptWhereTheyOutliveTheirRecord)
{
    if (!store().traits().durable) GTEST_SKIP() << "the audit goes with the record";
    StoreDriver driver = this->driver();
    driver.insert(id_of("a"), 1, leased_policy(), AuditNote{AuditEvent::claimed, "old"});
    clock_.advance(24h * 90 + 1us);
    driver.insert(id_of("b"), 1, leased_policy(), AuditNote{AuditEvent::claimed, "young"});

    const Swept swept = must(wait(store().sweep(100, 24h * 90)));

    EXPECT_EQ(swept.audit_entries, 1u);
    EXPECT_EQ(told(driver.timeline(id_of("a"))), Lines{});
    EXPECT_EQ(told(driver.timeline(id_of("b"))), Lines{"claimed: young"});
}

// The audit alone may be what a sweep has to go on for.
TEST_P(StoreAudit, ASweepTellsThatMoreEntriesWait)
{
    if (!store().traits().durable) GTEST_SKIP() << "the audit goes with the record";
    StoreDriver driver = this->driver();
    for (int i = 0; i < 5; ++i) {
        driver.insert(
            id_of("k" + std::to_string(i)), 1, leased_policy(), AuditNote{AuditEvent::claimed, ""}
        );
    }
    clock_.advance(24h * 90 + 1us);

    const Swept first = must(wait(store().sweep(3, 24h * 90)));
    const Swept second = must(wait(store().sweep(3, 24h * 90)));

    EXPECT_EQ(first.audit_entries, 3u);
    EXPECT_TRUE(first.has_more);
    EXPECT_EQ(second.audit_entries, 2u);
    EXPECT_FALSE(second.has_more);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreAudit, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
