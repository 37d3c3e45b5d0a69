#pragma once

// Office: the routes of fiscal documents over an authority with a ledger, ready to be asked. Confined to the
// test, but send() may be called by many threads.

#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/routes.hpp"
#include "modules/fiscal/schema.hpp"
#include "modules/fiscal/test_bench.hpp"
#include "modules/parts/test_office.hpp"

#include <functional>
#include <memory>

namespace umavez::fiscal {

using modules::Answer;

// What must be there before the routes are, and go after them.
struct OfficeParts {
    explicit OfficeParts(Settings chosen) : settings(std::move(chosen)) {}

    TestAuthority authority;
    Settings settings;
    std::function<Result<std::optional<http::Problem>>(
        Transaction&, const TenantId&, const Identidade&, NumberCheck
    )>
        check_number;
    std::unique_ptr<Module> module;
};

// "<nfce n='17' e='9'>…": an NFC-e, off-line where e is 9.
inline std::string test_nfce(std::int64_t numero, char tp_emis = '1')
{
    return "<nfce n='" + std::to_string(numero) + "' e='" + tp_emis + "'/>";
}
inline Result<Identidade> read_test_nfce(std::string_view xml, std::optional<Ambiente> = {})
{
    constexpr std::string_view start = "<nfce n='";
    if (!xml.starts_with(start)) return fail(Errc::invalid_argument, "the root is not nfce");
    const std::int64_t numero = std::stoll(std::string{xml.substr(start.size())});
    const auto key = AccessKey::build({
        .natural =
            {
                .tipo = Tipo::nfce,
                .uf = "35",
                .inscricao = cnpj,
                .serie = 1,
                .numero = numero,
                .tp_emis = xml[xml.find("e='") + 3] - '0',
            },
        .aamm = "2611",
        .c_nf = "10203040",
    });
    if (!key) return fail(Errc::invalid_argument, "no such key");
    return Identidade{
        .tipo = Tipo::nfce,
        .ambiente = Ambiente::homologacao,
        .emitente = cnpj,
        .serie = "1",
        .numero = numero,
        .id_idempotencia = id_idempotencia(Ambiente::homologacao, key->natural_key()),
        .id_autoridade = key->text(),
    };
}

class Office : private OfficeParts, public modules::TestOffice {
public:
    explicit Office(Settings chosen = quick_settings())
        : OfficeParts(std::move(chosen)),
          TestOffice({
              .add_routes = [this](key_protocol::Api& api) { open(api); },
              .migrations = {migrations},
              .problems = problem_kinds(),
          })
    {
    }

    using OfficeParts::authority;
    using OfficeParts::check_number;
    using OfficeParts::module;

    static std::string body(std::int64_t numero, const std::string& content = "10.00")
    {
        return R"({"tipo":"nfse-nacional","xml":")" + test_xml(numero, content) + R"("})";
    }
    Answer emit(
        std::int64_t numero, const std::string& content = "10.00", const std::string& key = ""
    )
    {
        std::vector<Header> headers;
        if (!key.empty()) headers.push_back({"Idempotency-Key", key});
        return send("POST", "/api/v1/documentos-fiscais", body(numero, content), headers);
    }
    Answer cancel(int id)
    {
        return send(
            "POST",
            "/api/v1/documentos-fiscais/" + std::to_string(id) + "/cancelar",
            R"({"justificativa":"pedido do cliente, em duplicidade"})"
        );
    }
    Answer conciliar(int id)
    {
        return send("POST", "/api/v1/documentos-fiscais/" + std::to_string(id) + "/conciliar");
    }

    // Asks until the doubt is over: when the authority may be asked again is a matter of time, not of the
    // number of questions.
    static Answer ask_until_known(const std::function<Answer()>& ask)
    {
        Answer answer;
        test::wait_until("the doubt is over", [&] {
            answer = ask();
            return answer.status != 202;
        });
        return answer;
    }

    // A member of the document in an answer.
    static std::string of(const Answer& answer, std::string_view name)
    {
        const auto tree = JsonTree::parse(answer.body);
        if (!tree) return "not JSON: " + answer.body;
        const auto documento = tree->root().find("documento");
        if (!documento) return "no document: " + answer.body;
        const auto value = documento->find(name);
        if (!value) return "absent";
        if (value->kind() == JsonKind::string) return std::string{value->string()};
        if (value->kind() == JsonKind::number) return std::string{value->number()};
        return value->kind() == JsonKind::null ? "null" : "another kind";
    }

private:
    void open(key_protocol::Api& api)
    {
        module = std::make_unique<Module>(Needs{
            .engine = *engine,
            .database = *database,
            .tipos =
                {{Tipo::nfse_nacional, {&authority, read_test_xml}},
                 {Tipo::nfce, {&authority, read_test_nfce}}},
            .issuers = {{cnpj, tenant}},
            .settings = settings,
            .check_number = [this](
                                Transaction& transaction,
                                const TenantId& id,
                                const Identidade& who,
                                NumberCheck why
                            ) -> Result<std::optional<http::Problem>> {
                if (!check_number) return std::nullopt;
                return check_number(transaction, id, who, why);
            },
        });
        for (OperationSpec& spec : operations(*module)) {
            const auto declared = engine->declare(std::move(spec));
            EXPECT_TRUE(declared) << declared.error().detail;
        }
        add_routes(api, *module);
    }
};

}  // namespace umavez::fiscal
