// Many at once on one series: every number once, none left out, whatever is undone in between.

#include "modules/fiscal/documentos_table.hpp"
#include "modules/fiscal/numbering/reserve.hpp"
#include "modules/fiscal/numbering/test_office.hpp"

#include <random>

namespace umavez::fiscal {
namespace {

using modules::at_once;

constexpr std::size_t threads = 8;
constexpr int rounds = 200;

std::int64_t number_of(const Answer& answer)
{
    return std::stoll(answer["numero"]);
}

// Whether the documents of a table are 1..n, each number once.
void expect_without_gap(Office& office, std::int64_t n)
{
    const std::string count = std::to_string(n);
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), count);
    EXPECT_EQ(office.ask("SELECT count(DISTINCT numero) FROM documentos_fiscais"), count);
    EXPECT_EQ(office.ask("SELECT min(numero) FROM documentos_fiscais"), "1");
    EXPECT_EQ(office.ask("SELECT max(numero) FROM documentos_fiscais"), count);
    EXPECT_EQ(office.ask("SELECT ultimo_numero FROM faixas_numeracao"), count);
}

NovaReserva wanted()
{
    return {
        .serie = {Tipo::nfse_nacional, Ambiente::homologacao, Office::cnpj, "1"},
        .lugar = {.municipio = "2111300"},
    };
}

TEST(ReservasConcurrent, NumbersHaveNoGapAlthoughAThirdOfTheTransactionsIsUndone)
{
    Office office;
    office.open();
    std::atomic<std::int64_t> kept = 0;

    at_once(threads, [&](std::size_t thread) {
        std::minstd_rand random{static_cast<unsigned>(thread + 1)};
        for (int i = 0; i < rounds; ++i) {
            const bool is_undone = random() % 10 < 3;
            const auto reserve = [&](Transaction& transaction) -> Result<void> {
                const auto reserved =
                    reserve_number(transaction, access::default_tenant(), wanted());
                if (!reserved) return std::unexpected(reserved.error());
                if (!*reserved) return fail(Errc::invalid_argument, reserved->error().name);
                if (is_undone) return fail(Errc::invalid_argument, "undone");
                return {};
            };
            const auto done = modules::transact_in_the_end(*office.database, reserve);
            if (done) ++kept;
            EXPECT_TRUE(done || (is_undone && done.error().detail == "undone"))
                << done.error().detail;
        }
        return Answer{};
    });

    EXPECT_GT(kept, threads * rounds / 2);
    expect_without_gap(office, kept);
}

TEST(ReservasConcurrent, EveryKeyHasItsNumber)
{
    Office office;
    office.open();
    std::vector<std::vector<std::int64_t>> numbers(threads);

    // Two threads share their keys: whoever is second gets what the first got.
    at_once(threads, [&](std::size_t thread) {
        for (int i = 0; i < rounds / 2; ++i) {
            const std::string key = fmt::format("r{}-{}", thread / 2, i);
            const Answer answer = modules::until_answered([&] { return office.reserve(key); });
            EXPECT_EQ(answer.status, 201) << answer;
            numbers[thread].push_back(number_of(answer));
        }
        return Answer{};
    });

    for (std::size_t i = 0; i < threads; i += 2) EXPECT_EQ(numbers[i], numbers[i + 1]);
    expect_without_gap(office, static_cast<std::int64_t>(threads) / 2 * rounds / 2);
}

TEST(ReservasConcurrent, OneNumberInTwoTownsIsOfWhoeverComesFirst)
{
    Office office;
    office.open({}, "k", 50);
    std::atomic<int> taken = 0;

    at_once(threads, [&](std::size_t thread) {
        for (std::int64_t numero = 1; numero <= 50; ++numero) {
            const Identidade identidade{
                .emitente = Office::cnpj,
                .serie = "1",
                .numero = numero,
                .id_idempotencia = fmt::format("town-{}-{}", thread, numero),
            };
            const TenantId tenant_id = access::default_tenant();
            const auto take = [&](Transaction& transaction) -> Result<void> {
                const auto made = insert_documento(
                    transaction, {.tenant_id = tenant_id, .identidade = identidade}
                );
                if (!made) return std::unexpected(made.error());
                const auto problem =
                    check_unreserved(transaction, tenant_id, identidade, NumberCheck::before_use);
                if (!problem) return std::unexpected(problem.error());
                if (*problem) return fail(Errc::lease_lost, (*problem)->name);
                return {};
            };
            if (modules::transact_in_the_end(*office.database, take)) ++taken;
        }
        return Answer{};
    });

    EXPECT_EQ(taken, 50);
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "50");
    EXPECT_EQ(office.ask("SELECT count(DISTINCT numero) FROM documentos_fiscais"), "50");
}

TEST(ReservasConcurrent, ABlockedSeriesGivesOutNothingMore)
{
    Office office;
    office.open();
    std::atomic<int> given = 0;

    at_once(threads, [&](std::size_t thread) {
        if (thread == 0) {
            return modules::until_answered([&] {
                return office.patch(
                    "/api/v1/numeracao/faixas/1", "p", R"({"bloqueado":true,"versao":1})"
                );
            });
        }
        for (int i = 0; i < 20; ++i) {
            const std::string key = fmt::format("r{}-{}", thread, i);
            const Answer answer = modules::until_answered([&] { return office.reserve(key); });
            EXPECT_TRUE(answer.status == 201 || answer.is_problem("serie-bloqueada")) << answer;
            if (answer.status == 201) ++given;
        }
        return Answer{};
    });

    EXPECT_TRUE(office.reserve("after").is_problem("serie-bloqueada"));
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), std::to_string(given.load()));
    EXPECT_EQ(
        office.ask("SELECT ultimo_numero FROM faixas_numeracao"), std::to_string(given.load())
    );
}

}  // namespace
}  // namespace umavez::fiscal
