// Completions: exactly one is accepted, and it comes back byte for byte.

#include "conformance/store_conformance.hpp"

namespace umavez::test {
namespace {

class StoreCompletions : public StoreConformance {};

TEST_P(StoreCompletions, FinishIsKeptAndFound)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(5s);

    const Replaced finished = driver.finish(id_of("a"), owned);

    ASSERT_TRUE(finished.done);
    Record expected = to_record(
        complete_draft(owned, Status::succeeded, stored(), leased_policy()), &owned, finished.now
    );
    EXPECT_EQ(without_response(finished.record), without_response(expected));
    EXPECT_EQ(driver.find(id_of("a")), expected);
    EXPECT_EQ(driver.insert(id_of("a"), 2).record, expected);
    EXPECT_EQ(expected.expires_at, finished.now + 24h);
}

TEST_P(StoreCompletions, FinishAfterTakeoverIsRefused)
{
    StoreDriver driver = this->driver();
    const Record former = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);
    const Replaced taken = driver.take(id_of("a"), former, 2);

    const Replaced late = driver.finish(id_of("a"), former);

    EXPECT_FALSE(late.done);
    EXPECT_EQ(late.record, taken.record);
    EXPECT_EQ(driver.find(id_of("a")), taken.record);
}

TEST_P(StoreCompletions, FinishAfterTheTakersFinishLeavesItsAnswerIntact)
{
    StoreDriver driver = this->driver();
    const Record former = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);
    const Replaced taken = driver.take(id_of("a"), former, 2);
    ASSERT_TRUE(driver.finish(id_of("a"), *taken.record, stored(201, "the taker's")).done);

    const Replaced late = driver.finish(id_of("a"), former, stored(201, "too late"));

    EXPECT_FALSE(late.done);
    EXPECT_EQ(late.record->response, stored(201, "the taker's"));
    EXPECT_EQ(driver.find(id_of("a"))->response, stored(201, "the taker's"));
}

TEST_P(StoreCompletions, FinishOnAnExpiredButUntakenLeaseIsAccepted)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(24h);

    EXPECT_TRUE(driver.finish(id_of("a"), owned).done);
}

TEST_P(StoreCompletions, RepeatedCompletionIsRefusedAndRecognised)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    ASSERT_TRUE(driver.finish(id_of("a"), owned).done);
    const std::optional<Record> before = driver.find(id_of("a"));
    clock_.advance(1s);

    const Replaced same = driver.finish(id_of("a"), owned);
    const Replaced other = driver.finish(id_of("a"), owned, stored(201, "other"));

    const auto draft = [&](const char* body) {
        return complete_draft(owned, Status::succeeded, stored(201, body), leased_policy());
    };
    EXPECT_FALSE(same.done);
    EXPECT_TRUE(is_same_completion(*same.record, owned.token, draft("pedido 1")));
    EXPECT_FALSE(other.done);
    EXPECT_FALSE(is_same_completion(*other.record, owned.token, draft("other")));
    EXPECT_EQ(driver.find(id_of("a")), before);
}

TEST_P(StoreCompletions, LateOwnerSettlesWhatABystanderHeld)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);
    const Replaced held = driver.hold(id_of("a"), owned);
    ASSERT_TRUE(held.done);
    EXPECT_EQ(held.record->token, owned.token);

    EXPECT_TRUE(driver.finish(id_of("a"), owned).done);
    EXPECT_EQ(driver.find(id_of("a"))->status, Status::succeeded);
}

TEST_P(StoreCompletions, HeldRecordAcceptsNoOtherWriteOfItsOwner)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);
    const Replaced held = driver.hold(id_of("a"), owned);

    EXPECT_FALSE(driver.release(id_of("a"), owned).done);
    EXPECT_FALSE(driver.doubt(id_of("a"), owned, 1s).done);
    EXPECT_EQ(driver.find(id_of("a")), held.record);
}

TEST_P(StoreCompletions, HoldAgainstAHeartbeatLoses)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);
    ASSERT_TRUE(driver.heartbeat(id_of("a"), owned.token).done);

    EXPECT_FALSE(driver.hold(id_of("a"), owned).done);
    EXPECT_EQ(driver.find(id_of("a"))->status, Status::processing);
}

TEST_P(StoreCompletions, ReleasedKeyIsClaimedInTheSameLifetime)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    const Replaced released = driver.release(id_of("a"), owned);
    ASSERT_TRUE(released.done);
    clock_.advance(1s);

    const Replaced claimed = driver.take(id_of("a"), *released.record, 2);

    ASSERT_TRUE(claimed.done);
    EXPECT_EQ(claimed.record->attempts, 2u);
    EXPECT_EQ(claimed.record->created_at, owned.created_at);
    EXPECT_FALSE(driver.finish(id_of("a"), owned).done) << "the former owner is fenced";
}

