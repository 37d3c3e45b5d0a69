#pragma once

// Office: the routes of numbering, ready to be asked. Confined to the test.

#include "modules/fiscal/numbering/answers.hpp"
#include "modules/fiscal/numbering/routes.hpp"
#include "modules/fiscal/schema.hpp"
#include "modules/parts/test_office.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {

using modules::Answer;

class Office : public modules::TestOffice {
public:
    static constexpr const char* cnpj = "00574753000100";
    static constexpr const char* other_cnpj = "12ABC34501DE35";

    Office()
        : TestOffice({
              .add_routes =
                  [](key_protocol::Api& api) {
                      add_numbering_routes(api, [](const TenantId&, const std::string& emitente) {
                          return emitente == cnpj || emitente == other_cnpj;
                      });
                  },
              .migrations = {migrations},
              .problems = numbering_problem_kinds(),
          })
    {
    }

    struct Where {
        std::string tipo = "nfse-nacional";
        std::string ambiente = "homologacao";
        std::string emitente = cnpj;
        std::string serie = "1";
        std::string municipio = "2111300";
    };

    static std::string series(const Where& where)
    {
        return fmt::format(
            R"("tipo":"{}","ambiente":"{}","emitente":"{}","serie":{})",
            where.tipo,
            where.ambiente,
            where.emitente,
            to_json_text(where.serie)
        );
    }
    static std::string place(const Where& where)
    {
        if (where.tipo == "nfse-nacional") return R"("municipio":")" + where.municipio + '"';
        if (where.tipo == "nfse-sp") return R"("inscricao_municipal":"31000000")";
        return R"("uf":"35")";
    }

    Answer open(const Where& where, const std::string& key, std::int64_t ultimo_numero = 0)
    {
        return post(
            "/api/v1/numeracao/faixas",
            key,
            fmt::format(R"({{{},"ultimo_numero":{}}})", series(where), ultimo_numero)
        );
    }
    Answer open() { return open({}, "faixa"); }

    Answer reserve(const std::string& key) { return reserve({}, key); }
    Answer reserve(const Where& where, const std::string& key)
    {
        return post(
            "/api/v1/numeracao/reservas", key, fmt::format("{{{},{}}}", series(where), place(where))
        );
    }
};

}  // namespace umavez::fiscal
