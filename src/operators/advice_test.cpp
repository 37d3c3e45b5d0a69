#include "operators/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::operators {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Instant now = from_micros(1'700'000'000'000'000);

Record record_with(Status status)
{
    Record record;
    record.status = status;
    return record;
}

TEST(Advice, NoRecordMeansTheNextRequestRuns)
{
    EXPECT_EQ(advise(nullptr, now).state, "unknown");
}

TEST(Advice, ALiveLeaseIsRunningAndOneThatIsOverIsAbandoned)
{
    Record record = record_with(Status::processing);
    record.processing_expires_at = now + 1us;
    EXPECT_EQ(advise(&record, now).state, "running");

    record.processing_expires_at = now;
    EXPECT_EQ(advise(&record, now).state, "abandoned");
}

TEST(Advice, ADoubtTellsWhoDecides)
{
    Record record = record_with(Status::in_doubt);
    EXPECT_TRUE(advise(&record, now).next.starts_with("An operator decides"));

    record.retry_at = now + 1s;
    EXPECT_TRUE(advise(&record, now).next.starts_with("The operation's reconciler"));
}

TEST(Advice, AFailureThatIsKeptDiffersFromOneThatFreedTheKey)
{
    Record record = record_with(Status::failed);
    EXPECT_EQ(advise(&record, now).state, "free");

    record.final = true;
    EXPECT_EQ(advise(&record, now).state, "failed");
    EXPECT_EQ(advise(nullptr, now).next, "Nothing. The next request with this key runs.");
}

Record completed(Status status, std::optional<StoredResponse> response)
{
    Record record = record_with(status);
    record.final = status == Status::failed;
    record.response = std::move(response);
    record.expires_at = now + 1s;
    return record;
}

TEST(Advice, RetriesGetTheAnswerOnlyWhereItWasKept)
{
    const StoredResponse kept{.response = {.status = 201}};
    const StoredResponse too_large{.response = {.status = 201}, .omitted = true};
    for (const Status status : {Status::succeeded, Status::failed}) {
        SCOPED_TRACE(to_text(status));
        const Record answered = completed(status, kept);
        const Record cut = completed(status, too_large);
        const Record resolved = completed(status, std::nullopt);

        EXPECT_THAT(advise(&answered, now).meaning, HasSubstr("etries get"));
        EXPECT_THAT(advise(&answered, now).meaning, Not(HasSubstr("409")));
        EXPECT_THAT(advise(&cut, now).meaning, HasSubstr("too large to keep"));
        EXPECT_THAT(advise(&cut, now).meaning, HasSubstr("409 idempotency-response-not-kept"));
        EXPECT_THAT(advise(&resolved, now).meaning, HasSubstr("without an answer"));
        EXPECT_THAT(advise(&resolved, now).meaning, HasSubstr("409 idempotency-response-not-kept"));
    }
}

TEST(Advice, ARecordBeyondItsRetentionAnswersNobody)
{
    Record record = completed(Status::succeeded, StoredResponse{.response = {.status = 201}});
    record.expires_at = now;

    EXPECT_EQ(advise(&record, now).state, "expired");
    EXPECT_EQ(advise(&record, now).next, "Nothing. The next request with this key runs.");
}

}  // namespace
}  // namespace umavez::operators
