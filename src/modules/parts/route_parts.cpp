#include "modules/parts/route_parts.hpp"

#include "http/validation.hpp"

#include <utility>

namespace umavez::modules {

using http::Field;
using http::Schema;

Origin origin_of(const key_protocol::Exchange& exchange)
{
    Origin origin{.tenant_id = exchange.caller.tenant_id, .key = exchange.key};
    if (!exchange.caller.usuario.empty()) origin.usuario = exchange.caller.usuario;
    origin.language = exchange.language;
    return origin;
}

key_protocol::OrProblem<Page> page_of(const key_protocol::Exchange& exchange)
{
    Page page;
    page.limit = http::find_integer(exchange.request, "limit").value_or(page_limit_default);
    const auto cursor = http::find_parameter(exchange.request, "cursor");
    if (!cursor) return page;
    const auto after = parse_cursor(*cursor);
    if (!after) {
        const http::FieldError unknown{
            "cursor",
            {"is not one that a list of ours gave; leave it out to begin anew",
             "não foi dado por uma lista nossa; omita-o para recomeçar"},
        };
        return std::unexpected(http::validation_problem({unknown}, exchange.language));
    }
    page.after = *after;
    return page;
}

std::vector<Field> page_parameters()
{
    return {
        {.name = "cursor",
         .type = http::text({.max = 64}),
         .description = "`proximo` of the page before",
         .required = false},
        {.name = "limit",
         .type = http::integer({.min = 1, .max = page_limit_max}),
         .description = "Rows per page, 50 unless told",
         .required = false},
    };
}

Schema page_schema(Schema item)
{
    const std::string name = item.name + "Page";
    return http::object({
                            {.name = "itens", .type = http::array_of(std::move(item))},
                            {.name = "proximo",
                             .type = http::text().or_null(),
                             .description = "cursor of the next page; null on the last"},
                        })
        .named(name);
}

http::Answer page_answer(Schema item)
{
    return {
        .status = 200,
        .description = "A page in the order of creation; `Link` leads to the next",
        .body = page_schema(std::move(item)),
    };
}

Field id_parameter(std::string description)
{
    return {.name = "id", .type = http::integer({.min = 1}), .description = std::move(description)};
}

Field versao_field()
{
    return {
        .name = "versao",
        .type = http::integer({.min = 1}),
        .description = "The version you have seen; or send it as If-Match",
        .required = false,
    };
}

Schema versao_schema()
{
    return http::object({versao_field()}).named("Versao");
}

Field if_match_field()
{
    return {
        .name = "If-Match",
        .type = http::text(),
        .description =
            "The `ETag` you have seen, instead of `versao`: where it is not the current "
            "one the answer is 412.",
        .example = R"("\"1\"")",
        .required = false,
    };
}

}  // namespace umavez::modules
