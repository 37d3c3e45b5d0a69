// Every field of a record's document, for every state that a key can be in.

#include "operators/documents.hpp"

#include <gtest/gtest.h>

#include <map>

namespace umavez::operators {
namespace {

using namespace std::chrono_literals;

const Instant now = from_micros(1'700'000'000'000'000);
const Instant later = now + 1s;
constexpr const char* now_text = "\"2023-11-14T22:13:20.000000Z\"";
constexpr const char* later_text = "\"2023-11-14T22:13:21.000000Z\"";

RecordId id_of_test()
{
    return {*TenantId::parse("acme"), *Operation::parse("cobrar"), *Key::parse("k/1")};
}

Record base_record(Status status)
{
    Record record;
    record.status = status;
    record.token.epoch = 7;
    record.attempts = 2;
    record.created_at = now;
    record.updated_at = now;
    return record;
}

Record running(Instant lease_until)
{
    Record record = base_record(Status::processing);
    record.processing_expires_at = lease_until;
    return record;
}

Record doubted()
{
    Record record = base_record(Status::in_doubt);
    record.retry_at = later;
    record.mode = Mode::reconcile;
    return record;
}

Record done(Status status, bool final, Instant expires_at = later)
{
    Record record = base_record(status);
    record.final = final;
    record.completed_at = now;
    record.expires_at = expires_at;
    return record;
}

Record with_answer(Record record, bool omitted)
{
    record.response = StoredResponse{.response = {.status = 201}, .omitted = omitted};
    if (!omitted) record.response->response.body = "{}";
    return record;
}

// What differs from one state to the other; the rest is the same in all of them.
struct Expected {
    const char* status;
    const char* state;
    const char* final;
    const char* completed_at = "null";
    const char* lease_until = "null";
    const char* retry_at = "null";
    const char* expires_at = "null";
    const char* mode = "run";
    const char* response = "null";
};

std::string json_of(const Expected& expected)
{
    const auto member = [](const std::string& name, const std::string& json) {
        return ",\"" + name + "\":" + json;
    };
    const auto text = [](const std::string& value) { return "\"" + value + "\""; };
    return R"({"tenant":"acme","operation":"cobrar","key":"k/1")" +
           member("status", text(expected.status)) + member("state", text(expected.state)) +
           member("attempts", "2") + member("created_at", now_text) +
           member("updated_at", now_text) + member("completed_at", expected.completed_at) +
           member("lease_until", expected.lease_until) + member("retry_at", expected.retry_at) +
           member("expires_at", expected.expires_at) + member("final", expected.final) +
           member("mode", text(expected.mode)) + member("epoch", "7") + member("takeovers", "0") +
           member("response", expected.response) + "}";
}

TEST(Documents, EveryFieldOfARecordIsTrueInEveryState)
{
    constexpr const char* kept = R"({"status":201,"bytes":2,"omitted":false})";
    constexpr const char* omitted = R"({"status":201,"bytes":0,"omitted":true})";
    const std::vector<std::pair<Record, Expected>> table{
        {running(later),
         {.status = "processing", .state = "running", .final = "false", .lease_until = later_text}},
        {running(now),
         {.status = "processing", .state = "abandoned", .final = "false", .lease_until = now_text}},
        {doubted(),
         {.status = "in_doubt",
          .state = "in doubt",
          .final = "false",
          .retry_at = later_text,
          .mode = "reconcile"}},
        {with_answer(done(Status::succeeded, false), false),
         {.status = "succeeded",
          .state = "succeeded",
          .final = "true",
          .completed_at = now_text,
          .expires_at = later_text,
          .response = kept}},
        {with_answer(done(Status::succeeded, false), true),
         {.status = "succeeded",
          .state = "succeeded",
          .final = "true",
          .completed_at = now_text,
          .expires_at = later_text,
          .response = omitted}},
        {with_answer(done(Status::failed, true), false),
         {.status = "failed",
          .state = "failed",
          .final = "true",
          .completed_at = now_text,
          .expires_at = later_text,
          .response = kept}},
        {done(Status::failed, false),
         {.status = "failed",
          .state = "free",
          .final = "false",
          .completed_at = now_text,
          .expires_at = later_text}},
        {done(Status::succeeded, false, now),
         {.status = "succeeded",
          .state = "expired",
          .final = "true",
          .completed_at = now_text,
          .expires_at = now_text}},
    };
    for (const auto& [record, expected] : table) {
        EXPECT_EQ(to_json(id_of_test(), record, now), json_of(expected));
    }
}

}  // namespace
}  // namespace umavez::operators
