#include "http/validation.hpp"

#include "base/json_text.hpp"

namespace umavez::http {

Problem validation_problem(const std::vector<FieldError>& errors, Language language)
{
    std::string list = "[";
    Text detail;
    for (const FieldError& error : errors) {
        if (list.size() > 1) {
            list += ',';
            detail.english += "; ";
            detail.portuguese += "; ";
        }
        detail.english += error.field + ": " + error.message.english;
        detail.portuguese += error.field + ": " + error.message.portuguese;
        list += R"({"field":)";
        append_json_text(list, error.field);
        list += R"(,"message":)";
        append_json_text(list, error.message.in(language));
        list += '}';
    }
    list += ']';
    return {.name = "validation", .detail = std::move(detail), .members = {{"errors", std::move(list)}}};
}

}  // namespace umavez::http
