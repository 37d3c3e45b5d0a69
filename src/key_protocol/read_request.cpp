#include "key_protocol/read_request.hpp"

#include "key_protocol/content.hpp"
#include "key_protocol/target.hpp"

#include <utility>

namespace umavez::key_protocol {
namespace {

http::Problem upgrade()
{
    return {
        .name = "malformed-request",
        .detail =
            {
                "a request with an idempotency key cannot ask for another protocol; leave Upgrade "
                "out",
                "uma requisição com chave de idempotência não pode pedir outro protocolo; remova "
                "Upgrade",
            },
    };
}

}  // namespace

std::expected<ReadRequest, http::Problem> read_request(
    const http::Request& request,
    TenantId tenant_id,
    const ProtectedRoute& route,
    const ProtocolSettings& settings
)
{
    auto body = read_body(request.headers, request.body);
    if (!body) return std::unexpected(body.error());
    auto key = read_key(request.method, request.headers, settings.key_syntax, route.policy.key);
    if (!key) return std::unexpected(key.error());
    if (*key && http::find_header(request.headers, "Upgrade")) return std::unexpected(upgrade());

    const std::optional<Wait> wait = read_wait(request.headers, settings.wait_max);
    ReadRequest read{
        .request =
            {
                .tenant_id = std::move(tenant_id),
                .operation = route.operation,
                .key = *std::move(key),
                .target = route.target_without_query && request.query.empty()
                              ? *route.target_without_query
                              : target_of(request, route.pattern),
                .fingerprint = body->fingerprint,
                .wait = {},
            },
        .wait = wait,
        .json = std::move(body->json),
    };
    if (wait) read.request.wait = wait->duration;
    return read;
}

}  // namespace umavez::key_protocol
