#include "modules/mailing/schemas.hpp"

#include "modules/mailing/input.hpp"
#include "modules/mailing/message_rules.hpp"
#include "modules/mailing/status.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

using http::Field;
using http::Schema;

Field count_field(std::string name, std::string description = {})
{
    return {
        .name = std::move(name),
        .type = http::integer({.min = 0}),
        .description = std::move(description),
    };
}

Field instant_field(std::string name, std::string description = {})
{
    return {
        .name = std::move(name),
        .type = http::date_time().or_null(),
        .description = std::move(description),
    };
}

Field text_field(std::string name, std::string description = {})
{
    return {
        .name = std::move(name),
        .type = http::text().or_null(),
        .description = std::move(description),
    };
}

Field incerteza_field(bool is_required)
{
    return {
        .name = "incerteza",
        .type = http::one_of(incerteza_words()),
        .description =
            "what becomes of a mail that may have been sent: `no-maximo-uma` leaves it "
            "and lists it, `ao-menos-uma` sends it again with the same Message-ID",
        .required = is_required,
    };
}

Schema counts_schema()
{
    return http::object({
                            count_field("entries", "addresses, each once"),
                            count_field("duplicates"),
                            count_field("invalid", "lines that are no address"),
                            count_field("pending", "still to be sent"),
                            count_field("sent"),
                            count_field("failed"),
                            count_field("unknown", "may have been sent"),
                        })
        .named("MailingCounts");
}

}  // namespace

const char* const mailing_example =
    R"({"mailingId":"01890a5d-ac96-774b-bcce-b302099a8057","filename":"clientes.csv",)"
    R"("status":"PROCESSING","assunto":"Olá, {{nome}}","remetente":"Loja <news@loja.example>",)"
    R"("incerteza":"no-maximo-uma",)"
    R"("contentSha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",)"
    R"("contentBytes":2048,"readBytes":2048,"readLines":81,"ingested":true,)"
    R"("counts":{"entries":78,"duplicates":1,"invalid":1,"pending":30,"sent":47,"failed":1,)"
    R"("unknown":0},"lastAttempt":"2026-01-31T12:00:05.000000Z","error":null,)"
    R"("createdAt":"2026-01-31T12:00:00.000000Z","updatedAt":"2026-01-31T12:00:05.000000Z",)"
    R"("completedAt":null})";

Schema mailing_schema()
{
    return http::object({
                            {.name = "mailingId", .type = http::text({.format = "uuid"})},
                            {.name = "filename", .type = http::text({.max = 255, .min = 1})},
                            {.name = "status", .type = http::one_of(status_words())},
                            text_field("assunto"),
                            text_field("remetente"),
                            incerteza_field(true),
                            {.name = "contentSha256", .type = http::text()},
                            count_field("contentBytes"),
                            count_field("readBytes", "of the file, so far"),
                            count_field("readLines"),
                            {.name = "ingested", .type = http::boolean()},
                            {.name = "counts", .type = counts_schema()},
                            instant_field("lastAttempt", "the last sign of life of its worker"),
                            text_field("error", "why it does not go on, or failed"),
                            {.name = "createdAt", .type = http::date_time()},
                            {.name = "updatedAt", .type = http::date_time()},
                            instant_field("completedAt"),
                        })
        .named("Mailing");
}

Schema entry_schema()
{
    const auto optional = [](Field field) {
        field.required = false;
        return field;
    };
    return http::object({
                            {.name = "status", .type = http::one_of(entry_status_words())},
                            count_field("line", "of the file"),
                            optional({.name = "email", .type = http::text()}),
                            optional(count_field("attempts")),
                            optional(instant_field("lastAttempt")),
                            optional(text_field("externalId", "as the mail server calls it")),
                            optional(text_field("error")),
                            optional(
                                {.name = "uncertain",
                                 .type = http::boolean(),
                                 .description = "it may have been sent when nobody knew"}
                            ),
                            optional(text_field("content", "of an INVALID line")),
                            optional(text_field("reason", "of an INVALID line")),
                        })
        .named("MailingEntry");
}

Schema suppression_schema()
{
    return http::object({
                            {.name = "email", .type = http::text({.format = "email"})},
                            {.name = "motivo", .type = http::text({.max = motivo_max})},
                            text_field("mailingId", "whose link was used"),
                            {.name = "createdAt", .type = http::date_time()},
                        })
        .named("Supressao");
}

Schema message_changes_schema()
{
    const auto field = [](std::string name, std::int64_t max, std::string description) {
        return Field{
            .name = std::move(name),
            .type = http::text({.max = max}),
            .description = std::move(description),
            .required = false,
        };
    };
    return http::object(
               {
                   field("assunto", assunto_chars_max, "may name columns: `Olá, {{nome}}`"),
                   field("remetente", remetente_chars_max, "`Loja <news@loja.example>`"),
                   field("texto", body_bytes_max, "plain text; an empty one takes it away"),
                   field("html", body_bytes_max, "HTML; values of columns are escaped in it"),
                   incerteza_field(false),
               }
    )
        .named("MailingMessage");
}

Field mailing_parameter()
{
    return {
        .name = "id",
        .type = http::text({.max = 64}),
        .description = "`mailingId` of the upload",
    };
}

http::Route declare(std::string method, std::string pattern, std::string id, std::string summary)
{
    http::Route route{.method = std::move(method), .pattern = std::move(pattern)};
    route.operation_id = std::move(id);
    route.tag = "Mailing";
    route.summary = std::move(summary);
    return route;
}

}  // namespace umavez::mailing
