#pragma once

// What a Mercado Pago event id tells. Pure, thread-safe.

#include <optional>
#include <string_view>

namespace umavez::webhook {

// The id of an event is the signed text "id:123456;request-id:…;ts:…;". This gives "123456", the resource to
// fetch: the body is not signed, so what it says must not decide that. Nullopt where none was named.
std::optional<std::string_view> find_mercadopago_resource(std::string_view event_id) noexcept;

}  // namespace umavez::webhook
