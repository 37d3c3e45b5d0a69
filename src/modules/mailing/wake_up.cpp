#include "modules/mailing/wake_up.hpp"

#include "json/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::mailing {
namespace {

std::string aggregate_of(std::string_view uuid)
{
    return fmt::format("mailing/{}", uuid);
}

bool is_uuid(std::string_view text) noexcept
{
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (is_dash ? c != '-' : !is_hex) return false;
    }
    return true;
}

}  // namespace

messaging::QueuedMessage wake_up_of(const TenantId& tenant_id, std::string_view uuid)
{
    return {
        .tenant_id = tenant_id,
        .queue = std::string{wake_up_queue},
        .aggregate = aggregate_of(uuid),
        .type = std::string{wake_up_type},
        .data = fmt::format(R"({{"mailingId":"{}"}})", uuid),
    };
}

Result<void> write_wake_up(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
)
{
    return messaging::append_message(transaction, wake_up_of(tenant_id, uuid));
}

Result<std::int64_t> count_wake_ups(Transaction& transaction, std::string_view uuid)
{
    return messaging::count_pending_messages(transaction, wake_up_queue, aggregate_of(uuid));
}

std::optional<std::string> mailing_of_wake_up(std::string_view data)
{
    const auto tree = JsonTree::parse(data);
    const auto id = tree ? tree->root().find("mailingId") : std::nullopt;
    if (!id || id->kind() != JsonKind::string || !is_uuid(id->string())) return std::nullopt;
    return std::string{id->string()};
}

}  // namespace umavez::mailing
