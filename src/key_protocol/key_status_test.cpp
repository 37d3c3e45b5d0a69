#include "key_protocol/key_status.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

using namespace std::chrono_literals;

const RecordId id{
    *TenantId::parse("acme"), *Operation::parse("pagamentos.criar"), *Key::parse("k \"1\"")
};
const Instant noon = from_micros(1'769'860'800'000'000);

TEST(KeyStatus, OfAFinalRecord)
{
    Record record;
    record.status = Status::succeeded;
    record.attempts = 2;
    record.created_at = record.updated_at = noon;
    record.completed_at = noon;
    record.expires_at = noon + 24h;
    record.response = StoredResponse{.response = {201, {{"Location", "/a/1"}}, "secret", {}}};

    EXPECT_EQ(
        to_key_status(id, record, noon),
        R"({"operation":"pagamentos.criar","key":"k \"1\"","status":"succeeded","attempts":2,)"
        R"("created_at":"2026-01-31T12:00:00.000000Z","updated_at":"2026-01-31T12:00:00.000000Z",)"
        R"("completed_at":"2026-01-31T12:00:00.000000Z","expires_at":"2026-02-01T12:00:00.000000Z",)"
        R"("stored_status":201,"location":"/a/1"})"
        "\n"
    );
}

TEST(KeyStatus, OfOneThatRunsAndOneThatWasReleased)
{
    Record record;
    record.created_at = record.updated_at = noon;
    record.processing_expires_at = noon + 1500ms;
    EXPECT_NE(
        to_key_status(id, record, noon).find(R"("lease_remaining_ms":1500)"), std::string::npos
    );

    record.processing_expires_at.reset();
    record.status = Status::failed;
    record.response = StoredResponse{.response = {503, {}, "", {}}};
    const std::string released = to_key_status(id, record, noon);
    EXPECT_NE(released.find(R"("status":"released")"), std::string::npos);
    EXPECT_EQ(released.find("stored_status"), std::string::npos);
}

}  // namespace
}  // namespace umavez::key_protocol
