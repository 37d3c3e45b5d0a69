// A command with a key: once, and what its repetitions are told. In memory; the same rules hold on
// every store.

#include "mediator/orders.hpp"

#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <unistd.h>

namespace umavez::orders {
namespace {

struct Shop {
    explicit Shop(CommandOptions options = {}, MediatorOptions settings = {})
        : builder(std::move(settings))
    {
        builder.memory_cache();
        builder.handle<CreateOrder>(
            [this](const CreateOrder& command) {
                ++runs;
                if (command.email == "throw") throw std::domain_error{"as it was thrown"};
                return Order{runs, command.email};
            },
            options
        );
        builder.handle<ProcessPayment>([this](const ProcessPayment& command) {
            ++runs;
            return "paid " + command.amount.text();
        });
    }

    Mediator& open()
    {
        mediator = must_open(builder);
        return *mediator;
    }

    MediatorBuilder builder;
    int runs = 0;
    std::unique_ptr<Mediator> mediator;
};

TEST(Once, TheSameKeyGivesTheSameResultAndRunsOnce)
{
    Shop shop;
    Mediator& mediator = shop.open();

    const auto first = mediator.send(order("k"));
    const auto second = mediator.send(order("k"));

    EXPECT_EQ(*first, *second);
    EXPECT_EQ(shop.runs, 1);
    EXPECT_EQ(mediator.send(order("k2"))->id, 2);
    EXPECT_EQ(count(mediator, "create_order", SendOutcome::executed), 2u);
    EXPECT_EQ(count(mediator, "create_order", SendOutcome::hit), 1u);
}

TEST(Once, ASemanticKeyCollectsWhateverIsSentUnderIt)
{
    Shop shop;
    Mediator& mediator = shop.open();

    EXPECT_EQ(mediator.send(payment("42", "10.00")), "paid 10.00");
    EXPECT_EQ(mediator.send(payment("42", "99.99")), "paid 10.00");
    EXPECT_EQ(mediator.send(payment("43", "5.00")), "paid 5.00");

    EXPECT_EQ(mediator.stats()[1].mismatches_ignored, 1u);
    const auto story = must(mediator.engine().explain(
        {*TenantId::parse("default"),
         *Operation::parse("process_payment"),
         *Key::parse("payment:42")}
    ));
    EXPECT_EQ(story.timeline.back().event, "mismatch_ignored");
}

TEST(Once, AnotherContentUnderAKnownKeyIsRefusedWhereTheCommandSaysSo)
{
    Shop shop{{.on_mismatch = OnMismatch::reject}};
    Mediator& mediator = shop.open();

    EXPECT_TRUE(mediator.send(order("k")));
    const auto other = mediator.send(order("k", "eva@example.com"));

    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, SendErrc::mismatch);
    EXPECT_EQ(other.error().effect, Effect::none);
    EXPECT_TRUE(mediator.send(order("k")));
    EXPECT_EQ(shop.runs, 1);
}

TEST(Once, WithoutAKeyTheContentIsTheKey)
{
    Shop shop;
    Mediator& mediator = shop.open();

    EXPECT_EQ(mediator.send(order(std::nullopt))->id, 1);
    EXPECT_EQ(mediator.send(order(std::nullopt))->id, 1);
    EXPECT_EQ(mediator.send(order(std::nullopt, "eva@example.com"))->id, 2);
    // The key is no part of the content.
    SendReport report;
    EXPECT_TRUE(mediator.send(order(std::nullopt), {.report = &report}));
    EXPECT_EQ(report.key.size(), 44u);
    EXPECT_EQ(mediator.send(order(report.key))->id, 1);
}

TEST(Once, AKeyGeneratorOfOnesOwn)
{
    class Fixed final : public KeyGenerator {
        std::string make_key(std::string_view name, std::string_view content) const override
        {
            EXPECT_EQ(name, "create_order");
            EXPECT_EQ(content.substr(0, 9), "{\"email\":");
            return "always";
        }
    };
    Shop shop{{}, {.key_generator = std::make_shared<Fixed>()}};
    Mediator& mediator = shop.open();

    EXPECT_EQ(mediator.send(order(std::nullopt))->id, 1);
    EXPECT_EQ(mediator.send(order(std::nullopt, "eva@example.com"))->id, 1);
}

TEST(Once, ABadKeyIsRefusedAndNothingRuns)
{
    Shop shop;
    Mediator& mediator = shop.open();

    for (const std::string& key :
         {std::string{},
          std::string(256, 'k'),
          std::string{"a\nb"},
          std::string{" "},
          std::string{"\xff"},
          std::string{"a\0b", 3}}) {
        const auto sent = mediator.send(order(key));
        ASSERT_FALSE(sent);
        EXPECT_EQ(sent.error().code, SendErrc::invalid_key);
        EXPECT_NE(sent.error().detail.find("create_order"), std::string::npos);
    }
    EXPECT_EQ(shop.runs, 0);
}

TEST(Once, CommandsAndTenantsShareNoKeys)
{
    Shop shop;
    Mediator& mediator = shop.open();

    EXPECT_EQ(mediator.send(order("payment:42"))->id, 1);
    EXPECT_EQ(mediator.send(payment("42")), "paid 10.00");
    EXPECT_EQ(mediator.send(order("payment:42"), {.tenant_id = *TenantId::parse("b")})->id, 3);
    EXPECT_EQ(mediator.send(order("payment:42"))->id, 1);
}

TEST(Once, AnExceptionComesOutUnchangedAndTheKeyIsFree)
{
    Shop shop;
    Mediator& mediator = shop.open();

    for (int i = 0; i < 2; ++i) {
        try {
            static_cast<void>(mediator.send(order("k", "throw")));
            FAIL() << "nothing was thrown";
        } catch (const std::domain_error& thrown) {
            EXPECT_STREQ(thrown.what(), "as it was thrown");
        }
    }
    EXPECT_EQ(shop.runs, 2);
    EXPECT_EQ(mediator.send(order("k"))->id, 3);
    EXPECT_EQ(count(mediator, "create_order", SendOutcome::failed), 2u);
}

TEST(Once, IdempotencyCanBeSwitchedOffForAllAndForOne)
{
    Shop all{{}, {.idempotency = false}};
    EXPECT_EQ(all.open().send(order("k"))->id, 1);
    EXPECT_EQ(all.mediator->send(order("k"))->id, 2);

    Shop only_one{{.idempotency = true}, {.idempotency = false}};
    EXPECT_EQ(only_one.open().send(order("k"))->id, 1);
    EXPECT_EQ(only_one.mediator->send(order("k"))->id, 1);
    EXPECT_TRUE(only_one.mediator->send(payment("1")));
    EXPECT_TRUE(only_one.mediator->send(payment("1")));
    EXPECT_EQ(only_one.runs, 3);

    Shop one{{.idempotency = false}};
    EXPECT_EQ(one.open().send(order("k"))->id, 1);
    EXPECT_EQ(one.mediator->send(order("k"))->id, 2);
    EXPECT_TRUE(one.mediator->send(payment("1")));
    EXPECT_EQ(one.runs, 3);
    EXPECT_TRUE(one.mediator->send(payment("1")));
    EXPECT_EQ(one.runs, 3);
}

TEST(Once, AResultExpiresAfterItsDuration)
{
    Shop shop{{.duration = 1us}};
    Mediator& mediator = shop.open();

    EXPECT_EQ(mediator.send(order("k"))->id, 1);
    test::wait_until("it runs anew", [&] { return mediator.send(order("k"))->id != 1; });
}

std::size_t records_of(Mediator& mediator)
{
    std::size_t records = 0;
    RecordsQuery query;
    do {
        const auto page = must(mediator.engine().records(query));
        records += page.records.size();
        query.cursor = page.next;
    } while (!query.cursor.empty());
    return records;
}

TEST(Once, ExpiredResultsAreSweptWithoutAThread)
{
    Shop shop{{.duration = 1us}};
    Mediator& mediator = shop.open();

    for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(mediator.send(order(std::to_string(i))));

    EXPECT_LT(records_of(mediator), 1'000u);
}

TEST(Once, WhatFailedIsSweptToo)
{
    Shop shop{{.duration = 1us}};
    Mediator& mediator = shop.open();

    for (int i = 0; i < 2'000; ++i) {
        const auto send = [&] {
            static_cast<void>(mediator.send(order(std::to_string(i), "throw")));
        };
        ASSERT_THROW(send(), std::domain_error);
    }
    EXPECT_LT(records_of(mediator), 1'000u);
}

struct Measure {
    using Result = double;
    std::string name;
    double value = 0;
    std::optional<std::string> idempotency_key() const { return name; }
};
BOOST_DESCRIBE_STRUCT(Measure, (), (name, value))

TEST(Conversion, ACommandWithoutAJsonFormIsRefused)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Measure>([&runs](const Measure&) { return ++runs; });
    const auto mediator = must_open(builder);

    const auto sent = mediator->send(Measure{"m", std::numeric_limits<double>::infinity()});

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::unwritable_command);
    EXPECT_EQ(
        sent.error().detail,
        "command measure: it has no JSON form: .value: JSON has no infinite numbers and no NaN"
    );
    EXPECT_EQ(runs, 0);
}

TEST(Conversion, AResultWithoutAJsonFormIsToldAsAppliedAndNeverRunAgain)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Measure>([&runs](const Measure&) {
        ++runs;
        return std::numeric_limits<double>::quiet_NaN();
    });
    const auto mediator = must_open(builder);

