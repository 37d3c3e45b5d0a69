#include "http/html.hpp"

#include <fmt/format.h>

namespace umavez::http {
namespace {

constexpr std::string_view style = R"(<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.15rem; margin-top: 2.5rem; }
code { font-family: ui-monospace, monospace; font-size: .95em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; }
tr { border-bottom: 1px solid #8884; }
.status { opacity: .7; white-space: nowrap; }
</style>
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

}  // namespace

std::string escaped(std::string_view text)
{
    std::string out;
    append_escaped(out, text);
    return out;
}

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

Response page_response(const Page& page)
{
    Response response{};
    response.headers = {
        {"Content-Type", "text/html; charset=utf-8"},
        {"Content-Security-Policy", std::string{page.policy}},
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
        "{}"
        "</head>\n"
        "<body>\n"
        "{}"
        "</body>\n"
        "</html>\n",
        escaped(page.title),
        page.head.empty() ? style : page.head,
        page.content
    );
    return response;
}

}  // namespace umavez::http
