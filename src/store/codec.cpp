#include "store/codec.hpp"

#include "base/limits.hpp"

#include <fmt/format.h>

namespace umavez {
namespace {

std::uint32_t read_length(std::string_view bytes) noexcept
{
    std::uint32_t length = 0;
    for (int i = 3; i >= 0; --i) {
        length = (length << 8) | static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(i)]);
    }
    return length;
}

void append_part(std::string& bytes, std::string_view part)
{
    const auto length = static_cast<std::uint32_t>(part.size());
    for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xff);
    bytes += part;
}

// Takes one part off the front; false: the bytes end too early.
bool take_part(std::string_view& bytes, std::string& part)
{
    if (bytes.size() < 4) return false;
    const std::uint32_t length = read_length(bytes);
    if (length > bytes.size() - 4) return false;
    part = bytes.substr(4, length);
    bytes.remove_prefix(4 + std::size_t{length});
    return true;
}

}  // namespace

std::string encode_headers(const std::vector<Header>& headers)
{
    std::size_t size = 0;
    for (const Header& header : headers) size += 8 + header.name.size() + header.value.size();
    std::string bytes;
    bytes.reserve(size);
    for (const Header& header : headers) {
        append_part(bytes, header.name);
        append_part(bytes, header.value);
    }
    return bytes;
}

Result<std::vector<Header>> decode_headers(std::string_view bytes)
{
    std::vector<Header> headers;
    while (!bytes.empty()) {
        Header& header = headers.emplace_back();
        if (!take_part(bytes, header.name) || !take_part(bytes, header.value)) {
            return fail_corrupt("response_headers end too early");
        }
    }
    return headers;
}

std::unexpected<Error> fail_corrupt(std::string_view what)
{
    return fail(
        Errc::corrupt_record,
        fmt::format("{} is not what was written: check the disk, and restore a backup", what)
    );
}

std::optional<Status> parse_status(std::string_view text) noexcept
{
    for (const Status status :
         {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
        if (to_text(status) == text) return status;
    }
    return std::nullopt;
}

std::optional<Mode> parse_mode(std::string_view text) noexcept
{
    for (const Mode mode : {Mode::run, Mode::reconcile}) {
        if (to_text(mode) == text) return mode;
    }
    return std::nullopt;
}

Result<void> check_limits(const Draft& draft)
{
    if (draft.checkpoint.size() > limits::checkpoint_bytes_max) {
        return fail(Errc::limit_exceeded, "a checkpoint is larger than checkpoint_bytes_max");
    }
    const Entity* const entity = draft.response && draft.response->response.entity
                                     ? &*draft.response->response.entity
                                     : nullptr;
    if (entity != nullptr && (entity->type.size() > limits::entity_chars_max ||
                              entity->id.size() > limits::entity_chars_max)) {
        return fail(Errc::limit_exceeded, "an entity's type or id is longer than entity_chars_max");
    }
    return {};
}

}  // namespace umavez
