#include "key_protocol/described.hpp"

#include <algorithm>
#include <initializer_list>

namespace umavez::key_protocol {
namespace {

void add_problems(http::Route& route, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        if (std::ranges::find(route.problems, name) == route.problems.end()) {
            route.problems.emplace_back(name);
        }
    }
}

http::Field key_field(const Policy& policy)
{
    return {
        .name = "Idempotency-Key",
        .type = http::text({.max = 255, .min = 1}),
        .description =
            "Unique to this operation; a retry sends it again. Bare or as a quoted string.",
        .example = R"("8e03978e-40d5-43dd-bc93-6894a57f9324")",
        .required = policy.key == KeyRule::required,
    };
}

http::Field wait_field()
{
    return {
        .name = "Prefer",
        .type = http::text(),
        .description = "`wait=N`: a duplicate waits up to N seconds for the first.",
        .example = R"("wait=10")",
        .required = false,
    };
}

http::Field usuario_field()
{
    return {
        .name = "X-Usuario",
        .type = http::text({.max = 100, .min = 1}),
        .description = "Who asks, for histories; else the label of the token.",
        .example = R"("maria")",
        .required = false,
    };
}

http::Field guarantee_field()
{
    return {
        .name = "Idempotency-Guarantee",
        .type = http::one_of({"atomic", "leased", "cached", "none"}),
        .description = "What stands behind this answer.",
    };
}

std::vector<http::Field> answer_fields(const Policy& policy)
{
    std::vector<http::Field> fields{
        guarantee_field(),
        {.name = "Idempotent-Replayed",
         .type = http::one_of({"true"}),
         .description = "This answer was given before; nothing was executed now.",
         .required = false},
    };
    if (policy.retention) {
        fields.push_back(
            {.name = "Idempotency-Key-Expires",
             .type = http::text(),
             .description = "From then on the key is new.",
             .required = false}
        );
    }
    return fields;
}

}  // namespace

http::Route described_write(http::Route route, const Policy& policy)
{
    route.headers.push_back(key_field(policy));
    route.headers.push_back(wait_field());
    route.headers.push_back(usuario_field());
    route.problem_headers.push_back(guarantee_field());
    for (http::Answer& answer : route.answers) {
        for (http::Field& field : answer_fields(policy)) answer.headers.push_back(std::move(field));
    }
    if (policy.key == KeyRule::required) add_problems(route, {"idempotency-key-missing"});
    add_problems(
        route,
        {"idempotency-key-invalid",
         "idempotency-key-reused",
         "idempotency-in-progress",
         "idempotency-response-not-kept"}
    );
    if (policy.guarantee != Guarantee::atomic) add_problems(route, {"idempotency-in-doubt"});
    return described_read(std::move(route));
}

http::Route described_read(http::Route route)
{
    add_problems(route, {"unauthorized", "forbidden", "malformed-request", "store-unavailable"});
    // Any body is read for its fingerprint, declared or not.
    if (route.method != "GET") add_problems(route, {"malformed-body"});
    if (route.body) add_problems(route, {"validation"});
    return route;
}

}  // namespace umavez::key_protocol
