#include "access/caller.hpp"

namespace umavez::access {

std::string_view to_text(Role role) noexcept
{
    switch (role) {
        case Role::reader: return "reader";
        case Role::writer: return "writer";
        case Role::operator_: return "operator";
    }
    return {};
}

std::optional<Role> parse_role(std::string_view text) noexcept
{
    for (const Role role : {Role::reader, Role::writer, Role::operator_}) {
        if (text == to_text(role)) return role;
    }
    return std::nullopt;
}

TenantId default_tenant()
{
    static const TenantId tenant_id = *TenantId::parse("default");
    return tenant_id;
}

}  // namespace umavez::access
