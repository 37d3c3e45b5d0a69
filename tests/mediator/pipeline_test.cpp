// Registration, dispatch and the pipeline of behaviours.

#include "mediator/orders.hpp"

#include <functional>
#include <memory>
#include <stdexcept>

namespace umavez::orders {
namespace {

using Trace = std::vector<std::string>;

BehaviourFunction traced(std::string name, Trace& trace)
{
    return [name = std::move(name), &trace](Send&, Next next) -> Task<Sent> {
        trace.push_back(name + " in");
        Sent sent = co_await next();
        trace.push_back(name + " out");
        co_return sent;
    };
}

TEST(Dispatch, FindsTheHandlerByTheTypeOfTheCommand)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([](const Ping& ping) { return ping.value + 1; });
    builder.handle<CreateOrder>([](const CreateOrder& command) { return Order{1, command.email}; });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(Ping{41}), 42);
    EXPECT_EQ(mediator->send(order("k"))->email, "ana@example.com");
    EXPECT_EQ(wait(mediator->async_send(Ping{1})), 2);
}

TEST(Dispatch, WithoutAHandlerSaysSo)
{
    MediatorBuilder builder;
    builder.memory_cache();
    const auto mediator = must_open(builder);

    const auto sent = mediator->send(Ping{1});

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::no_handler);
    EXPECT_EQ(sent.error().effect, Effect::none);
    EXPECT_EQ(outcome_of(*mediator, Ping{1}), SendOutcome::refused);
    EXPECT_NE(sent.error().detail.find("ping"), std::string::npos);
    EXPECT_EQ(wait(mediator->async_send(Ping{1})).error().code, SendErrc::no_handler);
}

TEST(Registration, RefusesASecondHandlerOfACommand)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([](const Ping&) { return 1; });
    builder.handle<Ping>([](const Ping&) { return 2; });

    const auto opened = builder.open();

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::misconfigured);
    EXPECT_EQ(opened.error().detail, "command ping: two handlers are registered; keep one");
}

namespace elsewhere {
struct Ping {
    using Result = int;
};
}  // namespace elsewhere

TEST(Registration, RefusesTwoCommandsOfOneName)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([](const Ping&) { return 1; });
    builder.handle<elsewhere::Ping>([](const elsewhere::Ping&) { return 2; });

    EXPECT_NE(builder.open().error().detail.find("command_name"), std::string::npos);
}

TEST(Registration, WantsOnePlaceForResults)
{
    MediatorBuilder none;
    EXPECT_NE(none.open().error().detail.find("memory_cache()"), std::string::npos);
    MediatorBuilder two;
    two.memory_cache().memory_cache();
    EXPECT_FALSE(two.open());
}

TEST(Registration, RefusesAHandlerWithATransactionWhereThereIsNone)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<CreateOrder>([](const CreateOrder&, Transaction&) -> Result<Order> {
        return Order{};
    });

    EXPECT_NE(builder.open().error().detail.find("Transaction"), std::string::npos);
}

TEST(Registration, NamesAWrongSetting)
{
    MediatorBuilder tenant{{.tenant = "No Such Tenant"}};
    tenant.memory_cache();
    EXPECT_FALSE(tenant.open());

    MediatorBuilder duration;
    duration.memory_cache();
    duration.handle<CreateOrder>([](const CreateOrder&) { return Order{}; }, {.duration = -1h});
    const auto opened = duration.open();
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().detail.find("create_order"), std::string::npos)
        << opened.error().detail;
}

TEST(Pipeline, BehavioursRunInTheOrderOfRegistration)
{
    Trace trace;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use(traced("first", trace)).use(traced("second", trace));
    builder.handle<Ping>([&trace](const Ping&) {
        trace.push_back("handler");
        return 1;
    });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(Ping{}), 1);

    EXPECT_EQ(trace, (Trace{"first in", "second in", "handler", "second out", "first out"}));
}

