// The mediator on a database: handlers with a transaction (atomic), handlers without one (leased),
// and commands inside somebody else's transaction. On SQLite, and once more on PostgreSQL.

#include "mediator/orders.hpp"
#include "support/patiently.hpp"
#include "support/postgres_server.hpp"

#include <atomic>
#include <barrier>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

namespace umavez::orders {
namespace {

class Folder {
public:
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// No stall of the machine is a run that takes too long.
const CommandOptions patient{.wait = 1h, .run_limit = 1h};

class MediatorOnDatabase : public ::testing::Test {
protected:
    MediatorOnDatabase()
    {
        const Migration tables{
            "orders",
            1,
            place_.is_postgres()
                ? "CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
                  "email text NOT NULL UNIQUE)"
                : "CREATE TABLE orders (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE)"
        };
        must(test::patiently("the tables are made", [&] {
            return database_->migrate({&tables, 1});
        }));
        builder_.database(*database_);
    }

    static Result<Order> insert(const CreateOrder& command, Transaction& transaction)
    {
        const auto id =
            transaction.insert("INSERT INTO orders (email) VALUES ($1)", {command.email});
        if (!id) return std::unexpected(id.error());
        return Order{**id, command.email};
    }

    std::int64_t rows()
    {
        std::int64_t count = -1;
        const Closure counting = [&](Transaction& transaction) -> Result<void> {
            const auto found = transaction.query("SELECT count(*) FROM orders");
            if (!found) return std::unexpected(found.error());
            count = found->front().integer(0);
            return {};
        };
        must(test::patiently("the rows are counted", [&] { return database_->read(counting); }));
        return count;
    }
    // A closure of the database has two seconds, which a stall may take: then it is run again.
    Result<void> transact(const Closure& closure)
    {
        return test::patiently("the closure commits", [&] { return database_->transact(closure); });
    }

    Record record_of(Mediator& mediator, const std::string& command, const std::string& key)
    {
        const RecordId id{
            *TenantId::parse("default"), *Operation::parse(command), *Key::parse(key)
        };
        return must(mediator.engine().explain(id)).record.value();
    }

