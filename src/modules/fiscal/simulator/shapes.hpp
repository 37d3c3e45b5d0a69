#pragma once

// Shapes: an answer of the office as JSON on the wire. `declared` is that of the manual; `odd` are those that
// production was seen to use instead, one after the other by `turn`. Pure, thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/office.hpp"

#include <cstdint>
#include <string_view>

namespace umavez::fiscal::simulator {

enum class Shape : std::uint8_t { declared, odd };

struct Wording {
    std::string_view ambiente;
    Instant now;
    Shape shape = Shape::declared;
    std::uint64_t turn = 0;
};

http::Response to_response(const Answer& answer, Call call, const Wording& wording);

}  // namespace umavez::fiscal::simulator