TEST(Pipeline, BehavioursBeforeIdempotencySeeReplaysAndThoseBehindItDoNot)
{
    Trace trace;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use(traced("outer", trace)).use(idempotency()).use(traced("inner", trace));
    builder.handle<CreateOrder>([](const CreateOrder&) { return Order{}; });
    const auto mediator = must_open(builder);

    EXPECT_TRUE(mediator->send(order("k")));
    EXPECT_TRUE(mediator->send(order("k")));

    EXPECT_EQ(
        trace, (Trace{"outer in", "inner in", "inner out", "outer out", "outer in", "outer out"})
    );
}

TEST(Pipeline, ABehaviourAnswersInsteadOfTheHandler)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use([](Send& send, Next next) -> Task<Sent> {
        const Ping* const ping = send.command<Ping>();
        if (ping == nullptr || ping->value != 7) co_return co_await next();
        EXPECT_FALSE(send.answer(std::string{"of another type"}));
        EXPECT_TRUE(send.answer(700));
        co_return Sent{};
    });
    builder.handle<Ping>([&runs](const Ping&) { return ++runs; });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(Ping{7}), 700);
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(mediator->send(Ping{8}), 1);
}

TEST(Pipeline, ABehaviourRefusesInsteadOfTheHandler)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use([](Send&, Next) -> Task<Sent> {
        SendError error{.code = SendErrc::invalid, .detail = "closed on Sundays"};
        co_return std::unexpected(error);
    });
    builder.handle<CreateOrder>([&runs](const CreateOrder&) { return Order{++runs, ""}; });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(order("k")).error().detail, "closed on Sundays");
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(count(*mediator, "create_order", SendOutcome::refused), 1u);
}

TEST(Pipeline, ARefusalAfterAllWasDoneTellsThatItWas)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use([](Send&, Next next) -> Task<Sent> {
        static_cast<void>(co_await next());
        co_return std::unexpected(SendError{.code = SendErrc::invalid, .detail = "too late"});
    });
    builder.handle<CreateOrder>([](const CreateOrder&) { return Order{}; });
    builder.handle<Ping>([](const Ping&) { return 1; });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(order("k")).error().effect, Effect::applied);
    EXPECT_EQ(mediator->send(Ping{}).error().effect, Effect::applied);
}

TEST(Pipeline, ARefusalBehindIdempotencyLeavesTheKeyFree)
{
    bool is_closed = true;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use(idempotency()).use([&is_closed](Send&, Next next) -> Task<Sent> {
        if (!is_closed) co_return co_await next();
        SendError error{.code = SendErrc::invalid, .detail = "closed"};
        co_return std::unexpected(error);
    });
    builder.handle<CreateOrder>([](const CreateOrder&) { return Order{5, ""}; });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(order("k")).error().code, SendErrc::invalid);
    is_closed = false;
    EXPECT_EQ(mediator->send(order("k"))->id, 5);
}

TEST(Pipeline, WithoutAnAnswerIsAnError)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use([](Send&, Next) -> Task<Sent> { co_return Sent{}; });
    builder.handle<Ping>([](const Ping&) { return 1; });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(Ping{}).error().code, SendErrc::no_result);
}

// Behaviours behind idempotency: what becomes of the key.
class BehindIdempotency : public ::testing::Test {
protected:
    void open(BehaviourFunction behaviour, std::function<Order(HandlerContext&)> handler)
    {
        MediatorBuilder builder;
        builder.memory_cache();
        builder.use(idempotency()).use(std::move(behaviour));
        builder.handle<CreateOrder>([this, handler](const CreateOrder&, HandlerContext& context) {
            ++runs_;
            return handler(context);
        });
        mediator_ = must_open(builder);
    }
    Order make() const { return Order{runs_, ""}; }

    int runs_ = 0;
    std::unique_ptr<Mediator> mediator_;
};

TEST_F(BehindIdempotency, WithoutAnAnswerTheKeyIsFree)
{
    bool is_lazy = true;
    open(
        [&is_lazy](Send&, Next next) -> Task<Sent> {
            if (is_lazy) co_return Sent{};
            co_return co_await next();
        },
        [this](HandlerContext&) { return make(); }
    );

    const auto sent = mediator_->send(order("k"));
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::no_result);
    EXPECT_EQ(sent.error().effect, Effect::none);
    is_lazy = false;
    EXPECT_EQ(mediator_->send(order("k"))->id, 1);
}