    for (int i = 0; i < 3; ++i) {
        const auto sent = mediator->send(Measure{"m", 1});
        ASSERT_FALSE(sent);
        EXPECT_EQ(sent.error().code, SendErrc::unwritable_result);
        EXPECT_EQ(sent.error().effect, Effect::applied);
        EXPECT_NE(sent.error().detail.find("measure"), std::string::npos);
    }
    EXPECT_EQ(runs, 1);
}

}  // namespace

struct Fragile {
    bool is_broken = false;
};

}  // namespace umavez::orders

template <>
struct umavez::JsonCodec<umavez::orders::Fragile> {
    static JsonFailure write(const orders::Fragile& fragile, JsonText& out)
    {
        if (fragile.is_broken) throw std::logic_error{"broken"};
        out.null();
        return std::nullopt;
    }
    static JsonFailure read(const JsonView&, orders::Fragile&) { throw std::logic_error{"unread"}; }
};

namespace umavez::orders {
namespace {

struct Touch {
    using Result = Fragile;
    bool is_broken = false;
    std::string idempotency_key = "k";
};
BOOST_DESCRIBE_STRUCT(Touch, (), (is_broken, idempotency_key))

TEST(Conversion, ACodecThatThrowsIsNotTheHandlersException)
{
    int runs = 0;
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Touch>([&runs](const Touch& touch) {
        ++runs;
        return Fragile{touch.is_broken};
    });
    const auto mediator = must_open(builder);

    EXPECT_EQ(mediator->send(Touch{true, "a"}).error().code, SendErrc::unwritable_result);
    EXPECT_EQ(mediator->send(Touch{true, "a"}).error().code, SendErrc::unwritable_result);
    EXPECT_TRUE(mediator->send(Touch{false, "b"}));
    EXPECT_EQ(mediator->send(Touch{false, "b"}).error().code, SendErrc::unreadable_result);
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(count(*mediator, "touch", SendOutcome::failed), 2u);
    EXPECT_EQ(count(*mediator, "touch", SendOutcome::unreadable), 1u);
}

TEST(Conversion, AResultTooLargeToKeepGoesToTheFirstAndIsNeverMadeAgain)
{
    Shop shop{{.result_bytes_max = 20}};
    Mediator& mediator = shop.open();

    EXPECT_EQ(mediator.send(order("k"))->id, 1);
    const auto again = mediator.send(order("k"));

    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, SendErrc::omitted_result);
    EXPECT_EQ(again.error().effect, Effect::applied);
    EXPECT_EQ(shop.runs, 1);
}

// The same command in two versions of a program.
namespace v1 {
struct Order {
    std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id))
struct Buy {
    using Result = Order;
    std::string idempotency_key = "k";
};
BOOST_DESCRIBE_STRUCT(Buy, (), (idempotency_key))
}  // namespace v1
namespace v2 {
struct Order {
    std::string number;  // was: id
};
BOOST_DESCRIBE_STRUCT(Order, (), (number))
struct Buy {
    using Result = Order;
    std::string idempotency_key = "k";
};
BOOST_DESCRIBE_STRUCT(Buy, (), (idempotency_key))
}  // namespace v2