    Folder folder_;
    test::TestDatabase place_{folder_.path()};
    std::unique_ptr<Database> database_ =
        must(open_database(place_.url(), {.durable = !place_.is_postgres()}));
    MediatorBuilder builder_;
};

TEST_F(MediatorOnDatabase, RowAndResultCommitTogether)
{
    builder_.handle<CreateOrder>(insert, patient);
    const auto mediator = must_open(builder_);

    const auto first = mediator->send(order("k"));
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_EQ(*mediator->send(order("k")), *first);
    EXPECT_EQ(rows(), 1);
    EXPECT_EQ(record_of(*mediator, "create_order", "k").status, Status::succeeded);
}

TEST_F(MediatorOnDatabase, AnErrorOfTheHandlerRollsBackAndIsGivenBack)
{
    builder_.handle<CreateOrder>(insert, patient);
    const auto mediator = must_open(builder_);

    EXPECT_TRUE(mediator->send(order("k1")));
    const auto second = mediator->send(order("k2"));

    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, SendErrc::failed);
    EXPECT_EQ(second.error().effect, Effect::none);
    EXPECT_EQ(second.error().cause->code, Errc::unique_violation);
    EXPECT_TRUE(mediator->send(order("k2", "eva@example.com"))) << "the key was not released";
    EXPECT_EQ(rows(), 2);
}

TEST_F(MediatorOnDatabase, AnExceptionRollsBackAndTheKeyIsFree)
{
    bool throws = true;
    builder_.handle<CreateOrder>(
        [&throws](const CreateOrder& command, Transaction& transaction) {
            auto made = insert(command, transaction);
            if (throws) throw std::domain_error{"as it was thrown"};
            return made;
        },
        patient
    );
    const auto mediator = must_open(builder_);

    EXPECT_THROW(static_cast<void>(mediator->send(order("k"))), std::domain_error);
    EXPECT_EQ(rows(), 0);
    throws = false;
    EXPECT_TRUE(mediator->send(order("k")));
    EXPECT_EQ(rows(), 1);
}

struct Average {
    using Result = double;
    std::string idempotency_key = "k";
};
BOOST_DESCRIBE_STRUCT(Average, (), (idempotency_key))

TEST_F(MediatorOnDatabase, AResultWithoutAJsonFormRollsBack)
{
    builder_.handle<Average>(
        [](const Average&, Transaction& transaction) -> Result<double> {
            const auto made = insert(order("x"), transaction);
            if (!made) return std::unexpected(made.error());
            return std::numeric_limits<double>::quiet_NaN();
        },
        patient
    );
    const auto mediator = must_open(builder_);

    const auto sent = mediator->send(Average{});

    EXPECT_EQ(sent.error().code, SendErrc::unwritable_result);
    EXPECT_EQ(sent.error().effect, Effect::none);
    EXPECT_EQ(rows(), 0);
}

struct Import {
    using Result = std::int64_t;
    std::string email;
};

TEST_F(MediatorOnDatabase, ACommandWithoutAKeyRunsInAPlainTransaction)
{
    builder_.handle<Import>(
        [](const Import& command, Transaction& transaction) -> Result<std::int64_t> {
            const auto made = insert(order("", command.email), transaction);
            if (!made) return std::unexpected(made.error());
            if (command.email == "bad") return fail(Errc::invalid_argument, "a bad address");
            return made->id;
        },
        patient
    );
    const auto mediator = must_open(builder_);

    EXPECT_TRUE(mediator->send(Import{"a"}));
    EXPECT_TRUE(mediator->send(Import{"b"}));
    EXPECT_EQ(mediator->send(Import{"bad"}).error().detail, "a bad address");
    EXPECT_EQ(rows(), 2);
    EXPECT_TRUE(must(mediator->engine().records({})).records.empty());
}

TEST_F(MediatorOnDatabase, InsideAnotherTransactionACommandIsPartOfIt)
{
    builder_.handle<CreateOrder>(insert, patient);
    builder_.handle<Ping>([](const Ping&) { return 1; });
    const auto mediator = must_open(builder_);

    const auto undone = transact([&](Transaction& outer) -> Result<void> {
        EXPECT_TRUE(mediator->send_in(outer, order("k")));
        return fail(Errc::invalid_argument, "changed my mind");
    });
    EXPECT_FALSE(undone);
    EXPECT_EQ(rows(), 0);

    for (int i = 0; i < 2; ++i) {
        must(transact([&](Transaction& outer) -> Result<void> {
            const auto sent = mediator->send_in(outer, order("k"));
            EXPECT_TRUE(sent) << sent.error().detail;
            EXPECT_EQ(mediator->send_in(outer, Ping{}).error().code, SendErrc::misuse);
            // The way without the transaction would wait for itself.
            const auto outside = mediator->send(order("k"));
            EXPECT_EQ(outside.error().code, SendErrc::misuse);
            EXPECT_EQ(outside.error().effect, Effect::none);
            return {};
        }));
    }
    EXPECT_EQ(rows(), 1);
    EXPECT_EQ(outcome_of(*mediator, order("k")), SendOutcome::hit);
}

TEST_F(MediatorOnDatabase, OfManySendersOneCommits)
{
    builder_.handle<CreateOrder>(insert, patient);
    const auto mediator = must_open(builder_);
    std::barrier start{32};
    std::atomic<int> answered{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 32; ++i) {
            threads.emplace_back([&] {
                start.arrive_and_wait();
                if (mediator->send(order("k"))) ++answered;
            });
        }
    }
    EXPECT_EQ(answered, 32);
    EXPECT_EQ(rows(), 1);
}

TEST_F(MediatorOnDatabase, WithoutATransactionAnExceptionLeavesADoubtUnlessNothingWasTouched)
{
    builder_.handle<ProcessPayment>(
        [](const ProcessPayment& command, HandlerContext& context) -> std::string {
            EXPECT_FALSE(context.effect_key().empty());
            if (command.order_id == "refused") context.untouched();
            throw std::domain_error{"as it was thrown"};
        }
    );
    const auto mediator = must_open(builder_);

    EXPECT_THROW(static_cast<void>(mediator->send(payment("lost"))), std::domain_error);
    const auto again = mediator->send(payment("lost"));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, SendErrc::in_doubt);
    EXPECT_EQ(again.error().effect, Effect::unknown);
    EXPECT_EQ(record_of(*mediator, "process_payment", "payment:lost").status, Status::in_doubt);

    EXPECT_THROW(static_cast<void>(mediator->send(payment("refused"))), std::domain_error);
    EXPECT_THROW(static_cast<void>(mediator->send(payment("refused"))), std::domain_error)
        << "it ran once only";

    // An operator finds out, and the sender gets its answer.
    const RecordId lost{
        *TenantId::parse("default"),
        *Operation::parse("process_payment"),
        *Key::parse("payment:lost")
    };
    Response response;
    response.body = "\"paid by hand\"";
    must(mediator->engine().resolve(lost, Resolution::succeeded, response, "asked the bank"));
    EXPECT_EQ(mediator->send(payment("lost")), "paid by hand");
}