TEST_F(BehindIdempotency, ARefusalAfterTheHandlerKeepsItsResult)
{
    open(
        [](Send&, Next next) -> Task<Sent> {
            static_cast<void>(co_await next());
            co_return std::unexpected(SendError{.code = SendErrc::invalid, .detail = "too late"});
        },
        [this](HandlerContext&) { return make(); }
    );

    const auto sent = mediator_->send(order("k"));

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().detail, "too late");
    EXPECT_EQ(sent.error().effect, Effect::applied);
    EXPECT_EQ(mediator_->send(order("k"))->id, 1);
    EXPECT_EQ(runs_, 1);
}

TEST_F(BehindIdempotency, AnExceptionAfterTheHandlerKeepsItsResult)
{
    open(
        [](Send&, Next next) -> Task<Sent> {
            static_cast<void>(co_await next());
            throw std::domain_error{"the log is full"};
        },
        [this](HandlerContext&) { return make(); }
    );

    EXPECT_THROW(static_cast<void>(mediator_->send(order("k"))), std::domain_error);
    EXPECT_EQ(mediator_->send(order("k"))->id, 1);
    EXPECT_EQ(runs_, 1);
}

TEST_F(BehindIdempotency, WhatAnEarlierAttemptSaidDoesNotCount)
{
    open(
        [](Send&, Next next) -> Task<Sent> {
            try {
                co_return co_await next();
            } catch (const std::domain_error&) {
            }
            co_return co_await next();
        },
        [this](HandlerContext& context) {
            if (runs_ == 1) {
                context.untouched();
                throw std::domain_error{"nobody answers"};
            }
            return make();
        }
    );

    EXPECT_EQ(mediator_->send(order("k"))->id, 2);
    EXPECT_EQ(outcome_of(*mediator_, order("k")), SendOutcome::hit);
    EXPECT_EQ(runs_, 2);
}

TEST_F(BehindIdempotency, AnUntouchedResultIsGivenButNotKept)
{
    open(
        [](Send&, Next next) { return next(); },
        [this](HandlerContext& context) {
            context.untouched();
            return make();
        }
    );

    EXPECT_EQ(mediator_->send(order("k"))->id, 1);
    EXPECT_EQ(mediator_->send(order("k"))->id, 2);
}

TEST(Handlers, SendOtherCommands)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([](const Ping& ping) { return ping.value + 1; });
    builder.handle<CreateOrder>([](const CreateOrder&, HandlerContext& context) {
        return Order{context.mediator().send(Ping{41}).value(), ""};
    });

    EXPECT_EQ(must_open(builder)->send(order("k"))->id, 42);
}

TEST(Handlers, MayOwnWhatCannotBeCopied)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([kept = std::make_unique<int>(5)](const Ping&) { return *kept; });

    EXPECT_EQ(must_open(builder)->send(Ping{}), 5);
}

TEST(Registration, RefusesWhatIsEmpty)
{
    MediatorBuilder handler;
    handler.memory_cache();
    handler.handle<Ping>(std::function<int(const Ping&)>{});
    EXPECT_EQ(handler.open().error().detail, "command ping: its handler is empty");

    MediatorBuilder behaviour;
    behaviour.memory_cache();
    behaviour.use(BehaviourFunction{});
    EXPECT_EQ(behaviour.open().error().detail, "a behaviour is null");

    MediatorBuilder sink;
    sink.memory_cache();
    sink.use(logging(nullptr));
    EXPECT_EQ(sink.open().error().detail, "a behaviour is null");
}

TEST(Registration, RefusesIdempotencyOfACommandWithoutAKey)
{
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([](const Ping&) { return 1; }, {.idempotency = true});

    EXPECT_NE(builder.open().error().detail.find("idempotency_key"), std::string::npos);
}

TEST(Registration, OpensOnce)
{
    MediatorBuilder builder;
    builder.memory_cache();
    EXPECT_TRUE(builder.open());
    EXPECT_EQ(builder.open().error().code, Errc::invalid_argument);
    builder.handle<Ping>([](const Ping&) { return 1; }).memory_cache();
    EXPECT_EQ(builder.open().error().code, Errc::invalid_argument);
}

