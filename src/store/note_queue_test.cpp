#include "store/note_queue.hpp"

#include "base/limits.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

RecordId id_of(const std::string& key)
{
    return {*TenantId::parse("loja-7"), *Operation::parse("pedidos.criar"), *Key::parse(key)};
}

AuditNote replayed(std::int64_t epoch = 1)
{
    return {AuditEvent::replayed, {}, epoch};
}

std::vector<QueuedNote> take(NoteQueue& queue)
{
    std::vector<QueuedNote> taken;
    queue.take(taken);
    return taken;
}

TEST(NoteQueue, TheFirstThatWaitsIsTold)
{
    NoteQueue queue;

    EXPECT_FALSE(queue.is_waiting());
    EXPECT_TRUE(queue.add(id_of("a"), 1ms, replayed()));
    EXPECT_FALSE(queue.add(id_of("b"), 2ms, replayed()));
    EXPECT_TRUE(queue.is_waiting());

    std::vector<QueuedNote> taken = take(queue);
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken[0].id, id_of("a"));
    EXPECT_EQ(taken[0].detail(), "");
    EXPECT_FALSE(queue.is_waiting());
    EXPECT_TRUE(queue.add(id_of("a"), 3ms, replayed())) << "the other one has left";
}

TEST(NoteQueue, TheSameDecisionIsOneEntryThatSaysHowOften)
{
    NoteQueue queue;
    queue.add(id_of("a"), 10ms, replayed());
    queue.add(id_of("b"), 11ms, replayed());
    queue.add(id_of("a"), 30ms, replayed());
    queue.add(id_of("a"), 57ms, replayed());

    const std::vector<QueuedNote> taken = take(queue);

    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken[0].at, 10ms);
    EXPECT_EQ(taken[0].times, 3u);
    EXPECT_EQ(taken[0].detail(), "3 times in 47 ms");
    EXPECT_EQ(taken[1].times, 1u);
}

TEST(NoteQueue, ADetailIsToldWithTheNumber)
{
    NoteQueue queue;
    for (int i = 0; i < 3; ++i)
        queue.add(id_of("a"), 1ms, {AuditEvent::mismatch, "another target", 1});

    const std::vector<QueuedNote> taken = take(queue);

    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].detail(), "another target, 3 times in 0 ms");
}

TEST(NoteQueue, ADetailThatHasNoRoomForTheNumberStaysAsItIs)
{
    NoteQueue queue;
    const AuditNote full{AuditEvent::mismatch, std::string(limits::audit_detail_bytes_max, 'x'), 1};
    queue.add(id_of("a"), 1ms, full);
    queue.add(id_of("a"), 2ms, full);

    EXPECT_EQ(take(queue).size(), 2u);
}

TEST(NoteQueue, TheFirstTimeIsTheEarliestWhoeverComesFirst)
{
    NoteQueue queue;
    queue.add(id_of("a"), 105ms, replayed());
    queue.add(id_of("a"), 120ms, replayed());
    queue.add(id_of("a"), 100ms, replayed());

    const std::vector<QueuedNote> taken = take(queue);

    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].at, 100ms);
    EXPECT_EQ(taken[0].detail(), "3 times in 20 ms");
}

TEST(NoteQueue, AnotherRecordEventEpochOrDetailIsAnEntryOfItsOwn)
{
    NoteQueue queue;
    queue.add(id_of("a"), 1ms, replayed());
    queue.add(id_of("a"), 1ms, replayed(2));
    queue.add(id_of("a"), 1ms, {AuditEvent::in_progress, {}, 1});
    queue.add(id_of("a"), 1ms, {AuditEvent::replayed, "seen before", 1});
    RecordId elsewhere = id_of("a");
    elsewhere.tenant_id = *TenantId::parse("loja-8");
    queue.add(elsewhere, 1ms, replayed());

    const std::vector<QueuedNote> taken = take(queue);

    ASSERT_EQ(taken.size(), 5u);
    for (const QueuedNote& one : taken) EXPECT_EQ(one.times, 1u);
}

TEST(NoteQueue, WhatWaitsAgainComesFirst)
{
    NoteQueue queue;
    queue.add(id_of("a"), 1ms, replayed());
    std::vector<QueuedNote> taken = take(queue);
    queue.add(id_of("b"), 2ms, replayed());

    queue.wait_again(taken);
    queue.add(id_of("b"), 3ms, replayed());

    EXPECT_TRUE(taken.empty());
    const std::vector<QueuedNote> again = take(queue);
    ASSERT_EQ(again.size(), 3u);
    EXPECT_EQ(again[0].id, id_of("a"));
    EXPECT_EQ(again[1].at, 2ms);
    EXPECT_EQ(again[2].at, 3ms) << "places are forgotten, nothing else";
}

TEST(NoteQueue, ThoseThatWaitAndThoseThatWereTakenShareOneLimit)
{
    NoteQueue queue;
    for (std::size_t i = 0; i < limits::audit_notes_max; ++i) {
        queue.add(id_of(std::to_string(i)), 1ms, replayed());
    }
    queue.add(id_of("one too many"), 1ms, replayed());
    queue.add(id_of("0"), 1ms, replayed());  // takes no room
    EXPECT_EQ(queue.dropped(), 1u);

    std::vector<QueuedNote> taken = take(queue);
    queue.add(id_of("a"), 1ms, replayed());
    EXPECT_EQ(queue.dropped(), 2u);
    queue.landed(taken);
    EXPECT_TRUE(queue.add(id_of("a"), 1ms, replayed()));
    EXPECT_EQ(queue.dropped(), 2u);
}

TEST(NoteQueue, WhatIsDroppedIsCounted)
{
    NoteQueue queue;
    queue.add(id_of("a"), 1ms, replayed());
    queue.add(id_of("a"), 2ms, replayed());
    queue.add(id_of("a"), 1ms, {AuditEvent::mismatch, std::string(100'000, 'x')});
    EXPECT_EQ(queue.dropped(), 1u);

    std::vector<QueuedNote> taken = take(queue);
    queue.drop(taken);

    EXPECT_EQ(queue.dropped(), 2u);
    EXPECT_TRUE(taken.empty());
}

}  // namespace
}  // namespace umavez
