#include "operators/advice.hpp"

#include <gtest/gtest.h>

namespace umavez::operators {
namespace {

using namespace std::chrono_literals;

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

}  // namespace
}  // namespace umavez::operators
