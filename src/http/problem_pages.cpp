#include "http/problem_pages.hpp"

#include "base/json_text.hpp"
#include "http/html.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::http {
namespace {

std::string status_text(const ProblemKind& kind)
{
    if (!kind.status_otherwise) return std::to_string(kind.status);
    return fmt::format("{} / {}", kind.status, *kind.status_otherwise);
}

std::string section(const ProblemKind& kind, Language language)
{
    const Wording& words = kind.in(language);
    const bool is_portuguese = language == Language::portuguese;
    return fmt::format(
        "<section lang=\"{}\">\n"
        "<h2>{}</h2>\n"
        "<p>{}</p>\n"
        "<p><strong>{}</strong> {}</p>\n"
        "</section>\n",
        to_tag(language),
        to_html(words.title),
        to_html(words.explanation),
        is_portuguese ? "O que fazer:" : "What to do:",
        to_html(words.cure)
    );
}

}  // namespace

Response problem_page(const ProblemKind& kind)
{
    std::string content = fmt::format(
        "<h1><code>{}</code></h1>\n<p class=\"status\">HTTP {}</p>\n",
        escaped(kind.name),
        status_text(kind)
    );
    content += section(kind, Language::english);
    content += section(kind, Language::portuguese);
    content += "<p><a href=\"/problems\">All problems · Todos os problemas</a></p>\n";
    return page_response({.title = kind.name, .content = content});
}

Response problem_index_page(const ProblemCatalogue& catalogue)
{
    std::string content = "<h1>Problems · Problemas</h1>\n<table>\n";
    for (const ProblemKind& kind : catalogue.kinds()) {
        content += fmt::format(
            "<tr><td class=\"status\">{}</td><td><a href=\"{}\"><code>{}</code></a></td>"
            "<td>{}<br><span lang=\"pt-BR\">{}</span></td></tr>\n",
            status_text(kind),
            escaped(problem_path(kind.name)),
            escaped(kind.name),
            to_html(kind.english.title),
            to_html(kind.portuguese.title)
        );
    }
    content += "</table>\n";
    return page_response({.title = "Problems · Problemas", .content = content});
}

std::string problem_json(const ProblemKind& kind, Language language)
{
    const Wording& words = kind.in(language);
    std::string json = fmt::format(
        R"({{"type":"{}","name":"{}","status":{})", problem_path(kind.name), kind.name, kind.status
    );
    if (kind.status_otherwise) {
        json += fmt::format(R"(,"status_otherwise":{})", *kind.status_otherwise);
    }
    for (const auto& [name, text] : {
             std::pair{"title", &words.title},
             std::pair{"explanation", &words.explanation},
             std::pair{"cure", &words.cure},
         }) {
        json += fmt::format(R"(,"{}":)", name);
        append_json_text(json, *text);
    }
    return json + '}';
}

std::string problem_index_json(const ProblemCatalogue& catalogue, Language language)
{
    std::string json = R"({"problems":[)";
    for (const ProblemKind& kind : catalogue.kinds()) {
        if (!json.ends_with('[')) json += ',';
        json += problem_json(kind, language);
    }
    return json + "]}";
}

}  // namespace umavez::http
