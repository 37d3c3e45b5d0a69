// Every conversation of an owner's write, by hand: no store, no clock.

#include "engine/completion_flow.hpp"

#include "core/transition.hpp"
#include "engine/test_world.hpp"

namespace umavez::testing_world {
namespace {

const Instant t0 = from_micros(1'000'000'000'000'000);

struct Conversation {
    Request request = make_request("pay");
    Policy policy{.guarantee = Guarantee::leased};
    Record owned = to_record(
        claim_draft(nullptr, request, policy, Claim{}, Execution{1}), nullptr, t0
    );
    Response response{.status = 201};
    OwnerWrite write{
        .expected = settler_expects(owned.token),
        .draft = complete_draft(owned, Status::succeeded, StoredResponse{}, policy),
        .response = &response,
        .response_bytes_max = 1000,
        .audit = std::nullopt,
    };
    CompletionFlow flow{write};

    // What a store holds after our write.
    Record written() const
    {
        return to_record(flow.change().next, &owned, t0);
    }
};

Error error(Errc code)
{
    return {code, "no answer", {}};
}

TEST(CompletionFlow, AWriteWithoutAnAnswerIsRepeatedAndRecognised)
{
    Conversation talk;
    ASSERT_TRUE(std::holds_alternative<WriteStep>(talk.flow.start()));
    ASSERT_TRUE(std::holds_alternative<RepeatStep>(talk.flow.on_error(error(Errc::store_unknown))));
    ASSERT_TRUE(std::holds_alternative<WriteStep>(talk.flow.on_pause_over(false)));

    const CompletionStep step = talk.flow.on_replaced(Replaced{false, talk.written(), t0});

    EXPECT_TRUE(std::holds_alternative<DoneStep>(step));
}

TEST(CompletionFlow, AnotherOwnersRecordFences)
{
    Conversation talk;
    Record theirs = talk.owned;
    theirs.token.execution = Execution{2};

    const CompletionStep step = talk.flow.on_replaced(Replaced{false, theirs, t0});

    EXPECT_TRUE(std::holds_alternative<FencedStep>(step));
}

TEST(CompletionFlow, AfterAnUnknownWriteNoOtherErrorMeansThatNothingHappened)
{
    for (const Errc last : {Errc::store_unavailable, Errc::sql, Errc::corrupt_record}) {
        Conversation talk;
        static_cast<void>(talk.flow.on_error(error(Errc::store_unknown)));
        CompletionStep step = talk.flow.on_error(error(last));
        if (std::holds_alternative<RepeatStep>(step)) step = talk.flow.on_pause_over(true);

        ASSERT_TRUE(std::holds_alternative<UnsettledStep>(step)) << to_text(last);
        EXPECT_EQ(talk.flow.error().code, Errc::store_unknown) << to_text(last);
    }
}

TEST(CompletionFlow, ARefusalAtOnceHasNoEffect)
{
    Conversation talk;

    const CompletionStep step = talk.flow.on_error(error(Errc::limit_exceeded));

    ASSERT_TRUE(std::holds_alternative<UnsettledStep>(step));
    EXPECT_EQ(effect_of(talk.flow.error().code), Effect::none);
}

}  // namespace
}  // namespace umavez::testing_world
