#pragma once

// A form (multipart/form-data) that lies in a file: where its parts are, and its small fields.
// Memory is bounded however large the file is. Blocks; confined to its thread.

#include "base/file.hpp"
#include "key_protocol/multipart.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::key_protocol {

struct FormPart {
    std::string name;
    std::optional<std::string> filename;  // as sent; its part is then a file, else a field
    std::string content_type;             // as sent; empty: none was
    std::uint64_t offset = 0;             // of its content in the file
    std::uint64_t bytes = 0;
};

inline constexpr std::size_t form_parts_max = 100;
inline constexpr std::size_t form_part_head_bytes_max = 16 * 1024;
inline constexpr std::uint64_t form_fields_bytes_max =
    1024 * 1024;  // of all that are read together

// An Error is the disk's; a fault the client's.
Result<std::expected<std::vector<FormPart>, MultipartFault>> find_form_parts(
    const File& file, std::string_view boundary
);

// The content of a part that is small.
Result<std::string> read_form_part(const File& file, const FormPart& part);

}  // namespace umavez::key_protocol
