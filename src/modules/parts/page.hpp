#pragma once

// One page of a list: where it begins, how long it is, and the opaque cursor of the next. Pure,
// thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::modules {

inline constexpr std::int64_t page_limit_default = 50;
inline constexpr std::int64_t page_limit_max = 200;

struct Page {
    std::int64_t after = 0;  // the last id of the page before
    std::int64_t limit = page_limit_default;
};

// Opaque to clients, so that another order may come one day.
std::string to_cursor(std::int64_t last_id);
std::optional<std::int64_t> parse_cursor(std::string_view cursor) noexcept;

// The rows of a page. Ask the database for one row more than the limit: that it is there tells that
// there is a next page.
template <typename T>
struct Listed {
    std::vector<T> rows;
    std::optional<std::string> next;
};

template <typename T>
Listed<T> to_listed(std::vector<T> rows, const Page& page)
{
    Listed<T> listed{std::move(rows), std::nullopt};
    if (listed.rows.size() > static_cast<std::size_t>(page.limit)) {
        listed.rows.pop_back();
        listed.next = to_cursor(listed.rows.back().id);
    }
    return listed;
}

// {"itens":[…],"proximo":"…"}
template <typename T>
std::string to_json(const Listed<T>& listed)
{
    std::string json = R"({"itens":[)";
    for (const T& row : listed.rows) {
        if (json.back() != '[') json += ',';
        json += to_json(row);
    }
    json += R"(],"proximo":)";
    json += listed.next ? '"' + *listed.next + '"' : "null";
    json += '}';
    return json;
}

// The address of the next page: the same query with another cursor.
std::string next_page_link(std::string_view path, std::string_view query, std::string_view cursor);

}  // namespace umavez::modules
