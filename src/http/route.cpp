#include "http/route.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace umavez::http {

std::vector<std::string> problems_of(const Route& route)
{
    std::vector<std::string> names = route.problems;
    const auto add = [&names](std::initializer_list<std::string_view> more) {
        for (const std::string_view name : more) {
            if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
        }
    };
    if (route.pattern.find('{') != std::string::npos) add({"not-found", "malformed-request"});
    if (!route.query.empty()) add({"validation", "malformed-request"});
    if (route.body || route.method != "GET")
        add({"malformed-request", "too-large", "unsupported-media-type"});
    if (route.body && route.body->spooled_bytes_max > 0) add({"unavailable"});
    return names;
}

}  // namespace umavez::http
