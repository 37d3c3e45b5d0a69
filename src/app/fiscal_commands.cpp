// Commands about fiscal documents: fiscal show, fiscal reconcile, fiscal numbers.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "app/record_places.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

Colour colour_of_document(std::string_view estado)
{
    if (estado == "AUTORIZADO") return Colour::green;
    if (estado == "INDETERMINADO" || estado == "REJEITADO" || estado == "DENEGADO") {
        return Colour::red;
    }
    if (estado == "CANCELADO" || estado == "SUBSTITUIDO" || estado == "INUTILIZADO") {
        return Colour::grey;
    }
    return estado == "RESERVADO" ? Colour::blue : Colour::yellow;
}

Colour colour_of_word(std::string_view word)
{
    if (word == "authorised" || word == "cancelled") return Colour::green;
    if (word == "refused" || word == "denied" || word == "throttled") return Colour::red;
    return word == "absent" ? Colour::none : Colour::yellow;
}

// "E0014 já existe; E0015 …"
std::string to_line(const std::optional<JsonValue>& mensagens)
{
    std::string line;
    if (!mensagens || mensagens->kind() != JsonKind::array) return line;
    for (const JsonValue mensagem : mensagens->elements()) {
        if (!line.empty()) line += "; ";
        line += shown(text_of(mensagem, "codigo") + " " + text_of(mensagem, "descricao"));
    }
    return line;
}

void print_line(std::string_view name, const std::string& text)
{
    if (!text.empty()) fmt::print("  {:<14} {}\n", name, text);
}

// "2026-11-17T12:00:00.000000Z, 3 min ago"
std::string to_moment(const JsonValue& object, std::string_view name, const JsonValue& answer)
{
    const std::string at = text_of(object, name);
    return at.empty() ? at : fmt::format("{}, {}", at, distance_of(object, name, answer));
}

void print_document(const JsonValue& documento, const JsonValue& answer)
{
    const std::string estado = text_of(documento, "estado");
    fmt::print(
        "document {}: {}, series {}, number {}, of {}\n",
        number_of(documento, "id"),
        text_of(documento, "tipo"),
        shown(text_of(documento, "serie")),
        number_of(documento, "numero"),
        text_of(documento, "emitente")
    );
    print_line("state", painted(estado, colour_of_document(estado)));
    if (const std::string alert = text_of(documento, "alerta"); !alert.empty()) {
        print_line("look at this", painted(shown(alert), Colour::red));
    }
    print_line("said", to_line(documento.find("mensagens")));
    print_line("environment", text_of(documento, "ambiente"));
    print_line("tenant", text_of(answer, "tenant"));
    print_line("access key", text_of(documento, "chave_acesso"));
    print_line("protocol", shown(text_of(documento, "protocolo")));
    print_line("natural key", shown(text_of(documento, "id_idempotencia")));
    print_line("at authority", shown(text_of(documento, "id_autoridade")));
    print_line("client's key", shown(text_of(documento, "idempotencia_key")));
    print_line("bytes", text_of(documento, "xml_sha256"));
    print_line("version", number_of(documento, "versao"));
    print_line("looked at", to_moment(documento, "proxima_conciliacao_em", answer));
    if (estado == "RESERVADO" || estado == "REJEITADO") {
        print_line("void until", text_of(documento, "prazo_inutilizacao"));
    }
    print_line("created", to_moment(documento, "created_at", answer));
    print_line("changed", to_moment(documento, "updated_at", answer));
}

std::vector<Cell> cells_of_attempt(const JsonValue& attempt, const JsonValue& answer)
{
    const std::string word = text_of(attempt, "palavra");
    const std::string took = number_of(attempt, "duracao_ms");
    std::string said = to_line(attempt.find("mensagens"));
    const std::string detail = shown(text_of(attempt, "detalhe"));
    if (!detail.empty()) said += (said.empty() ? "" : "; ") + detail;
    return {
        {distance_of(attempt, "em", answer)},
        {text_of(attempt, "operacao")},
        {number_of(attempt, "tentativa")},
        // Without a word: it runs, or its process died.
        {word.empty() ? "-" : word, word.empty() ? Colour::yellow : colour_of_word(word)},
        {number_of(attempt, "http_status")},
        {took.empty() ? "" : took + " ms"},
        {said},
    };
}

void print_attempts(const JsonValue& answer)
{
    const auto attempts = answer.find("chamadas");
    if (!attempts || attempts->kind() != JsonKind::array || attempts->elements().size() == 0) {
        fmt::print("\nno authority was called\n");
        return;
    }
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue attempt : attempts->elements()) {
        rows.push_back(cells_of_attempt(attempt, answer));
    }
    fmt::print("\n{}", to_columns({"WHEN", "CALL", "TRY", "WORD", "HTTP", "TOOK", "SAID"}, rows));
}

std::string path_of(const Invocation& invocation)
{
    return "/ops/documentos-fiscais/" + operators::percent_encode(invocation.arguments.front());
}

int show(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto found =
        desk->ask({.path = path_of(invocation), .query = query_of(invocation, {"tenant"})});
    if (!found) return found.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *found->text);
        return exit_done;
    }
    const auto documento = found->root().find("documento");
    if (!documento) return complain("the answer has no document");
    print_document(*documento, found->root());
    print_attempts(found->root());
    return exit_done;
}