TEST(Upgrade, AResultOfAnOlderTypeIsATypedErrorThatOperatorsSee)
{
    const std::string path = ::testing::TempDir() + "upgrade-" + std::to_string(::getpid()) + ".db";
    for (const char* const end : {"", "-wal", "-shm", ".lock"}) std::remove((path + end).c_str());
    {
        const auto database = must(open_database("sqlite:" + path));
        MediatorBuilder builder;
        builder.database(*database);
        builder.handle<v1::Buy>([](const v1::Buy&) { return v1::Order{7}; });
        EXPECT_EQ(must_open(builder)->send(v1::Buy{})->id, 7);
    }
    const auto database = must(open_database("sqlite:" + path));
    MediatorBuilder builder;
    builder.database(*database);
    int runs = 0;
    builder.handle<v2::Buy>([&runs](const v2::Buy&) {
        ++runs;
        return v2::Order{"n"};
    });
    const auto mediator = must_open(builder);

    const auto sent = mediator->send(v2::Buy{});

    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, SendErrc::unreadable_result);
    EXPECT_EQ(sent.error().effect, Effect::applied);
    EXPECT_NE(sent.error().detail.find(".number: the member is missing"), std::string::npos);
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(count(*mediator, "buy", SendOutcome::unreadable), 1u);

    const RecordId id{*TenantId::parse("default"), *Operation::parse("buy"), *Key::parse("k")};
    std::string told;
    test::wait_until("the story has a remark", [&] {
        for (const TimelineEntry& entry : must(mediator->engine().explain(id)).timeline) {
            if (entry.event == "remarked") told = entry.detail;
        }
        return !told.empty();
    });
    EXPECT_EQ(told, sent.error().detail);
    EXPECT_EQ(must(mediator->engine().explain(id)).record->status, Status::succeeded);
}

TEST(Threads, NoneIsStartedBeforeAClaimNeedsHeartbeats)
{
    const auto threads = [] {
        std::set<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/task"})
            found.insert(entry.path().filename());
        return found;
    };
    const std::set<std::string> before = threads();
    // One that was joined just now may be among those before, and end at any time.
    const auto new_threads = [&] {
        std::set<std::string> fresh = threads();
        for (const std::string& old : before) fresh.erase(old);
        return fresh.size();
    };
    MediatorBuilder builder;
    builder.memory_cache();
    builder.handle<Ping>([](const Ping&) { return 1; });
    builder.handle<CreateOrder>([](const CreateOrder&) { return Order{}; });
    const auto mediator = must_open(builder);

    EXPECT_TRUE(mediator->send(Ping{}));
    EXPECT_EQ(new_threads(), 0u);
    EXPECT_TRUE(mediator->send(order("k")));
    EXPECT_EQ(new_threads(), 1u);
    EXPECT_TRUE(mediator->send(order("k2")));
    EXPECT_EQ(new_threads(), 1u);
}

}  // namespace
}  // namespace umavez::orders
