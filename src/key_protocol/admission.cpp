#include "key_protocol/admission.hpp"

#include "access/token_text.hpp"
#include "http/loopback.hpp"

#include <fmt/format.h>

namespace umavez::key_protocol {
namespace {

http::Text detail_of(access::Denial denial)
{
    switch (denial) {
        case access::Denial::missing:
            return {
                "send Authorization: Bearer with a token",
                "envie Authorization: Bearer com um token",
            };
        case access::Denial::malformed:
            return {
                "Authorization must be given once, as Bearer and a token",
                "Authorization deve aparecer uma vez, com Bearer e um token",
            };
        case access::Denial::unknown: return {"the token is not known", "o token não é conhecido"};
        case access::Denial::expired: return {"the token has expired", "o token expirou"};
    }
    return {};
}

// RFC 6750, 3: without a token nothing is said about errors.
std::string challenge_of(access::Denial denial)
{
    switch (denial) {
        case access::Denial::missing: return R"(Bearer realm="umavez")";
        case access::Denial::malformed: return R"(Bearer realm="umavez", error="invalid_request")";
        case access::Denial::unknown:
        case access::Denial::expired: break;
    }
    return R"(Bearer realm="umavez", error="invalid_token")";
}

http::Problem stranger_problem()
{
    return {
        .name = "forbidden",
        .detail =
            {
                "without tokens the server answers only under localhost, and no page of another "
                "site: use that "
                "name, or make a token with umavez token create",
                "sem tokens o servidor só responde por localhost, e a nenhuma página de outro "
                "site: use esse "
                "nome, ou crie um token com umavez token create",
            },
    };
}

http::Problem role_problem(access::Role needed, access::Role has)
{
    const std::string_view wanted = to_text(needed);
    return {
        .name = "forbidden",
        .detail =
            {
                fmt::format(
                    "this needs the role {}; the token has the role {}", wanted, to_text(has)
                ),
                fmt::format("isto exige o papel {}; o token tem o papel {}", wanted, to_text(has)),
            },
        .headers = {{"WWW-Authenticate", R"(Bearer realm="umavez", error="insufficient_scope")"}},
    };
}

// It goes into the history under another name than the client's if it is not taken as it is.
http::Problem usuario_problem()
{
    return {
        .name = "malformed-request",
        .detail =
            {
                "X-Usuario must be given once, as 1 to 100 bytes of visible UTF-8 text; send a "
                "shorter name, or leave it out",
                "X-Usuario deve aparecer uma vez, com 1 a 100 bytes de texto UTF-8 visível; envie "
                "um nome mais curto, ou omita-o",
            },
    };
}

}  // namespace

http::Problem denial_problem(access::Denial denial)
{
    return {
        .name = "unauthorized",
        .detail = detail_of(denial),
        .headers = {{"WWW-Authenticate", challenge_of(denial)}},
    };
}

std::expected<access::Caller, http::Problem> admit(
    const access::TokenBook& tokens, const http::Request& request, access::Role role, Instant now
)
{
    // Without tokens everybody on this machine is an operator: also the browser that was led here
    // by a page under a name of its own.
    if (tokens.is_empty() && !http::speaks_to_loopback(request.headers))
        return std::unexpected(stranger_problem());
    auto caller = tokens.admit(request.headers, now);
    if (!caller) return std::unexpected(denial_problem(caller.error()));
    if (!caller->may(role)) return std::unexpected(role_problem(role, caller->role));
    if (!access::find_usuario(request.headers)) return std::unexpected(usuario_problem());
    return *std::move(caller);
}

}  // namespace umavez::key_protocol
