#include "app/config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

namespace umavez {
namespace {

Result<std::string> to_value(const toml::node& node)
{
    if (const auto* const text = node.as_string()) return text->get();
    if (const auto* const number = node.as_integer()) return fmt::to_string(number->get());
    if (const auto* const real = node.as_floating_point()) return fmt::to_string(real->get());
    if (const auto* const boolean = node.as_boolean())
        return std::string{boolean->get() ? "true" : "false"};
    return fail(Errc::misconfigured, "neither arrays nor dates are settings");
}

Result<void> flatten(
    const toml::table& table,
    const std::vector<std::string>& path,
    std::vector<ConfigEntry>& entries
)
{
    for (const auto& [key, node] : table) {
        std::vector<std::string> place = path;
        place.emplace_back(key.str());
        if (const auto* const inner = node.as_table()) {
            if (auto flattened = flatten(*inner, place, entries); !flattened) return flattened;
            continue;
        }
        auto value = to_value(node);
        if (!value) {
            return fail(
                Errc::misconfigured,
                fmt::format("{}: {}", fmt::join(place, "."), value.error().detail)
            );
        }
        const auto line = static_cast<int>(node.source().begin.line);
        entries.push_back({std::move(place), *std::move(value), line});
    }
    return {};
}

}  // namespace

Result<std::vector<ConfigEntry>> parse_config(std::string_view text, std::string_view source)
{
    try {
        const toml::table table = toml::parse(text, source);
        std::vector<ConfigEntry> entries;
        if (auto flattened = flatten(table, {}, entries); !flattened) {
            return fail(
                Errc::misconfigured, fmt::format("{}: {}", source, flattened.error().detail)
            );
        }
        std::ranges::sort(entries, {}, [](const ConfigEntry& entry) {
            return std::tie(entry.line, entry.path);
        });
        return entries;
    } catch (const toml::parse_error& error) {
        return fail(
            Errc::misconfigured,
            fmt::format("{}:{}: {}", source, error.source().begin.line, error.description())
        );
    }
}

Result<std::vector<ConfigEntry>> read_config_file(const std::string& path)
{
    std::ifstream file{path};
    std::stringstream text;
    if (file) text << file.rdbuf();
    if (!file || file.bad()) {
        return fail(
            Errc::misconfigured,
            fmt::format("config: cannot read {}; give the path of a file with --config", path)
        );
    }
    return parse_config(text.str(), path);
}

}  // namespace umavez
