// Keys of operations that expire, and what never does.

#include "modules/propostas/test_office.hpp"

namespace umavez::propostas {
namespace {

using namespace std::chrono_literals;

TEST(Retention, RecordAndRowAreSweptTogetherAndEntitiesKeepTheirKeys)
{
    Office office{{.retencao_operacoes = Duration{1}}};
    office.open_draft();
    office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");
    office.patch("/api/v1/clientes/1", "p", R"({"nome":"João"})");
    EXPECT_EQ(office.ask("SELECT count(*) FROM idempotencia_operacoes"), "2");

    const auto swept = office.engine->sweep_once();

    ASSERT_TRUE(swept) << swept.error().detail;
    EXPECT_EQ(swept->records, 2u);
    EXPECT_EQ(office.ask("SELECT count(*) FROM idempotencia_operacoes"), "0");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_records"), "2");
    EXPECT_EQ(office.ask("SELECT idempotencia_key FROM clientes"), "client-001");
    EXPECT_EQ(office.ask("SELECT idempotencia_key FROM propostas"), "proposta-001");
    EXPECT_TRUE(office.post("/api/v1/clientes", "client-001", Office::joao).is_replay());
}

TEST(Retention, AnExpiredKeyCountsNoMoreEvenBeforeItIsSwept)
{
    Office office{{.retencao_operacoes = Duration{1}}};
    office.open_draft();
    office.send("POST", "/api/v1/propostas", R"({"cliente_id":1,"valor":2})");
    office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");

    const Answer reused = office.post("/api/v1/propostas/2/submeter", "s", R"({"versao":1})");

    EXPECT_EQ(reused.status, 200) << reused;
    EXPECT_FALSE(reused.is_replay());
    EXPECT_EQ(office.ask("SELECT entidade_id FROM idempotencia_operacoes"), "2");
}

TEST(Retention, ThirtyDaysAreWrittenIntoTheRowAndForeverIsNull)
{
    Office office{{.retencao_operacoes = 24h * 30}};
    office.open_draft();
    office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");
    EXPECT_EQ(
        office.ask("SELECT (expires_at - created_at) / 86400000000 FROM idempotencia_operacoes"),
        "30"
    );
    EXPECT_EQ(
        office.ask("SELECT count(*) FROM umavez_records r JOIN idempotencia_operacoes o "
                   "ON r.expires_at = o.expires_at"),
        "1"
    );

    Office forever;
    forever.open_draft();
    forever.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");
    EXPECT_EQ(
        forever.ask("SELECT count(*) FROM idempotencia_operacoes WHERE expires_at IS NULL"), "1"
    );
}

}  // namespace
}  // namespace umavez::propostas