TEST_F(MediatorOnDatabase, AReconcilerTellsWhatBecameOfADoubt)
{
    builder_.handle<ProcessPayment>(
        [](const ProcessPayment&, HandlerContext&) -> std::string {
            throw std::domain_error{"line cut"};
        },
        {.reconcile =
             blocking_reconciler([](const Enquiry&) { return happened(std::string{"paid"}); }),
         .settle = 1h}
    );
    const auto mediator = must_open(builder_);
    EXPECT_THROW(static_cast<void>(mediator->send(payment("1"))), std::domain_error);

    const auto again = mediator->send(payment("1"));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, SendErrc::in_doubt);
    EXPECT_TRUE(again.error().retry_after) << "somebody finds out, so it is worth coming back";

    // As if that time had passed.
    must(transact([](Transaction& transaction) -> Result<void> {
        const auto changed = transaction.execute("UPDATE umavez_records SET retry_at = 1");
        if (!changed) return std::unexpected(changed.error());
        return {};
    }));
    test::wait_until("the reconciler is asked", [&] {
        const auto sent = mediator->send(payment("1"));
        if (!sent) return sent.error().effect != Effect::unknown;
        EXPECT_EQ(*sent, "paid");
        return true;
    });
    EXPECT_TRUE(mediator->send(payment("1")));
}

TEST_F(MediatorOnDatabase, WhoWaitsForARunningTransactionStopsWaitingWhenTold)
{
    std::atomic<bool> is_inside{false};
    std::promise<void> opened;
    const std::shared_future<void> open{opened.get_future()};
    builder_.handle<CreateOrder>(
        [&](const CreateOrder& command, Transaction& transaction) {
            is_inside = true;
            static_cast<void>(test::is_met("the handler may go on", open));
            return insert(command, transaction);
        },
        patient
    );
    const auto mediator = must_open(builder_);
    auto first = std::async(std::launch::async, [&] { return mediator->send(order("k")); });
    test::wait_until("the handler runs", [&] { return is_inside.load(); });
    std::stop_source stop;
    auto second = std::async(std::launch::async, [&] {
        return mediator->send(order("k"), {.stop = stop.get_token()});
    });
    // Nothing tells that it waits; where it has not come so far it is cancelled all the same.
    EXPECT_EQ(second.wait_for(100ms), std::future_status::timeout) << "it does not wait";

    stop.request_stop();

    const auto told = test::wait_for("the second stops waiting", std::move(second));
    EXPECT_EQ(told.error().code, SendErrc::cancelled);
    opened.set_value();
    EXPECT_TRUE(first.get());
    EXPECT_EQ(rows(), 1);
}

// Tries once more after an error or an exception.
Task<Sent> try_again(Send&, Next next)
{
    try {
        Sent sent = co_await next();
        if (sent) co_return sent;
    } catch (const std::domain_error&) {
    }
    co_return co_await next();
}

TEST_F(MediatorOnDatabase, AnAttemptThatFailedLeavesNoRows)
{
    int attempts = 0;
    builder_.use(idempotency()).use(try_again);
    builder_.handle<CreateOrder>(
        [&attempts](const CreateOrder& command, Transaction& transaction) {
            ++attempts;
            CreateOrder mine = command;
            mine.email += std::to_string(attempts);
            auto made = insert(mine, transaction);
            if (attempts == 1) made = fail(Errc::invalid_argument, "not yet");
            if (attempts == 3) throw std::domain_error{"not yet"};
            return made;
        },
        patient
    );
    const auto mediator = must_open(builder_);

    EXPECT_TRUE(mediator->send(order("k1")));
    EXPECT_TRUE(mediator->send(order("k2")));
    EXPECT_EQ(attempts, 4);
    EXPECT_EQ(rows(), 2);
}

TEST_F(MediatorOnDatabase, WhatAnEarlierAttemptMayHaveTouchedStaysInDoubt)
{
    int attempts = 0;
    builder_.use(idempotency()).use(try_again);
    builder_.handle<ProcessPayment>(
        [&attempts](const ProcessPayment&, HandlerContext& context) -> std::string {
            if (++attempts == 2) context.untouched();
            throw std::domain_error{"charged, or not"};
        }
    );
    const auto mediator = must_open(builder_);

    EXPECT_THROW(static_cast<void>(mediator->send(payment("1"))), std::domain_error);
    EXPECT_EQ(mediator->send(payment("1")).error().code, SendErrc::in_doubt);
    EXPECT_EQ(attempts, 2);
}

TEST_F(MediatorOnDatabase, WhatAnOuterTransactionUndoesIsNotCounted)
{
    builder_.handle<CreateOrder>(insert, patient);
    const auto mediator = must_open(builder_);

    for (const bool commits : {false, true}) {
        static_cast<void>(transact([&](Transaction& outer) -> Result<void> {
            EXPECT_TRUE(mediator->send_in(outer, order("k")));
            if (commits) return {};
            return fail(Errc::invalid_argument, "changed my mind");
        }));
    }
    EXPECT_EQ(count(*mediator, "create_order", SendOutcome::executed), 1u);
}

}  // namespace
}  // namespace umavez::orders