TEST(Pipeline, BehavioursSeeContentTenantAndResult)
{
    MediatorBuilder builder;
    builder.memory_cache();
    int seen = 0;
    builder.use([&seen](Send& send, Next next) -> Task<Sent> {
        EXPECT_EQ(send.command_name(), "create_order");
        EXPECT_EQ(send.tenant_id().text(), "loja-7");
        EXPECT_EQ(
            send.content(), R"({"email":"ana@example.com","items":[{"quantity":2,"sku":"cafe"}]})"
        );
        EXPECT_EQ(send.command<Ping>(), nullptr);
        EXPECT_EQ(send.result<Order>(), nullptr);
        Sent sent = co_await next();
        EXPECT_EQ(send.result<Order>()->id, 3);
        EXPECT_EQ(send.result<int>(), nullptr);
        EXPECT_EQ(send.report().key, "k");
        ++seen;
        co_return sent;
    });
    builder.handle<CreateOrder>([](const CreateOrder&, HandlerContext& context) {
        EXPECT_EQ(context.tenant_id().text(), "loja-7");
        return Order{3, ""};
    });
    const auto mediator = must_open(builder);

    EXPECT_TRUE(mediator->send(order("k"), {.tenant_id = *TenantId::parse("loja-7")}));
    EXPECT_EQ(seen, 1);
}

TEST(Validation, RefusesWithTheFieldAndRunsNothing)
{
    int runs = 0;
    const auto run = [&runs](const Register&) {
        ++runs;
        return std::monostate{};
    };
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Register>(run);
    const auto mediator = must_open(builder);

    const auto sent = mediator->send(Register{""});

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::invalid);
    EXPECT_EQ(sent.error().violations, (std::vector<Violation>{{"name", "must not be empty"}}));
    EXPECT_EQ(sent.error().detail, "command register: name must not be empty");
    EXPECT_TRUE(mediator->send(Register{"ana"}));
    EXPECT_EQ(runs, 1);

    MediatorBuilder careless{{.validation = false}};
    careless.memory_cache();
    careless.handle<Register>(run);
    EXPECT_TRUE(must_open(careless)->send(Register{""}));
}

TEST(Logging, TellsEverySendButNoKeyAndNoContent)
{
    std::vector<SendLine> lines;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use(logging([&lines](const SendLine& line) { lines.push_back(line); }));
    builder.handle<CreateOrder>([](const CreateOrder& command) {
        if (command.email.empty()) throw std::runtime_error{"no address"};
        return Order{};
    });
    builder.handle<Register>([](const Register&) { return std::monostate{}; });
    const auto mediator = must_open(builder);

    static_cast<void>(mediator->send(order("secret-key")));
    static_cast<void>(mediator->send(order("secret-key")));
    EXPECT_THROW(static_cast<void>(mediator->send(order("other", ""))), std::runtime_error);
    static_cast<void>(mediator->send(Register{""}));

    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].outcome, SendOutcome::executed);
    EXPECT_EQ(lines[1].outcome, SendOutcome::hit);
    EXPECT_EQ(lines[0].record, lines[1].record);
    EXPECT_EQ(lines[0].record.size(), 16u);
    EXPECT_EQ(lines[2].outcome, SendOutcome::failed);
    EXPECT_EQ(lines[2].detail, "no address");
    EXPECT_NE(lines[2].record, lines[1].record);
    EXPECT_EQ(lines[3].outcome, SendOutcome::refused);
    EXPECT_EQ(lines[3].record, "");
    for (const SendLine& line : lines) {
        EXPECT_EQ(to_json_line(line).find("secret"), std::string::npos);
        EXPECT_EQ(to_json_line(line).find("ana@"), std::string::npos);
    }
}

TEST(Timing, TellsOnlyWhatWasSlow)
{
    int quick = 0;
    int slow = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.use(timing(0s, [&quick](const SendLine&) { ++quick; }));
    builder.use(timing(1h, [&slow](const SendLine&) { ++slow; }));
    builder.handle<Ping>([](const Ping&) { return 1; });
    const auto mediator = must_open(builder);

    EXPECT_TRUE(mediator->send(Ping{}));

    EXPECT_EQ(quick, 1);
    EXPECT_EQ(slow, 0);
}

}  // namespace
}  // namespace umavez::orders
