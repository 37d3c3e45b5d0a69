#pragma once

// Packing: XML inside JSON is gzip in base64. Of its own, so that a mistake of the adapter's packing is found
// here. Pure, thread-safe.

#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

std::string encode_base64(std::string_view bytes);
std::optional<std::string> decode_base64(std::string_view text);  // padded, without white space

std::string zip(std::string_view plain);  // the same bytes for the same text, today and tomorrow
std::optional<std::string> unzip(std::string_view packed);  // nullopt: no gzip, or more than 4 MiB

}  // namespace umavez::fiscal::simulator