int reconcile(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto done = desk->ask({
        .method = "POST",
        .path = path_of(invocation) + "/conciliar",
        .query = query_of(invocation, {"tenant"}),
    });
    if (!done) return done.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *done->text);
        return exit_done;
    }
    const auto documento = done->root().find("documento");
    if (!documento) return complain("the answer has no document");
    const std::string estado = text_of(*documento, "estado");
    fmt::print(
        "document {} is {}\n",
        number_of(*documento, "id"),
        painted(estado, colour_of_document(estado))
    );
    print_line("access key", text_of(*documento, "chave_acesso"));
    print_line("said", to_line(documento->find("mensagens")));
    if (const std::string alert = text_of(*documento, "alerta"); !alert.empty()) {
        print_line("look at this", painted(shown(alert), Colour::red));
    }
    if (estado == "RESERVADO" || estado == "REJEITADO") {
        fmt::print("the authority has nothing of it\n");
        return exit_done;
    }
    const bool is_open = estado == "INDETERMINADO" || estado == "TRANSMITIDO" ||
                         estado.ends_with("_PENDENTE") || estado.ends_with("_EM_ANALISE");
    if (!is_open) return exit_done;
    const std::string next = text_of(*documento, "proxima_conciliacao_em");
    fmt::print(
        stderr,
        "{}\n",
        next.empty() ? "nobody asks about it again by itself: a person has to look at it"
                     : "the authority does not tell yet; it is asked again at " + next
    );
    return exit_failed;
}

std::vector<Cell> cells_of_range(const JsonValue& faixa, const JsonValue& answer)
{
    const auto blocked = faixa.find("bloqueado");
    const bool is_blocked = blocked && blocked->kind() == JsonKind::boolean && blocked->boolean();
    return {
        {number_of(faixa, "id")},
        {text_of(faixa, "tipo")},
        {text_of(faixa, "ambiente")},
        {text_of(faixa, "emitente")},
        {shown(text_of(faixa, "serie"))},
        {number_of(faixa, "ultimo_numero")},
        {is_blocked ? "blocked" : "open", is_blocked ? Colour::red : Colour::green},
        {distance_of(faixa, "updated_at", answer)},
        {text_of(faixa, "tenant")},
    };
}

std::vector<Cell> cells_of_unused(const JsonValue& number)
{
    const auto late = number.find("vencido");
    const bool is_late = late && late->kind() == JsonKind::boolean && late->boolean();
    return {
        {text_of(number, "prazo_inutilizacao") + (is_late ? " (over)" : ""),
         is_late ? Colour::red : Colour::none},
        {text_of(number, "tipo")},
        {text_of(number, "ambiente")},
        {text_of(number, "emitente")},
        {shown(text_of(number, "serie"))},
        {number_of(number, "numero")},
        {text_of(number, "estado"), colour_of_document(text_of(number, "estado"))},
        {number_of(number, "documento_id")},
        {text_of(number, "tenant")},
    };
}

int numbers(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto found =
        desk->ask({.path = "/ops/numeracao", .query = query_of(invocation, {"tenant"})});
    if (!found) return found.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *found->text);
        return exit_done;
    }
    const auto ranges = found->root().find("faixas");
    const auto unused = found->root().find("inutilizaveis");
    if (!ranges || !unused || ranges->kind() != JsonKind::array ||
        unused->kind() != JsonKind::array) {
        return complain("the answer lists no numbers");
    }
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue range : ranges->elements()) {
        rows.push_back(cells_of_range(range, found->root()));
    }
    fmt::print(
        "{}",
        to_columns(
            {"ID", "TYPE", "ENVIRONMENT", "ISSUER", "SERIES", "LAST", "STATE", "CHANGED", "TENANT"},
            rows
        )
    );
    if (rows.empty()) fmt::print(stderr, "no series is numbered here\n");
    rows.clear();
    for (const JsonValue number : unused->elements()) rows.push_back(cells_of_unused(number));
    if (rows.empty()) {
        fmt::print("\nevery number that was given out is used\n");
        return exit_done;
    }
    fmt::print("\nnumbers that are not used, the nearest deadline first:\n");
    fmt::print(
        "{}",
        to_columns(
            {"VOID UNTIL",
             "TYPE",
             "ENVIRONMENT",
             "ISSUER",
             "SERIES",
             "NUMBER",
             "STATE",
             "DOCUMENT",
             "TENANT"},
            rows
        )
    );
    return exit_done;
}

std::vector<CommandOption> fiscal_options()
{
    return desk_options({{"--tenant", "NAME", "of this tenant"}});
}

}  // namespace

Command fiscal_show_command()
{
    return {
        .name = "fiscal show",
        .summary = "One fiscal document, and every call that was made for it",
        .example =
            "umavez fiscal show 17\n"
            "  umavez fiscal show DPS211130020057475300010000003000000000005306\n"
            "  umavez fiscal show 17 --json",
        .options = fiscal_options(),
        .takes_settings = true,
        .argument = "ID|CHAVE|ID_IDEMPOTENCIA",
        .run = show,
    };
}

Command fiscal_reconcile_command()
{
    return {
        .name = "fiscal reconcile",
        .summary = "Ask the authority what became of a document",
        .example =
            "umavez fiscal reconcile 17\n"
            "  umavez fiscal reconcile "
            "nfse-nacional:2:2111300_2_00574753000100_00003_000000000005306",
        .options = fiscal_options(),
        .takes_settings = true,
        .argument = "ID|CHAVE|ID_IDEMPOTENCIA",
        .run = reconcile,
    };
}

Command fiscal_numbers_command()
{
    return {
        .name = "fiscal numbers",
        .summary = "Series, their last numbers, and numbers that have to be voided",
        .example =
            "umavez fiscal numbers\n"
            "  umavez fiscal numbers --tenant default --server https://umavez.example",
        .options = fiscal_options(),
        .takes_settings = true,
        .argument = {},
        .run = numbers,
    };
}

}  // namespace umavez
