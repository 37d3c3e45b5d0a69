// Every conversation of a claim, by hand: no store, no clock.

#include "engine/claim_flow.hpp"

#include "core/transition.hpp"
#include "engine/test_world.hpp"

namespace umavez::testing_world {
namespace {

const Instant t0 = from_micros(1'000'000'000'000'000);
const Execution ours{1};

struct Conversation {
    Request request = make_request("pay");
    RecordId id{request.tenant_id, request.operation, *request.key};
    Policy policy{.guarantee = Guarantee::leased};
    ClaimFlow flow{id, request, policy, ours, true};

    Record someone(Status status, Execution execution = Execution{2}) const
    {
        const Draft draft = claim_draft(nullptr, request, policy, Claim{}, execution);
        Record record = to_record(draft, nullptr, t0);
        record.status = status;
        return record;
    }
};

Error unknown()
{
    return {Errc::store_unknown, "no answer", {}};
}

TEST(ClaimFlow, AnAbsentKeyIsInserted)
{
    Conversation talk;

    const ClaimStep first = talk.flow.start();
    ASSERT_TRUE(std::holds_alternative<InsertStep>(first));
    EXPECT_EQ(talk.flow.insertion().draft.execution, ours);

    const ClaimStep owned = talk.flow.on_found(Found{true, talk.someone(Status::processing, ours), t0});
    EXPECT_TRUE(std::holds_alternative<OwnedStep>(owned));
}

TEST(ClaimFlow, AnInsertWithoutAnAnswerIsRepeatedAndRecognisedByItsExecution)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());

    ClaimStep step = talk.flow.on_error(unknown());
    ASSERT_TRUE(std::holds_alternative<PauseStep>(step));
    step = talk.flow.on_pause_over(false);
    ASSERT_TRUE(std::holds_alternative<InsertStep>(step));
    EXPECT_EQ(talk.flow.insertion().draft.execution, ours);
    step = talk.flow.on_found(Found{false, talk.someone(Status::processing, ours), t0});

    EXPECT_TRUE(std::holds_alternative<OwnedStep>(step));
}

TEST(ClaimFlow, AfterAnUnknownWriteARefusalDoesNotMeanNothingHappened)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());
    static_cast<void>(talk.flow.on_error(unknown()));
    static_cast<void>(talk.flow.on_pause_over(false));

    ClaimStep step = talk.flow.on_error({Errc::store_unavailable, "refused", {}});
    ASSERT_TRUE(std::holds_alternative<PauseStep>(step));
    step = talk.flow.on_pause_over(true);

    ASSERT_TRUE(std::holds_alternative<GiveUpStep>(step));
    EXPECT_EQ(effect_of(talk.flow.error().code), Effect::unknown);
}

TEST(ClaimFlow, AStoreThatRefusesAtOnceHasNoEffect)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());

    const ClaimStep step = talk.flow.on_error({Errc::store_unavailable, "disk full", {}});

    ASSERT_TRUE(std::holds_alternative<GiveUpStep>(step));
    EXPECT_EQ(effect_of(talk.flow.error().code), Effect::none);
}

TEST(ClaimFlow, AKeyIsFreeWhereNothingWasMetAndNothingWritten)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());
    EXPECT_TRUE(talk.flow.is_key_free());

    static_cast<void>(talk.flow.on_error(unknown()));
    EXPECT_FALSE(talk.flow.is_key_free());
}

TEST(ClaimFlow, AKeyIsFreeWhereItsRecordWasReleased)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());
    static_cast<void>(talk.flow.on_found(Found{false, talk.someone(Status::failed), t0}));

    EXPECT_TRUE(talk.flow.is_key_free());
}

TEST(ClaimFlow, AKeyIsNotFreeWhereSomebodyMayHaveRun)
{
    Conversation taking_over;
    taking_over.policy.on_abandoned = OnAbandoned::rerun;
    Conversation holding;
    for (Conversation* const talk : {&taking_over, &holding}) {
        static_cast<void>(talk->flow.start());
        const Record abandoned = talk->someone(Status::processing);
        static_cast<void>(talk->flow.on_found(Found{false, abandoned, t0 + talk->policy.lease}));

        EXPECT_FALSE(talk->flow.is_key_free());
    }
}

TEST(ClaimFlow, ATakeoverThatLostToAHeartbeatIsDecidedAnew)
{
    Conversation talk;
    talk.policy.on_abandoned = OnAbandoned::rerun;
    static_cast<void>(talk.flow.start());
    const Record abandoned = talk.someone(Status::processing);
    const Instant later = t0 + talk.policy.lease;

    ClaimStep step = talk.flow.on_found(Found{false, abandoned, later});
    ASSERT_TRUE(std::holds_alternative<ReplaceStep>(step));
    EXPECT_TRUE(talk.flow.change().expected.lease_over_for);

    Record alive = abandoned;
    alive.processing_expires_at = later + talk.policy.lease;
    step = talk.flow.on_replaced(Replaced{false, alive, later});
    ASSERT_TRUE(std::holds_alternative<AnswerStep>(step));
    EXPECT_TRUE(std::holds_alternative<InProgress>(std::get<AnswerStep>(step).decision));
}

TEST(ClaimFlow, ARecordSweptMeanwhileIsInsertedAgain)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());
    Record released = talk.someone(Status::failed);

    ClaimStep step = talk.flow.on_found(Found{false, released, t0});
    ASSERT_TRUE(std::holds_alternative<ReplaceStep>(step));
    step = talk.flow.on_replaced(Replaced{false, std::nullopt, t0});

    EXPECT_TRUE(std::holds_alternative<InsertStep>(step));
}

TEST(ClaimFlow, AbandonedWorkIsHeldAndAnsweredInDoubt)
{
    Conversation talk;
    static_cast<void>(talk.flow.start());
    const Record abandoned = talk.someone(Status::processing);

    ClaimStep step = talk.flow.on_found(Found{false, abandoned, t0 + talk.policy.lease});
    ASSERT_TRUE(std::holds_alternative<ReplaceStep>(step));
    EXPECT_TRUE(std::get<ReplaceStep>(step).holds);
    EXPECT_EQ(talk.flow.change().next.execution, abandoned.token.execution);
    EXPECT_FALSE(talk.flow.change().next.raise_epoch);
    step = talk.flow.on_replaced(Replaced{true, abandoned, t0});

    ASSERT_TRUE(std::holds_alternative<AnswerStep>(step));
    EXPECT_TRUE(std::holds_alternative<InDoubt>(std::get<AnswerStep>(step).decision));
}

TEST(ClaimFlow, WhoeverKeepsLosingGivesUpInTheEnd)
{
    Conversation talk;
    ClaimStep step = talk.flow.start();
    Record released = talk.someone(Status::failed);
    step = talk.flow.on_found(Found{false, released, t0});
    for (int i = 0; i < 100 && std::holds_alternative<ReplaceStep>(step); ++i) {
        ++released.token.epoch;
        step = talk.flow.on_replaced(Replaced{false, released, t0});
    }

    ASSERT_TRUE(std::holds_alternative<AnswerStep>(step));
    EXPECT_TRUE(std::holds_alternative<InProgress>(std::get<AnswerStep>(step).decision));
}

}  // namespace
}  // namespace umavez::testing_world
