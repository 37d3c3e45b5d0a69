#include "http/problem_pages.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace umavez::http {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.15rem; margin-top: 2.5rem; }
code { font-family: ui-monospace, monospace; font-size: .95em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; }
tr { border-bottom: 1px solid #8884; }
.status { opacity: .7; white-space: nowrap; }
)";

void append_escaped(std::string& out, std::string_view text)
{
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
}

std::string escaped(std::string_view text)
{
    std::string out;
    append_escaped(out, text);
    return out;
}

// `words` between backticks are names of members and headers.
std::string to_html(std::string_view text)
{
    std::string out;
    bool is_code = false;
    for (;;) {
        const std::size_t tick = text.find('`');
        append_escaped(out, text.substr(0, tick));
        if (tick == std::string_view::npos) break;
        is_code = !is_code;
        out += is_code ? "<code>" : "</code>";
        text.remove_prefix(tick + 1);
    }
    if (is_code) out += "</code>";
    return out;
}

std::string status_text(const ProblemKind& kind)
{
    if (!kind.status_otherwise) return std::to_string(kind.status);
    return fmt::format("{} / {}", kind.status, *kind.status_otherwise);
}

Response page(std::string_view title, std::string_view content)
{
    Response response{};
    response.headers = {
        {"Content-Type", "text/html; charset=utf-8"},
        {"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Cache-Control", "public, max-age=3600"},
    };
    response.body = fmt::format(
        "<!doctype html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n"
        "<style>{}</style>\n"
        "</head>\n"
        "<body>\n"
        "{}"
        "</body>\n"
        "</html>\n",
        escaped(title),
        style,
        content
    );
    return response;
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
    return page(kind.name, content);
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
    return page("Problems · Problemas", content);
}

}  // namespace umavez::http
