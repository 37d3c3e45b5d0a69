#pragma once

// Where a record is, for the commands that speak of one: from flags, or found by its key alone.
// Confined to its thread.

#include "app/desk.hpp"
#include "app/people.hpp"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// A search that finds nothing goes on for so many pages; each looks at 10,000 rows.
inline constexpr int search_pages_max = 100;

// One page of /ops/records, or of /ops/stories. `filter` is percent-encoded; an empty cursor is the
// first page.
std::expected<Document, int> ask_page(
    DeskSession& desk,
    const std::string& filter,
    const std::string& cursor,
    const char* of = "records"
);
bool is_empty_page(const JsonValue& page, const char* of = "records");

// --tenant, --operation, those of the desk, and `more`.
std::vector<CommandOption> place_options(std::vector<CommandOption> more = {});

// "/ops/records/acme/pedidos.criar/k1". Otherwise it complained, and this is the exit code. Where no
// record has the key, a story may: of a swept one, or of attempts that left nothing.
enum class Search : std::uint8_t { records, stories_too };
std::expected<std::string, int> find_place(
    DeskSession& desk, const Invocation& invocation, Search search = Search::records
);

// How a state is shown.
Colour colour_of(std::string_view state);

// "3 min ago", by the clock of the answer; "-" where there is no such instant.
std::string distance_of(const JsonValue& object, std::string_view name, const JsonValue& clock);

}  // namespace umavez
