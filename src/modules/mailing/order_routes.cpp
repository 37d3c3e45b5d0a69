#include "http/parameters.hpp"
#include "modules/mailing/module_routes.hpp"
#include "modules/mailing/operations.hpp"
#include "modules/mailing/routes.hpp"
#include "modules/mailing/schemas.hpp"

#include <array>
#include <utility>

namespace umavez::mailing {
namespace {

using key_protocol::AtomicAction;
using key_protocol::AtomicRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;

// Found when a draft shall be started. The rest of what goes wrong there is the database's.
bool is_about_file(const Error& error)
{
    return error.code == Errc::not_found || error.code == Errc::misconfigured;
}

http::Problem no_file(const Error& error)
{
    return {
        .name = "invalid-transition",
        .detail =
            {"the file of this mailing is not in the server's storage; nothing was started. "
             "Whoever "
             "runs the server can bring the folder back (mailing.storage); else upload the file "
             "under another name",
             "o arquivo deste mailing não está na pasta do servidor; nada foi iniciado. Quem opera "
             "o servidor pode repor a pasta (mailing.storage); senão, envie o arquivo com outro "
             "nome"},
        .cause = error.detail,
    };
}

Answered to_answer(const Ordered& ordered)
{
    if (!ordered && is_about_file(ordered.error())) return refused(no_file(ordered.error()));
    if (!ordered) return std::unexpected(ordered.error());
    if (!*ordered) return refused(ordered->error());
    return to_response(200, **ordered);
}

http::Answer mailing_answer(std::string description)
{
    return {
        .status = 200,
        .description = std::move(description),
        .body = mailing_schema(),
        .example = mailing_example,
    };
}

OrProblem<AtomicAction> prepare_alterar(const Exchange& exchange)
{
    auto changes = read_message_changes(exchange.body, exchange.language);
    if (!changes) return std::unexpected(std::move(changes).error());
    return [tenant_id = exchange.caller.tenant_id,
            uuid = std::string{http::get_parameter(exchange.request, "id")},
            changes = *std::move(changes)](Transaction& transaction) {
        return to_answer(change_message(transaction, tenant_id, uuid, changes));
    };
}

AtomicRoute alterar()
{
    http::Route route = declare(
        "PATCH", "/api/v1/mailings/{id}", "mailings.alterar", "Change the message of a draft"
    );
    route.description =
        "Members that are left out stay as they are. Texts may name columns of the file: "
        "`{{nome}}`, and `{{email}}`, `{{descadastro}}`. Whether the file has them is told by "
        "`iniciar`.";
    route.path = {mailing_parameter()};
    route.body = http::Body{
        .schema = message_changes_schema(),
        .example = R"({"assunto":"Olá, {{nome}}","remetente":"Loja <news@loja.example>",)"
                   R"("texto":"Oi {{nome}}, ..."})",
    };
    route.answers = {mailing_answer("The mailing with its message")};
    route.problems = {"validation", "not-found", "invalid-transition"};
    return {.route = std::move(route), .operation = mailings_alterar(), .prepare = prepare_alterar};
}

struct OrderWords {
    Order order;
    const char* summary;
    const char* description;
};

constexpr std::array order_words = {
    OrderWords{
        Order::iniciar,
        "Send a draft",
        "Its message must be complete, and name only columns that the file has."
    },
    OrderWords{
        Order::pausar,
        "Pause a mailing",
        "Its worker stops before the next batch; what it handed over before is still written down."
    },
    OrderWords{Order::retomar, "Go on with a paused mailing", "It goes on where it stopped."},
    OrderWords{
        Order::cancelar, "Give a mailing up", "What was sent stays sent; nothing more is sent."
    },
    OrderWords{
        Order::reenviar_falhas,
        "Send to those again whose mail failed",
        "`incertas` also sends to those whose mail may have arrived: they may get it twice."
    },
};

AtomicRoute ordering(const OrderWords& words, const Premises& premises)
{
    const std::string name{to_text(words.order)};
    http::Route route =
        declare("POST", "/api/v1/mailings/{id}/" + name, "mailings." + name, words.summary);
    route.description = words.description;
    route.path = {mailing_parameter()};
    const bool has_body = words.order == Order::reenviar_falhas;
    if (has_body) {
        route.body = http::Body{
            .schema =
                http::object({{.name = "incertas", .type = http::boolean(), .required = false}}),
            .example = R"({"incertas":true})",
            .required = false,
        };
    }
    route.answers = {mailing_answer("The mailing as it is then")};
    route.problems = {"not-found", "invalid-transition"};
    if (has_body || words.order == Order::iniciar) route.problems.emplace_back("validation");
    AtomicRoute made{.route = std::move(route), .operation = mailings_order(words.order)};
    made.prepare = [order = words.order,
                    premises](const Exchange& exchange) -> OrProblem<AtomicAction> {
        MailingOrder wish{
            .tenant_id = exchange.caller.tenant_id,
            .uuid = std::string{http::get_parameter(exchange.request, "id")},
            .order = order,
            .language = exchange.language,
        };
        if (order == Order::reenviar_falhas) {
            const auto incertas = read_incertas(exchange.body, exchange.language);
            if (!incertas) return std::unexpected(incertas.error());
            wish.incertas = *incertas;
        }
        return [wish = std::move(wish), premises](Transaction& transaction) {
            return to_answer(run_order(transaction, wish, premises));
        };
    };
    return made;
}

}  // namespace

void add_order_routes(key_protocol::Api& api, const Premises& premises)
{
    api.add(alterar());
    for (const OrderWords& words : order_words) api.add(ordering(words, premises));
}

void add_routes(key_protocol::Api& api, const Premises& premises)
{
    add_mailing_routes(api);
    add_order_routes(api, premises);
    add_suppression_routes(api);
}

}  // namespace umavez::mailing
