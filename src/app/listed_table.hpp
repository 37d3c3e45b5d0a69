#pragma once

// Arrays of tables in the configuration file, such as [[webhook.provider]]: which element an entry belongs
// to. Pure, thread-safe.

#include "app/config_file.hpp"
#include "base/shown.hpp"

#include <umavez/result.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// Gives the entry {"webhook", "provider", "0", "name"} to the first of `all` as take_key(entry, "name", one).
// An element remembers the line on which it begins. `form`: how such a table is written, for an entry that
// has another shape. Errors name the key.
template <typename One, typename TakeKey>
Result<void> take_listed_entry(
    const ConfigEntry& entry, std::vector<One>& all, std::string_view form, const TakeKey& take_key
)
{
    constexpr std::size_t depth = 4;
    const std::string table = fmt::format("{}.{}", entry.path.at(0), entry.path.at(1));
    if (entry.path.size() != depth) {
        return fail(Errc::misconfigured, fmt::format("{}: {}", table, form));
    }
    std::size_t index = 0;
    const std::string& number = entry.path[2];
    std::from_chars(number.data(), number.data() + number.size(), index);
    if (index >= all.size()) all.resize(index + 1);
    One& one = all[index];
    if (one.line == 0) one.line = entry.line;
    const std::string& key = entry.path[3];
    if (const auto taken = take_key(entry, key, one); !taken) {
        return fail(
            Errc::misconfigured, fmt::format("{}.{}: {}", table, shown(key), taken.error().detail)
        );
    }
    return {};
}

}  // namespace umavez
