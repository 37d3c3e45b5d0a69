#include "http/validation.hpp"

#include "base/json_text.hpp"

namespace umavez::http {

Problem validation_problem(const std::vector<FieldError>& errors, Language language)
{
    std::string list = "[";
    for (const FieldError& error : errors) {
        if (list.size() > 1) list += ',';
        list += R"({"field":)";
        append_json_text(list, error.field);
        list += R"(,"message":)";
        append_json_text(list, error.message.in(language));
        list += '}';
    }
    list += ']';
    return {.name = "validation", .members = {{"errors", std::move(list)}}};
}

}  // namespace umavez::http
