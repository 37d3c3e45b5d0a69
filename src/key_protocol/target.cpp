#include "key_protocol/target.hpp"

#include "key_protocol/form.hpp"
#include "key_protocol/packed.hpp"

#include <string>

namespace umavez::key_protocol {

Target target_of(const http::Request& request, std::string_view pattern)
{
    std::string parameters;
    for (const auto& [name, value] : request.parameters) {
        // Declared parameters of the query are here too, but the query speaks for itself: to declare one more
        // must not change the target of keys that are stored.
        if (pattern.find('{' + name + '}') == std::string_view::npos) continue;
        append_packed(parameters, name);
        append_packed(parameters, value);
    }
    const auto pairs = parse_form(request.query);
    if (!pairs) {
        return make_target({request.method, pattern, parameters, "as sent", request.query});
    }
    const std::string query = to_canonical(*pairs);
    return make_target({request.method, pattern, parameters, "decoded", query});
}

}  // namespace umavez::key_protocol