TEST_P(StoreCompletions, OperatorsFenceLateOwners)
{
    StoreDriver driver = this->driver();
    for (const bool resolves : {false, true}) {
        const RecordId id = id_of(resolves ? "resolved" : "released");
        const Record owned = driver.insert(id, 1).record;
        clock_.advance(1min);
        const Draft draft = resolves ? operator_resolve_draft(
                                           owned, Status::failed, stored(410), execution_of(9), 24h
                                       )
                                     : operator_release_draft(owned, execution_of(9), 24h);

        const Replaced written = driver.replace(id, takeover_expects(owned, leased_policy()), draft);

        ASSERT_TRUE(written.done);
        EXPECT_GT(written.record->token.epoch, owned.token.epoch);
        EXPECT_FALSE(driver.finish(id, owned).done);
        EXPECT_FALSE(driver.heartbeat(id, owned.token).done);
        EXPECT_EQ(driver.find(id)->status, Status::failed);
        EXPECT_EQ(driver.find(id)->final, resolves);
    }
}

TEST_P(StoreCompletions, BystanderLosesToAnyChangeOfTokenOrStatus)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    const Replaced doubted = driver.doubt(id_of("a"), owned, 15s);
    ASSERT_TRUE(driver.finish(id_of("a"), owned).done);

    EXPECT_FALSE(driver.take(id_of("a"), *doubted.record, 2).done) << "it was in doubt when read";
    EXPECT_FALSE(driver.take(id_of("a"), owned, 2).done) << "it was processing when read";
}

TEST_P(StoreCompletions, ReplayReturnsTheResponseByteForByte)
{
    StoreDriver driver = this->driver();
    std::string every_byte;
    for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
    const std::vector<Response> responses = {
        {.status = 200, .headers = {}, .body = "", .entity = {}},
        {.status = 201, .headers = {}, .body = every_byte, .entity = {}},
        {.status = 201, .headers = {}, .body = std::string("a\0b\0", 4), .entity = {}},
        {.status = 202, .headers = {}, .body = "\xff\xfe not UTF-8 \xc0\xaf", .entity = {}},
        {.status = 200, .headers = {}, .body = std::string(1'000'000, '\0') + "end", .entity = {}},
        {.status = 204,
         .headers =
             {{"Link", "<a>; rel=next, <b>; rel=prev"},
              {"Link", "<c>"},
              {"link", ""},
              {"X-Empty", ""},
              {"ETag", "\"a,b\""},
              {"X-Bytes", std::string("\xff\0 ,;=\r", 7)}},
         .body = "x",
         .entity = {}},
        {.status = 201, .headers = {}, .body = "{}", .entity = Entity{"pedido", "1'; --"}},
        {.status = 201, .headers = {}, .body = "{}", .entity = Entity{"", ""}},
    };
    for (std::size_t i = 0; i < responses.size(); ++i) {
        SCOPED_TRACE(i);
        const RecordId id = id_of("response-" + std::to_string(i));
        const StoredResponse kept = to_stored(responses[i], 2'000'000);
        const Record owned = driver.insert(id, 1).record;

        ASSERT_TRUE(driver.finish(id, owned, kept).done);

        EXPECT_TRUE(driver.find(id)->response == kept);
        EXPECT_TRUE(driver.insert(id, 2).record.response == kept);
        EXPECT_TRUE(is_intact(*driver.find(id)->response));
    }
}

TEST_P(StoreCompletions, OmittedResponseKeepsItsStatusAndDigest)
{
    StoreDriver driver = this->driver();
    const StoredResponse omitted = to_stored(
        {.status = 201, .headers = {}, .body = std::string(100, 'b'), .entity = Entity{"pedido", "1"}},
        10
    );
    ASSERT_TRUE(omitted.omitted);
    const Record owned = driver.insert(id_of("a"), 1).record;
    ASSERT_TRUE(driver.finish(id_of("a"), owned, omitted).done);

    EXPECT_EQ(driver.find(id_of("a"))->response, omitted);
}

TEST_P(StoreCompletions, EveryFieldOfARecordComesBack)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    Draft draft{
        .target = target_of(0xff),
        .fingerprint = fingerprint_of(0),
        .status = Status::in_doubt,
        .mode = Mode::reconcile,
        .raise_epoch = true,
        .execution = execution_of(0xfe),
        .attempts = 4'000'000'000,
        .takeovers = 3'000'000'000,
        .retry_in = 1us,
        .response = stored(599, std::string("\0", 1)),
        .checkpoint = std::string(64 * 1024, '\xff'),
        .created_at = from_micros(1),
        .lease = 24h * 36'500,
        .expires_in = 0us,
    };
    const Record expected = to_record(draft, &owned, owned.updated_at);

    ASSERT_TRUE(driver.replace(id_of("a"), owner_expects(owned.token), draft).done);

    EXPECT_EQ(driver.find(id_of("a")), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreCompletions, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
