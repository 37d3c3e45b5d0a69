#pragma once

// Content-Disposition of a part of a form (RFC 7578, 4.2; RFC 6266): whose part it is, and the name
// of its file. Pure, thread-safe.

#include <optional>
#include <string>
#include <string_view>

namespace umavez::key_protocol {

struct FormDisposition {
    std::string name;
    // `filename*` (RFC 5987, in UTF-8) before `filename`; as it was sent, with the folders that some browsers
    // send along.
    std::optional<std::string> filename;
};

// Nullopt for anything but form-data with one name.
std::optional<FormDisposition> parse_form_disposition(std::string_view value);

}  // namespace umavez::key_protocol
