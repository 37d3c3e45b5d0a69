// Leased: the effect is outside (here a gateway that writes a file). The claim is durable before the charge,
// the answer after it; if this process dies in between, the reconciler asks the gateway before anything is
// charged again.
//
//     leased_charge KEY

#include <umavez/umavez.hpp>

#include <cstdio>
#include <fstream>
#include <string>

using namespace umavez;

namespace {

// Stands for the payment provider: one line per charge, by effect key.
class Gateway {
public:
    std::string charge(const std::string& effect_key)
    {
        std::ofstream{"gateway.log", std::ios::app} << effect_key << '\n';
        return "{\"cobranca\":\"" + effect_key + "\"}";
    }

    bool knows(const std::string& effect_key) const
    {
        std::ifstream log{"gateway.log"};
        for (std::string line; std::getline(log, line);) {
            if (line == effect_key) return true;
        }
        return false;
    }
};

Response created(std::string body)
{
    Response response{.status = 201};
    response.body = std::move(body);
    return response;
}

Result<Outcome> charge_once(Gateway& gateway, const std::string& key)
{
    auto parsed = Key::parse(key);
    if (!parsed) return std::unexpected(parsed.error());
    auto database = open_database("sqlite:cobrancas.db");
    if (!database) return std::unexpected(database.error());
    auto engine = open_engine(**database);
    if (!engine) return std::unexpected(engine.error());

    OperationSpec cobrar{.name = "pagamentos.cobrar", .policy = {.guarantee = Guarantee::leased}};
    cobrar.reconcile = blocking_reconciler([&gateway](const Enquiry& enquiry) -> Reconciliation {
        if (!gateway.knows(enquiry.effect_key)) return DidNotHappen{};
        return Happened{created("{\"cobranca\":\"" + enquiry.effect_key + "\"}")};
    });
    if (auto done = (*engine)->declare(std::move(cobrar)); !done) return std::unexpected(done.error());
    if (auto done = (*engine)->start(); !done) return std::unexpected(done.error());

    const Request request{
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse("pagamentos.cobrar"),
        .key = *parsed,
        .target = make_target({"pagamentos.cobrar"}),
        .fingerprint = *fingerprint_json(R"({"valor": 1500.00})"),
    };
    return (*engine)->leased(request, [&gateway](Lease& lease) {
        return created(gateway.charge(lease.effect_key()));
    });
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("usage: leased_charge KEY\n", stderr);
        return 2;
    }
    Gateway gateway;
    const auto outcome = charge_once(gateway, argv[1]);
    if (!outcome) {
        std::fprintf(stderr, "leased_charge: %s\n", outcome.error().detail.c_str());
        return 1;
    }
    std::string answer;
    if (const auto* const executed = std::get_if<Executed>(&*outcome)) answer = executed->response.body;
    if (const auto* const replayed = std::get_if<Replayed>(&*outcome)) answer = replayed->response.body;
    std::printf("%s %s\n", std::string{to_text(*outcome)}.c_str(), answer.c_str());
    return 0;
}
