#include "key_protocol/read_request.hpp"

#include "key_protocol/content.hpp"
#include "key_protocol/target.hpp"

#include <utility>

namespace umavez::key_protocol {

std::expected<ReadRequest, http::Problem> read_request(
    const http::Request& request,
    TenantId tenant_id,
    const ProtectedRoute& route,
    const ProtocolSettings& settings
)
{
    const auto fingerprint = fingerprint_body(request.headers, request.body);
    if (!fingerprint) return std::unexpected(fingerprint.error());
    auto key = read_key(request.method, request.headers, settings.key_syntax, route.policy.key);
    if (!key) return std::unexpected(key.error());

    const std::optional<Wait> wait = read_wait(request.headers, settings.wait_max);
    ReadRequest read{
        .request =
            {
                .tenant_id = std::move(tenant_id),
                .operation = route.operation,
                .key = *std::move(key),
                .target = target_of(request, route.pattern),
                .fingerprint = *fingerprint,
                .wait = {},
            },
        .wait = wait,
    };
    if (wait) read.request.wait = wait->duration;
    return read;
}

}  // namespace umavez::key_protocol
