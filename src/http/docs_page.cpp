#include "http/docs_page.hpp"

#include "http/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace umavez::http {
namespace {

// "clientes.criar", or made of method and path: the place in the page that links name.
std::string anchor_of(const Route& route)
{
    if (!route.operation_id.empty()) return escaped(route.operation_id);
    return escaped(route.method + route.pattern);
}

std::string type_of(const Schema& schema)
{
    if (schema.type == Type::array) return "a list of " + type_of(*schema.item);
    const std::string words = schema.type == Type::object
                                  ? (schema.name.empty() ? "an object" : schema.name)
                                  : to_words(schema).english;
    return schema.nullable ? words + ", or null" : words;
}

// Members of members follow their owner: `itens[].valor`.
void append_rows(std::string& out, const std::vector<Field>& fields, const std::string& owner)
{
    for (const Field& field : fields) {
        const std::string name = owner + field.name;
        out += fmt::format(
            "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}{}</td></tr>\n",
            escaped(name),
            field.required ? " <span class=\"must\" title=\"required\">*</span>" : "",
            escaped(type_of(field.type)),
            to_html(field.description),
            field.example.empty() ? "" : fmt::format(" <code>{}</code>", escaped(field.example))
        );
        const bool is_list = field.type.type == Type::array;
        const Schema& inside = is_list ? *field.type.item : field.type;
        if (inside.type == Type::object) {
            append_rows(out, *inside.fields, name + (is_list ? "[]." : "."));
        }
    }
}

void append_table(std::string& out, std::string_view title, const std::vector<Field>& fields)
{
    if (fields.empty()) return;
    out += fmt::format("<h3>{}</h3>\n<div class=\"table\"><table>\n", escaped(title));
    append_rows(out, fields, "");
    out += "</table></div>\n";
}

void append_schema(std::string& out, std::string_view title, const Schema& schema)
{
    const bool is_list = schema.type == Type::array;
    const Schema& inside = is_list ? *schema.item : schema;
    if (inside.type == Type::object) {
        append_table(out, fmt::format("{}{}", title, is_list ? " (list)" : ""), *inside.fields);
    } else {
        out += fmt::format("<h3>{}</h3>\n<p>{}</p>\n", escaped(title), escaped(type_of(schema)));
    }
}

void append_example(std::string& out, const std::string& json)
{
    if (!json.empty()) out += fmt::format("<pre>{}</pre>\n", escaped(json));
}

void append_answers(std::string& out, const Route& route)
{
    for (const Answer& answer : route.answers) {
        out += fmt::format("<h3>{}</h3>\n<p>{}</p>\n", answer.status, to_html(answer.description));
        if (answer.body) append_schema(out, "Body", *answer.body);
        append_example(out, answer.example);
        append_table(out, "Headers", answer.headers);
    }
}

void append_problems(std::string& out, const Route& route, const ProblemCatalogue& problems)
{
    const std::vector<std::string> names = problems_of(route);
    if (names.empty()) return;
    out += "<h3>Problems</h3>\n<div class=\"table\"><table>\n";
    for (const std::string& name : names) {
        const ProblemKind& kind = problems.get(name);
        out += fmt::format(
            "<tr><td>{}</td><td><a href=\"{}\"><code>{}</code></a></td><td>{}</td></tr>\n",
            kind.status,
            escaped(problem_path(name)),
            escaped(name),
            to_html(kind.english.title)
        );
    }
    out += "</table></div>\n";
}

void append_route(std::string& out, const Route& route, const ProblemCatalogue& problems)
{
    out += fmt::format(
        "<details id=\"{}\">\n<summary><span class=\"method {}\">{}</span><code>{}</code>"
        "<span class=\"what\">{}</span></summary>\n<div>\n",
        anchor_of(route),
        escaped(route.method),
        escaped(route.method),
        escaped(route.pattern),
        to_html(route.summary)
    );
    if (!route.description.empty()) out += fmt::format("<p>{}</p>\n", to_html(route.description));
    append_table(out, "Path", route.path);
    append_table(out, "Query", route.query);
    append_table(out, "Headers", route.headers);
    if (route.body) {
        append_schema(out, "Body", route.body->schema);
        append_example(out, route.body->example);
    }
    append_answers(out, route);
    append_problems(out, route, problems);
    out += "</div>\n</details>\n";
}

// Tags in the order in which they first appear.
std::vector<std::pair<std::string, std::vector<const Route*>>> by_tag(const Router& router)
{
    std::vector<std::pair<std::string, std::vector<const Route*>>> tags;
    for (const Route* const route : router.declared()) {
        if (route->summary.empty()) continue;
        auto tag = std::ranges::find(tags, route->tag, &decltype(tags)::value_type::first);
        if (tag == tags.end()) tag = tags.insert(tags.end(), {route->tag, {}});
        tag->second.push_back(route);
    }
    return tags;
}

}  // namespace

Response docs_page(const Router& router, const OpenApiInfo& info)
{
    const auto tags = by_tag(router);
    std::string content = fmt::format(
        "<h1>{}</h1>\n<p>{}</p>\n<p>Version {} · <a href=\"/openapi.json\">openapi.json</a> · "
        "<a href=\"/problems\">problems</a></p>\n<nav>\n",
        escaped(info.title),
        to_html(info.description),
        escaped(info.version)
    );
    for (const auto& [tag, routes] : tags) {
        content += fmt::format("<a href=\"#tag-{0}\">{0}</a>\n", escaped(tag));
    }
    content +=
        "</nav>\n<input id=\"search\" type=\"search\" placeholder=\"Search\" "
        "aria-label=\"Search\" hidden>\n<main>\n";
    for (const auto& [tag, routes] : tags) {
        content += fmt::format("<section>\n<h2 id=\"tag-{0}\">{0}</h2>\n", escaped(tag));
        for (const Route* const route : routes) append_route(content, *route, info.problems);
        content += "</section>\n";
    }
    content += "</main>\n";
    return page_response(
        {.title = info.title,
         .content = content,
         .head = "<link rel=\"stylesheet\" href=\"/docs/docs.css\">\n"
                 "<script src=\"/docs/docs.js\" defer></script>\n",
         .policy = "default-src 'none'; style-src 'self'; script-src 'self'"}
    );
}

}  // namespace umavez::http
