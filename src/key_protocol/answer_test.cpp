// Each row of the table of answers, word by word (golden/), and the rules that take more than one
// value.

#include "key_protocol/answer.hpp"

#include "key_protocol/golden_test.hpp"
#include "key_protocol/problems.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

using namespace std::chrono_literals;

// 2026-11-15 12:00:00 UTC
constexpr Instant expiry = from_micros(1'794'744'000'000'000);

class Answer : public testing::Test {
protected:
    AnswerFacts facts() const
    {
        return {
            .policy = policy_,
            .place = {catalogue_, language_, "/api/v1/pagamentos", "r-1"},
            .wait = {},
            .passing = {},
        };
    }
    http::ProblemCatalogue catalogue_ = standard_problems();
    Policy policy_{};
    http::Language language_ = http::Language::english;
};

Response created()
{
    return {
        .status = 201,
        .headers = {{"Content-Type", "application/json"}, {"Location", "/api/v1/pagamentos/7"}},
        .body = R"({"id":7})",
        .entity = Entity{"pagamento", "7"},
    };
}

std::optional<std::string> header_of(const http::Response& answer, std::string_view name)
{
    const auto found = http::find_header(answer.headers, name);
    if (!found) return std::nullopt;
    return std::string{*found};
}

TEST_F(Answer, FirstExecution)
{
    AnswerFacts facts = this->facts();
    facts.passing = {{"Set-Cookie", "a=1"}};

    expect_golden("executed.txt", to_answer(Executed{created(), true, false, expiry}, facts));
}

TEST_F(Answer, ReplayOfTheStoredAnswer)
{
    expect_golden(
        "replayed-stored.txt",
        to_answer(Replayed{created(), Status::succeeded, false, expiry}, facts())
    );
}

TEST_F(Answer, ReplayOfTheEntityAsItIsNow)
{
    policy_.replay = Replaying::current;

    expect_golden("replayed-current.txt", to_answer(Replayed{created()}, facts()));
}

TEST_F(Answer, AnEntityThatWasDeletedIsGoneAndItsRecordIsTold)
{
    policy_.replay = Replaying::current;
    Response gone{.status = 410};
    gone.body = R"({"operation":"pagamentos.criar"})";

    const http::Response answer = to_answer(Replayed{gone, Status::succeeded, false}, facts());

    EXPECT_EQ(answer.status, 410);
    EXPECT_NE(answer.body.find("/problems/entity-deleted"), std::string::npos);
    EXPECT_NE(answer.body.find(R"("record":{"operation":"pagamentos.criar"})"), std::string::npos);
}

TEST_F(Answer, ReplaysFilterWhatAnotherDoorStored)
{
    Response stored = created();
    stored.headers.push_back({"Set-Cookie", "a=1"});
    stored.headers.push_back({"Link", "</a>\r\nX: 1"});
    AnswerFacts facts = this->facts();
    facts.passing = {{"X-First-Caller", "only"}};

    const http::Response answer = to_answer(Replayed{stored}, facts);

    EXPECT_EQ(header_of(answer, "Set-Cookie"), std::nullopt);
    EXPECT_EQ(header_of(answer, "Link"), std::nullopt);
    EXPECT_EQ(header_of(answer, "X-First-Caller"), std::nullopt);
}

TEST_F(Answer, AReplayKeepsStatusAndBytes)
{
    const std::string bytes{"\0\xff\r\n", 4};
    for (const int status : {200, 202, 204, 303, 400, 404, 406, 422}) {
        const Response stored{.status = status, .headers = {}, .body = bytes, .entity = {}};

        const http::Response answer = to_answer(Replayed{stored, Status::failed, false}, facts());

        EXPECT_EQ(answer.status, status);
        EXPECT_EQ(answer.body, bytes);
        EXPECT_EQ(header_of(answer, "Idempotent-Replayed"), "true");
    }
}

TEST_F(Answer, InProgress)
{
    policy_.guarantee = Guarantee::leased;

    expect_golden("in-progress.txt", to_answer(InProgress{12'345ms}, facts()));
}

TEST_F(Answer, RetryAfterIsTheRemainingLeaseBetweenOneAndFiveSeconds)
{
    EXPECT_EQ(retry_after_seconds(-1s), 1);
    EXPECT_EQ(retry_after_seconds(0s), 1);
    EXPECT_EQ(retry_after_seconds(1us), 1);
    EXPECT_EQ(retry_after_seconds(1s), 1);
    EXPECT_EQ(retry_after_seconds(1001ms), 2);
    EXPECT_EQ(retry_after_seconds(4s), 4);
    EXPECT_EQ(retry_after_seconds(5s), 5);
    EXPECT_EQ(retry_after_seconds(1h), 5);
    EXPECT_EQ(retry_after_seconds(Duration::max()), 5);
    EXPECT_EQ(retry_after_seconds(Duration::min()), 1);
}

TEST_F(Answer, ALeaseThatJustEndedHasNothingLeft)
{
    const http::Response answer = to_answer(InProgress{-3s}, facts());

    EXPECT_NE(answer.body.find(R"("lease_remaining_ms":0)"), std::string::npos);
    EXPECT_EQ(header_of(answer, "Retry-After"), "1");
}

TEST_F(Answer, MismatchOfThePayload)
{
    expect_golden("mismatch-payload.txt", to_answer(Mismatch{}, facts()));
}

TEST_F(Answer, MismatchOfTheTargetUnderTheDraftsStatusInPortuguese)
{
    language_ = http::Language::portuguese;
    AnswerFacts facts = this->facts();
    facts.mismatch_status = 422;

    expect_golden("mismatch-target-422-pt.txt", to_answer(Mismatch{.target = true}, facts));
}

TEST_F(Answer, InDoubtWithAReconciler)
{
    policy_.guarantee = Guarantee::leased;

    expect_golden("in-doubt-reconciler.txt", to_answer(InDoubt{90'500ms}, facts()));
}

TEST_F(Answer, InDoubtForAnOperator)
{
    policy_.guarantee = Guarantee::leased;

    expect_golden("in-doubt-operator.txt", to_answer(InDoubt{}, facts()));
}

TEST_F(Answer, ResponseNotKept)
{
    const Replayed omitted{
        {.status = 201, .headers = {}, .body = {}, .entity = {}}, Status::succeeded, true, expiry
    };

    expect_golden("response-not-kept.txt", to_answer(omitted, facts()));
}

TEST_F(Answer, ARecordResolvedAsFailedWithoutAnAnswerHasNoStatus)
{
    const http::Response answer = to_answer(Replayed{{}, Status::failed, true}, facts());

    EXPECT_NE(answer.body.find(R"("outcome":"failed")"), std::string::npos);
    EXPECT_EQ(answer.body.find("stored_status"), std::string::npos);
}

TEST_F(Answer, StoreUnavailableWithoutEffect)
{
    expect_golden(
        "store-unavailable-none.txt", to_answer(Unavailable{Effect::none, "disk on fire"}, facts())
    );
}

TEST_F(Answer, StoreUnavailableWithUnknownEffect)
{
    expect_golden(
        "store-unavailable-unknown.txt",
        to_answer(Unavailable{Effect::unknown, "disk on fire"}, facts())
    );
}

TEST_F(Answer, AnUnknownEffectWithoutAKeyIsNotRetriedBlindly)
{
    AnswerFacts facts = this->facts();
    facts.has_key = false;

    const http::Response answer = to_answer(Unavailable{Effect::unknown, ""}, facts);

    EXPECT_NE(answer.body.find("without a key a retry may repeat it"), std::string::npos);
    EXPECT_EQ(header_of(answer, "Idempotency-Guarantee"), "none");
}

TEST_F(Answer, UnkeyedSaysThatNothingWasGuaranteed)
{
    AnswerFacts facts = this->facts();
    facts.has_key = false;
    facts.wait = Wait{5s};

    expect_golden("unkeyed.txt", to_answer(Unkeyed{created()}, facts));
}

TEST_F(Answer, RunsWithoutARecordSaySo)
{
    policy_.guarantee = Guarantee::leased;

    const http::Response answer = to_answer(Executed{created(), true, true, expiry}, facts());

    EXPECT_EQ(header_of(answer, "Idempotency-Guarantee"), "none");
    EXPECT_EQ(header_of(answer, "Idempotency-Key-Expires"), std::nullopt);
}

TEST_F(Answer, AReleasedKeyHasNoExpiry)
{
    const http::Response answer = to_answer(Executed{created(), false, false, expiry}, facts());

    EXPECT_EQ(header_of(answer, "Idempotency-Guarantee"), "atomic");
    EXPECT_EQ(header_of(answer, "Idempotency-Key-Expires"), std::nullopt);
}

TEST_F(Answer, EveryGuaranteeHasItsWord)
{
    for (const auto& [guarantee, word] :
         {std::pair{Guarantee::atomic, "atomic"},
          {Guarantee::leased, "leased"},
          {Guarantee::cached, "cached"}}) {
        policy_.guarantee = guarantee;
        EXPECT_EQ(
            header_of(to_answer(Executed{created()}, facts()), "Idempotency-Guarantee"), word
        );
        EXPECT_EQ(header_of(to_answer(InProgress{1s}, facts()), "Idempotency-Guarantee"), word);
    }
}

TEST_F(Answer, TheWaitThatWasAppliedIsNamed)
{
    AnswerFacts facts = this->facts();
    facts.wait = Wait{5s};

    EXPECT_EQ(header_of(to_answer(Replayed{created()}, facts), "Preference-Applied"), "wait=5");
    EXPECT_EQ(header_of(to_answer(InProgress{1s}, facts), "Preference-Applied"), "wait=5");
}

TEST_F(Answer, ARefusedRequest)
{
    http::Problem missing{};
    missing.name = "idempotency-key-missing";

    expect_golden("key-missing.txt", to_answer(missing, facts()));
}

TEST_F(Answer, ErrorsOfTheEngineTellTheEffectAndNothingOfTheInside)
{
    const std::vector<std::pair<Errc, std::string>> names{
        {Errc::store_unavailable, "store-unavailable"},
        {Errc::store_unknown, "store-unavailable"},
        {Errc::busy, "store-unavailable"},
        {Errc::corrupt_record, "idempotency-record-damaged"},
        {Errc::limit_exceeded, "unavailable"},
        {Errc::invalid_argument, "internal-error"},
        {Errc::sql, "internal-error"},
        {Errc::wrong_thread, "internal-error"},
    };
    for (const auto& [code, name] : names) {
        const http::Response answer = to_answer(Error{code, "table pagamentos", {}}, facts());

        EXPECT_NE(answer.body.find("\"/problems/" + name + "\""), std::string::npos) << answer.body;
        EXPECT_EQ(answer.body.find("table"), std::string::npos);
    }
    const http::Response unknown = to_answer(Error{Errc::store_unknown, "", {}}, facts());
    EXPECT_NE(unknown.body.find(R"("effect":"unknown")"), std::string::npos);
}

}  // namespace
}  // namespace umavez::key_protocol
