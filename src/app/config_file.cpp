#include "app/config_file.hpp"

#include "app/read_input.hpp"
#include "base/limits.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace umavez {
namespace {

ConfigEntry to_entry(std::vector<std::string> path, const toml::node& node)
{
    ConfigEntry entry{std::move(path), ConfigType::string, {}, 0};
    entry.line = static_cast<int>(node.source().begin.line);
    if (const auto* const text = node.as_string()) {
        entry.value = text->get();
    } else if (const auto* const integer = node.as_integer()) {
        entry.type = ConfigType::integer;
        entry.value = fmt::to_string(integer->get());
    } else if (const auto* const number = node.as_floating_point()) {
        entry.type = ConfigType::number;
        entry.value = fmt::to_string(number->get());
    } else if (const auto* const boolean = node.as_boolean()) {
        entry.type = ConfigType::boolean;
        entry.value = boolean->get() ? "true" : "false";
    } else if (const auto* const array = node.as_array()) {
        entry.type = ConfigType::array;
        for (const toml::node& element : *array) {
            if (const auto* const member = element.as_string()) entry.values.push_back(member->get());
        }
        if (entry.values.size() != array->size()) entry.values.clear();
    } else {
        entry.type = node.is_table() ? ConfigType::table : ConfigType::date;
    }
    return entry;
}

void flatten(
    const toml::table& table,
    const std::vector<std::string>& path,
    std::vector<ConfigEntry>& entries
)
{
    for (const auto& [key, node] : table) {
        std::vector<std::string> place = path;
        place.emplace_back(key.str());
        const auto* const inner = node.as_table();
        const auto* const array = node.as_array();
        if (inner != nullptr && !inner->empty()) {
            flatten(*inner, place, entries);
        } else if (array != nullptr && !array->empty() && array->is_homogeneous(toml::node_type::table)) {
            for (std::size_t i = 0; i < array->size(); ++i) {
                place.push_back(std::to_string(i));
                flatten(*(*array)[i].as_table(), place, entries);
                place.pop_back();
            }
        } else {
            entries.push_back(to_entry(std::move(place), node));
        }
    }
}

// What a refusal calls it.
std::string describe(const ConfigEntry& entry)
{
    switch (entry.type) {
        case ConfigType::string: return fmt::format("the string \"{}\"", shown(entry.value));
        case ConfigType::integer: return "the integer " + entry.value;
        case ConfigType::number: return "the number " + entry.value;
        case ConfigType::boolean: return "the boolean " + entry.value;
        case ConfigType::array: return "an array";
        case ConfigType::date: return "a date or time";
        case ConfigType::table: return "a table";
    }
    return {};
}

}  // namespace

Result<void> check_type(const ConfigEntry& entry, std::string_view example)
{
    const bool wants_boolean = example == "true" || example == "false";
    const ConfigType wanted = example.starts_with('"') ? ConfigType::string
                              : wants_boolean          ? ConfigType::boolean
                                                       : ConfigType::integer;
    if (entry.type == wanted) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "found {}, wanted {} such as {}",
            describe(entry),
            wanted == ConfigType::string ? "a string"
            : wants_boolean              ? "a boolean"
                                         : "an integer",
            example
        )
    );
}

Result<std::vector<ConfigEntry>> parse_config(std::string_view text, std::string_view source)
{
    try {
        const toml::table table = toml::parse(text, source);
        std::vector<ConfigEntry> entries;
        flatten(table, {}, entries);
        std::ranges::sort(entries, {}, [](const ConfigEntry& entry) {
            return std::tie(entry.line, entry.path);
        });
        return entries;
    } catch (const toml::parse_error& error) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{}:{}: {}", shown(source), error.source().begin.line, shown(error.description())
            )
        );
    }
}

Result<std::vector<ConfigEntry>> read_config_file(const std::string& path)
{
    // A pipe, as of a shell's <(…), has its text at once or not at all.
    const auto text =
        read_input(path, limits::config_bytes_max, std::chrono::milliseconds{3000});
    if (!text) {
        return fail(
            Errc::misconfigured,
            fmt::format("config: {}; give the path of a file with --config", text.error().detail)
        );
    }
    return parse_config(*text, path);
}

}  // namespace umavez
