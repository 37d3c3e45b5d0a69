// Values as the scripts compose them, read back; and every way in which they can be damaged.

#include "store/redis/record_bytes.hpp"

#include "core/test_records.hpp"
#include "store/redis/byte_reader.hpp"

#include <gtest/gtest.h>

namespace umavez::test {
namespace {

const Instant now = from_micros(1'700'000'000'000'000);

Draft full_draft()
{
    return {
        .target = target_of(1),
        .fingerprint = fingerprint_of(2),
        .status = Status::failed,
        .final = true,
        .mode = Mode::reconcile,
        .raise_epoch = true,
        .execution = execution_of(7),
        .attempts = 4'000'000'000,
        .takeovers = 3,
        .retry_in = 5s,
        .response = stored(409, std::string("a\0b", 3)),
        .checkpoint = std::string("\xff\0", 2),
        .created_at = from_micros(17),
        .lease = 30s,
        .expires_in = 24h,
    };
}

// As insert.lua does it.
std::string value_of(const RecordId& id, const Draft& draft)
{
    const auto at = [](const std::optional<Duration>& in) { return in ? to_micros(now + *in) : 0; };
    ByteWriter head;
    head.number('A');
    head.number(static_cast<char>('0' + static_cast<int>(draft.status)));
    head.number(to_micros(now));
    head.number<std::int64_t>(at(draft.lease));
    head.number<std::int64_t>(at(draft.expires_in));
    head.number<std::int64_t>(0);
    head.number(to_micros(now));
    return std::move(head).take() + encode_tail(id, draft);
}

TEST(RedisRecordBytes, EveryFieldComesBack)
{
    for (const bool is_full : {true, false}) {
        const Draft draft = is_full ? full_draft() : Draft{.raise_epoch = true};
        const auto read = decode_record(value_of(id_of("a/b c"), draft));

        ASSERT_TRUE(read) << read.error().detail;
        EXPECT_EQ(read->id, id_of("a/b c"));
        EXPECT_EQ(read->record, to_record(draft, nullptr, now));
    }
}

TEST(RedisRecordBytes, ABriefHasAllButCheckpointAndResponse)
{
    const std::string value = value_of(
        id_of(std::string(255, 'k'), std::string(100, 'o'), std::string(64, 't')), full_draft()
    );
    Record expected = to_record(full_draft(), nullptr, now);
    expected.checkpoint.clear();
    expected.response.reset();

    const auto read = decode_brief(std::string_view{value}.substr(0, 640));

    ASSERT_TRUE(read) << read.error().detail;
    EXPECT_EQ(read->record, expected);
    EXPECT_EQ(read->id.key.text().size(), 255u);
}

TEST(RedisRecordBytes, WhatIsCutShortIsCorruptAndNeverAGuess)
{
    const std::string value = value_of(id_of("a"), full_draft());
    for (std::size_t size = 0; size < value.size(); ++size) {
        const auto read = decode_record(std::string_view{value}.substr(0, size));

        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, Errc::corrupt_record);
    }
}

TEST(RedisRecordBytes, AChangedByteIsReadOrRefusedButNothingElse)
{
    const std::string value = value_of(id_of("a"), full_draft());
    for (std::size_t at = 0; at < value.size(); ++at) {
        for (const int byte : {0x00, 0x7f, 0x80, 0xff}) {
            std::string changed = value;
            changed[at] = static_cast<char>(byte);
            const auto read = decode_record(changed);
            EXPECT_TRUE(read || read.error().code == Errc::corrupt_record) << at;
            EXPECT_TRUE(decode_story(id_of("a"), changed, 10) || true);
        }
    }
}

TEST(RedisRecordBytes, StoryGivesTheLastEntriesOldestFirst)
{
    std::string value = value_of(id_of("a"), full_draft());
    for (int i = 0; i < 5; ++i) {
        const std::string note = encode_note({AuditEvent::replayed, std::to_string(i)});
        ByteWriter entry;
        entry.number(static_cast<std::uint16_t>(32 + note.size()));
        entry.number(to_micros(now) + i);
        entry.number<std::int64_t>(i);
        entry.bytes(execution_of(3));
        value += std::move(entry).take() + note;
    }

    const auto story = decode_story(id_of("a"), value, 2);

    ASSERT_TRUE(story) << story.error().detail;
    ASSERT_EQ(story->size(), 2u);
    EXPECT_EQ((*story)[0].detail, "3");
    EXPECT_EQ((*story)[1].detail, "4");
    EXPECT_EQ((*story)[1].at, now + 4us);
    EXPECT_EQ((*story)[1].token, (FencingToken{4, execution_of(3)}));
    EXPECT_FALSE(decode_story(id_of("a"), value.substr(0, value.size() - 1), 2));
}

TEST(RedisRecordBytes, AClaimIsQueuedForTheEarliestMomentItsCompletionCanBeSpent)
{
    EXPECT_EQ(queue_in(Status::processing, Mode::run, 30s, 24h + 30s), 24h);
    EXPECT_EQ(queue_in(Status::succeeded, Mode::run, std::nullopt, 24h), 24h);
    EXPECT_EQ(queue_in(Status::processing, Mode::run, 30s, std::nullopt), std::nullopt);
    EXPECT_EQ(queue_in(Status::processing, Mode::reconcile, 30s, 24h), std::nullopt);
    EXPECT_EQ(queue_in(Status::in_doubt, Mode::run, std::nullopt, 24h), std::nullopt);
    EXPECT_EQ(queue_in(Status::processing, Mode::run, 1h, 1min), 0s);
}

}  // namespace
}  // namespace umavez::test
