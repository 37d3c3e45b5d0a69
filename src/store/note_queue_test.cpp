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

TEST(NoteQueue, TheFirstThatWaitsIsTold)
{
    NoteQueue queue;

    EXPECT_FALSE(queue.is_waiting());
    EXPECT_TRUE(queue.add(id_of("a"), 1ms, replayed()));
    EXPECT_FALSE(queue.add(id_of("b"), 2ms, replayed()));
    EXPECT_TRUE(queue.is_waiting());

    auto taken = queue.take();
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

    const auto taken = queue.take();

    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken[0].at, 10ms);
    EXPECT_EQ(taken[0].times, 3u);
    EXPECT_EQ(taken[0].detail(), "3 times in 47 ms");
    EXPECT_EQ(taken[1].times, 1u);
}

TEST(NoteQueue, AnotherRecordEventEpochOrDetailIsAnEntryOfItsOwn)
{
    NoteQueue queue;
    queue.add(id_of("a"), 1ms, replayed());
    queue.add(id_of("a"), 1ms, replayed(2));
    queue.add(id_of("a"), 1ms, {AuditEvent::in_progress, {}, 1});
    queue.add(id_of("a"), 1ms, {AuditEvent::replayed, "seen before", 1});
    queue.add(id_of("a"), 1ms, {AuditEvent::replayed, "seen before", 1});
    RecordId elsewhere = id_of("a");
    elsewhere.tenant_id = *TenantId::parse("loja-8");  // the same hash
    queue.add(elsewhere, 1ms, replayed());
    queue.add(elsewhere, 1ms, replayed());

    const auto taken = queue.take();

    ASSERT_EQ(taken.size(), 7u);
    for (const QueuedNote& one : taken) EXPECT_EQ(one.times, 1u);
}

TEST(NoteQueue, WhatWaitsAgainComesFirst)
{
    NoteQueue queue;
    queue.add(id_of("a"), 1ms, replayed());
    auto taken = queue.take();
    queue.add(id_of("b"), 2ms, replayed());

    queue.wait_again(taken);
    queue.add(id_of("b"), 3ms, replayed());

    EXPECT_TRUE(taken.empty());
    const auto again = queue.take();
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

    auto taken = queue.take();
    queue.add(id_of("a"), 1ms, replayed());
    EXPECT_EQ(queue.dropped(), 2u);
    queue.landed(taken);
    EXPECT_TRUE(queue.add(id_of("a"), 1ms, replayed()));
    EXPECT_EQ(queue.dropped(), 2u);
}

TEST(NoteQueue, EveryDecisionThatIsDroppedCounts)
{
    NoteQueue queue;
    queue.add(id_of("a"), 1ms, replayed());
    queue.add(id_of("a"), 2ms, replayed());
    queue.add(id_of("a"), 1ms, {AuditEvent::mismatch, std::string(100'000, 'x')});
    EXPECT_EQ(queue.dropped(), 1u);

    auto taken = queue.take();
    queue.drop(taken);

    EXPECT_EQ(queue.dropped(), 3u);
    EXPECT_TRUE(taken.empty());
}

}  // namespace
}  // namespace umavez
