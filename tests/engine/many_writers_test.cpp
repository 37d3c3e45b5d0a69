// Atomic mode over a store that has other writers: an absent key may be taken before the transaction
// ends, so it is claimed before the handler runs. Here SQLite plays that store.

#include "engine/make_engine.hpp"
#include "shop.hpp"
#include "simulation/transactional_decorator.hpp"
#include "store/sqlite/sqlite_store.hpp"

#include <stdexcept>

namespace umavez::shop {
namespace {

class ManyWriters final : public simulation::TransactionalDecorator {
public:
    explicit ManyWriters(TransactionalStore& inner)
        : TransactionalDecorator(inner, inner), traits_(inner.traits())
    {
        traits_.one_writer = false;
    }

    using TransactionalDecorator::insert_or_get;
    const StoreTraits& traits() const noexcept override { return traits_; }
    Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) override
    {
        ++claims;
        return TransactionalDecorator::insert_or_get(transaction, std::move(insertion));
    }
    Result<Record> insert(Transaction&, Insertion) override
    {
        return fail(Errc::invalid_argument, "what was absent need not be absent any more");
    }

    int claims = 0;

private:
    StoreTraits traits_;
};

class ManyWritersTest : public testing::Test {
protected:
    void SetUp() override
    {
        shop_.engine = make_engine(store_, {.worker_period = std::nullopt});
        shop_.declare({.name = "pedidos.criar", .policy = {.guarantee = Guarantee::atomic}});
        shop_.start();
    }
    void TearDown() override { shop_.engine.reset(); }

    Result<Outcome> order(std::string_view key, AtomicHandler handler)
    {
        return shop_.engine->atomically(request("pedidos.criar", key), std::move(handler));
    }

    Shop shop_;
    std::unique_ptr<TransactionalStore> inner_ = *open_sqlite_store(*shop_.database);
    ManyWriters store_{*inner_};
};

TEST_F(ManyWritersTest, ANewKeyIsClaimedAndItsRetryIsReplayed)
{
    const auto first = order("k1", inserting("a"));
    const auto second = order("k1", inserting("b"));

    EXPECT_EQ(get<Executed>(first).response.body, "made a");
    EXPECT_EQ(get<Replayed>(second).response.body, "made a");
    EXPECT_EQ(shop_.count(), 1);
    EXPECT_GE(store_.claims, 1);
}

TEST_F(ManyWritersTest, TheClaimIsInTheTransactionOfTheHandlerAndNoWhereElse)
{
    const RecordId id{
        *TenantId::parse("acme"), *Operation::parse("pedidos.criar"), *Key::parse("k1")
    };
    std::optional<Status> inside;
    const auto done = order("k1", [&](Transaction& transaction) -> Result<Response> {
        const auto seen = inner_->find(transaction, id);
        if (seen && seen->record) inside = seen->record->status;
        return Response{.status = 201};
    });

    get<Executed>(done);
    EXPECT_EQ(inside, Status::processing);
    EXPECT_EQ(shop_.engine->explain(id)->record->status, Status::succeeded);
}

TEST_F(ManyWritersTest, AFinalRefusalKeepsItsAnswerAndAPassingOneKeepsNothing)
{
    EXPECT_EQ(get<Executed>(order("k1", inserting("a", 422))).response.status, 422);
    EXPECT_EQ(get<Replayed>(order("k1", inserting("a"))).response.status, 422);
    EXPECT_EQ(get<Executed>(order("k2", inserting("b", 503))).response.status, 503);
    EXPECT_THROW(
        static_cast<void>(order("k3", inserting("c", 201, [] { throw std::runtime_error{"no"}; }))),
        std::runtime_error
    );

    EXPECT_EQ(shop_.count(), 0);
    EXPECT_EQ(shop_.count("umavez_records"), 1);
    get<Executed>(order("k2", inserting("b")));
    EXPECT_EQ(shop_.count(), 1);
}

TEST_F(ManyWritersTest, ARecordThatIsThereIsTakenOver)
{
    get<Executed>(order("k1", inserting("a")));
    const auto ended = shop_.transact([](Transaction& transaction) -> Result<void> {
        const auto changed = transaction.execute("UPDATE umavez_records SET expires_at = 1");
        if (!changed) return std::unexpected(changed.error());
        return {};
    });
    ASSERT_TRUE(ended);

    EXPECT_EQ(get<Executed>(order("k1", inserting("b"))).response.body, "made b");
    EXPECT_EQ(shop_.count("umavez_records"), 1);
}

}  // namespace
}  // namespace umavez::shop
