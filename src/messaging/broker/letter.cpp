#include "messaging/broker/letter.hpp"

#include "json/tree.hpp"
#include "messaging/broker/connection.hpp"

#include <algorithm>
#include <string_view>

namespace umavez::messaging {
namespace {

constexpr const char* tenant_header = "tenant";
constexpr const char* aggregate_header = "aggregate";
constexpr const char* deliveries_header = "umavez-deliveries";
constexpr const char* reason_header = "umavez-reason";
// The count of a quorum queue itself.
constexpr const char* delivery_count_header = "x-delivery-count";

const amqp_field_value_t* find(const amqp_table_t& headers, std::string_view name)
{
    for (int i = 0; i < headers.num_entries; ++i) {
        if (text_of(headers.entries[i].key) == name) return &headers.entries[i].value;
    }
    return nullptr;
}

std::string text_in(const amqp_table_t& headers, std::string_view name)
{
    const amqp_field_value_t* const value = find(headers, name);
    const bool is_text = value != nullptr && (value->kind == AMQP_FIELD_KIND_UTF8 ||
                                              value->kind == AMQP_FIELD_KIND_BYTES);
    return is_text ? text_of(value->value.bytes) : std::string{};
}

// Whatever width its sender gave it; what is no count is none.
std::int64_t count_in(const amqp_table_t& headers, std::string_view name)
{
    const amqp_field_value_t* const value = find(headers, name);
    if (value == nullptr) return 0;
    std::int64_t count = 0;
    switch (value->kind) {
        case AMQP_FIELD_KIND_I8: count = value->value.i8; break;
        case AMQP_FIELD_KIND_U8: count = value->value.u8; break;
        case AMQP_FIELD_KIND_I16: count = value->value.i16; break;
        case AMQP_FIELD_KIND_U16: count = value->value.u16; break;
        case AMQP_FIELD_KIND_I32: count = value->value.i32; break;
        case AMQP_FIELD_KIND_U32: count = value->value.u32; break;
        case AMQP_FIELD_KIND_I64: count = value->value.i64; break;
        default: break;
    }
    return std::clamp<std::int64_t>(count, 0, 1'000'000);
}

}  // namespace

Result<Letter> parse_letter(const amqp_message_t& message)
{
    const amqp_basic_properties_t& properties = message.properties;
    const auto has = [&](amqp_flags_t flag) { return (properties._flags & flag) != 0; };
    Letter letter{.data = text_of(message.body)};
    if (has(AMQP_BASIC_MESSAGE_ID_FLAG)) letter.message_id = text_of(properties.message_id);
    if (has(AMQP_BASIC_TYPE_FLAG)) letter.type = text_of(properties.type);
    if (has(AMQP_BASIC_TIMESTAMP_FLAG)) {
        letter.created_at = Instant{
            std::chrono::seconds{static_cast<std::int64_t>(properties.timestamp % (1ULL << 40U))}
        };
    }
    if (has(AMQP_BASIC_HEADERS_FLAG)) {
        letter.tenant = text_in(properties.headers, tenant_header);
        letter.aggregate = text_in(properties.headers, aggregate_header);
        letter.deaths = count_in(properties.headers, deliveries_header) +
                        count_in(properties.headers, delivery_count_header);
    }
    if (letter.message_id.empty() || letter.message_id.size() > 64)
        return fail(Errc::invalid_argument, "a message without message_id");
    if (letter.type.empty() || letter.tenant.empty())
        return fail(Errc::invalid_argument, "a message without type or tenant");
    if (!JsonTree::parse(letter.data)) return fail(Errc::invalid_argument, "its body is no JSON");
    return letter;
}

Properties::Properties(const Letter& letter)
{
    int count = 0;
    const auto add = [&](const char* name) -> amqp_field_value_t& {
        amqp_table_entry_t& header = headers_.at(static_cast<std::size_t>(count++));
        header.key = amqp_cstring_bytes(name);
        return header.value;
    };
    const auto add_text = [&](const char* name, const std::string& value) {
        amqp_field_value_t& field = add(name);
        field.kind = AMQP_FIELD_KIND_UTF8;
        field.value.bytes = bytes_of(value);
    };
    add_text(tenant_header, letter.tenant);
    add_text(aggregate_header, letter.aggregate);
    if (letter.deaths > 0) {
        amqp_field_value_t& field = add(deliveries_header);
        field.kind = AMQP_FIELD_KIND_I64;
        field.value.i64 = letter.deaths;
    }
    if (!letter.reason.empty()) add_text(reason_header, letter.reason);

    properties_._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
                         AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TYPE_FLAG |
                         AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_APP_ID_FLAG |
                         AMQP_BASIC_HEADERS_FLAG;
    properties_.content_type = amqp_cstring_bytes("application/json");
    properties_.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    properties_.message_id = bytes_of(letter.message_id);
    properties_.type = bytes_of(letter.type);
    properties_.timestamp = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(letter.created_at.time_since_epoch())
            .count()
    );
    properties_.app_id = amqp_cstring_bytes("umavez");
    properties_.headers = {count, headers_.data()};
    if (!letter.expires) return;
    expiration_ = std::to_string(
        std::chrono::duration_cast<std::chrono::milliseconds>(*letter.expires).count()
    );
    properties_.expiration = bytes_of(expiration_);
    properties_._flags |= AMQP_BASIC_EXPIRATION_FLAG;
}

}  // namespace umavez::messaging
