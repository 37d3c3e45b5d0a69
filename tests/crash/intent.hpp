#pragma once

// Intent: one thing a caller of the crash tests wants done once; its key tells all of it. Plain
// values.

#include <umavez/outcome.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::crash {

enum class Kind : std::uint8_t { order, session, payment, slip, notice };
inline constexpr std::array kinds = {
    Kind::order, Kind::session, Kind::payment, Kind::slip, Kind::notice
};

std::string_view to_text(Kind kind) noexcept;
std::string_view operation_of(Kind kind) noexcept;

// How many numbers, and so kinds of trouble, an operation has.
unsigned numbers_of(Kind kind) noexcept;

struct Intent {
    Kind kind = Kind::order;
    unsigned generation = 0;
    unsigned number = 0;

    std::string key() const;
};

std::optional<Intent> parse_intent(std::string_view key);
std::vector<Intent> intents_of(unsigned generation);

Request to_request(const Intent& intent);

}  // namespace umavez::crash
