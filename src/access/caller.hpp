#pragma once

// Caller: who asks, and what they may. Plain values.

#include <umavez/names.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::access {

// Each includes the ones before.
enum class Role : std::uint8_t {
    reader,     // reads
    writer,     // and changes
    operator_,  // and looks at the records of its tenant, releases and resolves them, makes tokens
};

std::string_view to_text(Role role) noexcept;  // "reader", "writer", "operator"
std::optional<Role> parse_role(std::string_view text) noexcept;

struct Caller {
    TenantId tenant_id;
    Role role = Role::reader;
    std::string
        usuario;  // X-Usuario if it is sane, else the label; may be empty. The caller's own word
    std::string label;         // of the token; empty where there is none
    bool all_tenants = false;  // operators: sees every tenant, not only tenant_id

    bool may(Role needed) const noexcept { return role >= needed; }
    bool may_see(const TenantId& tenant) const { return all_tenants || tenant == tenant_id; }
};

// Whom a server without tokens serves, and a token for all tenants in what belongs to one.
TenantId default_tenant();

}  // namespace umavez::access
