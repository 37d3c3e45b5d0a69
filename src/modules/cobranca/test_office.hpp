#pragma once

// Office: the routes of Cobrança, ready to be asked. Confined to the test.

#include "messaging/outbox.hpp"
#include "modules/cobranca/answers.hpp"
#include "modules/cobranca/routes.hpp"
#include "modules/cobranca/schema.hpp"
#include "modules/parts/test_office.hpp"

namespace umavez::cobranca {

using modules::Answer;

class Office : public modules::TestOffice {
public:
    Office()
        : TestOffice({
              .add_routes = add_routes,
              .migrations = {messaging::migrations, migrations},
              .problems = problem_kinds(),
          })
    {
    }

    // A subscription of 300.00 and its invoice for January, both with id 1.
    void open_invoice()
    {
        EXPECT_EQ(post("/api/v1/assinaturas", "assinatura-001", ouro).status, 201);
        EXPECT_EQ(post("/api/v1/faturas", "fatura-001", january).status, 201);
    }
    Answer pay(const std::string& key, const std::string& valor, int fatura_id = 1)
    {
        return post("/api/v1/pagamentos", key, payment(valor, fatura_id));
    }
    static std::string payment(const std::string& valor, int fatura_id = 1)
    {
        return R"({"fatura_id":)" + std::to_string(fatura_id) + R"(,"valor":)" + valor +
               R"(,"meio":"pix"})";
    }

    // The outbox, a line for each event: "fatura.paga fatura/1".
    std::string events()
    {
        std::string lines;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            lines.clear();
            const auto rows =
                transaction.query("SELECT type, aggregate FROM umavez_outbox ORDER BY id");
            if (!rows) return std::unexpected(rows.error());
            for (const Row& row : *rows) lines += row.text(0) + " " + row.text(1) + "\n";
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return lines;
    }

    static constexpr const char* ouro =
        R"({"cliente":"joao@example.com","plano":"ouro","valor":300,"ciclo":"mensal"})";
    static constexpr const char* january = R"({"assinatura_id":1,"competencia":"2026-01"})";
};

}  // namespace umavez::cobranca
