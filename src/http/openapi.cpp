#include "http/openapi.hpp"

#include "base/assert.hpp"
#include "base/json_object.hpp"
#include "http/header_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace umavez::http {
namespace {

constexpr std::string_view problem_type = "application/problem+json";

Schema problem_schema()
{
    return object({
                      {.name = "type",
                       .type = text(),
                       .description = "the kind; a page about it is served there",
                       .example = R"("/problems/not-found")"},
                      {.name = "title", .type = text(), .description = "the kind in words"},
                      {.name = "status", .type = integer({.min = 400, .max = 599})},
                      {.name = "detail",
                       .type = text(),
                       .description = "what happened this time",
                       .required = false},
                      {.name = "instance",
                       .type = text(),
                       .description = "the path that was asked for",
                       .required = false},
                      {.name = "request_id",
                       .type = text(),
                       .description = "names the request in the server's log"},
                  })
        .named("Problem");
}

// Every schema with a name that is met, by its name.
class Components {
public:
    void note(const Schema& schema)
    {
        if (schema.fields) {
            for (const Field& field : *schema.fields) note(field.type);
        }
        if (schema.item) note(*schema.item);
        if (schema.name.empty()) return;
        Schema itself = schema;
        itself.nullable = false;
        const std::string definition = to_definition(itself);
        const auto [known, is_new] = definitions_.emplace(schema.name, definition);
        UMAVEZ_ASSERT(is_new || known->second == definition);
    }

    std::string json() const
    {
        JsonObject schemas;
        for (const auto& [name, definition] : definitions_) schemas.raw(name, definition);
        return schemas.str();
    }

private:
    std::map<std::string, std::string> definitions_;
};

std::string to_parameter(const Field& field, std::string_view where)
{
    JsonObject parameter;
    parameter.text_unless_empty("name", field.name);
    parameter.text_unless_empty("in", where);
    parameter.text_unless_empty("description", field.description);
    if (field.required) parameter.raw("required", "true");
    parameter.raw("schema", to_json(field.type));
    if (!field.example.empty()) parameter.raw("example", field.example);
    return parameter.str();
}

// "{id}" of the pattern in its order; what the route does not declare is text.
std::vector<Field> path_fields(const Route& route)
{
    std::vector<Field> fields;
    std::string_view rest = route.pattern;
    for (std::size_t at = rest.find('{'); at != std::string_view::npos; at = rest.find('{')) {
        rest.remove_prefix(at + 1);
        const std::string name{rest.substr(0, rest.find('}'))};
        const auto declared = std::ranges::find(route.path, name, &Field::name);
        fields.push_back(
            declared == route.path.end() ? Field{.name = name, .type = text({.min = 1})} : *declared
        );
    }
    return fields;
}

std::string to_content(std::string_view media_type, const Schema& schema, std::string_view example)
{
    JsonObject media;
    media.raw("schema", to_json(schema));
    if (!example.empty()) media.raw("example", example);
    JsonObject content;
    content.raw(media_type, media.str());
    return content.str();
}

std::string to_request_body(const Body& body)
{
    JsonObject media;
    media.raw("schema", to_json(body.schema));
    if (!body.example.empty()) media.raw("example", body.example);
    JsonObject content;
    for (const std::string& type : body.media_types) content.raw(type, media.str());
    JsonObject raw;
    raw.raw("schema", to_json(text({.format = "binary"})));
    for (const std::string& type : body.raw_media_types) content.raw(type, raw.str());

    JsonObject request;
    request.text_unless_empty("description", body.description);
    request.raw("content", content.str());
    if (body.required) request.raw("required", "true");
    return request.str();
}

// What every answer has is told once, among the components.
std::string to_common_headers()
{
    return R"({"X-Request-Id":{"description":"Names the request in the server's log; the client's )"
           R"(own if it sent one.","schema":{"type":"string"}},)"
           R"("Retry-After":{"description":"Seconds to wait before the next try.",)"
           R"("schema":{"type":"integer","minimum":1}}})";
}

std::string reference_to_header(std::string_view name)
{
    return fmt::format(R"({{"$ref":"#/components/headers/{}"}})", name);
}

std::string to_headers(const std::vector<Field>& fields, bool has_retry_after)
{
    JsonObject headers;
    headers.raw("X-Request-Id", reference_to_header("X-Request-Id"));
    if (has_retry_after) headers.raw("Retry-After", reference_to_header("Retry-After"));
    for (const Field& field : fields) {
        JsonObject header;
        header.text_unless_empty("description", field.description);
        header.raw("schema", to_json(field.type));
        headers.raw(field.name, header.str());
    }
    return headers.str();
}

std::string to_answer(const Answer& answer)
{
    JsonObject json;
    // Required, even where there is nothing to say.
    json.raw("description", to_json_text(answer.description));
    json.raw("headers", to_headers(answer.headers, false));
    if (answer.body) {
        json.raw("content", to_content(answer.media_type, *answer.body, answer.example));
    }
    return json.str();
}

// By status: two kinds may share one, and a kind may have two.
std::map<int, std::vector<const ProblemKind*>> problems_by_status(
    const Route& route, const ProblemCatalogue& catalogue
)
{
    std::map<int, std::vector<const ProblemKind*>> problems;
    for (const std::string& name : problems_of(route)) {
        const ProblemKind& kind = catalogue.get(name);
        problems[kind.status].push_back(&kind);
        if (kind.status_otherwise) problems[*kind.status_otherwise].push_back(&kind);
    }
    return problems;
}

std::string to_problem_answer(const std::vector<const ProblemKind*>& kinds, const Route& route)
{
    std::string text;
    bool has_retry_after = false;
    for (const ProblemKind* const kind : kinds) {
        const std::string_view separator = text.empty() ? "" : "\n\n";
        const std::string path = problem_path(kind->name);
        text += fmt::format("{}[`{}`]({}): {}", separator, kind->name, path, kind->english.title);
        has_retry_after = has_retry_after || kind->has_retry_after;
    }
    JsonObject json;
    json.text_unless_empty("description", text);
    json.raw("headers", to_headers(route.problem_headers, has_retry_after));
    json.raw("content", to_content(problem_type, problem_schema(), {}));
    return json.str();
}

// The route's own answers, and its problems.
std::string to_responses(const Route& route, const ProblemCatalogue& catalogue)
{
    std::map<int, std::string> answers;
    for (const Answer& answer : route.answers) answers[answer.status] = to_answer(answer);
    for (const auto& [status, kinds] : problems_by_status(route, catalogue)) {
        if (!answers.contains(status)) answers[status] = to_problem_answer(kinds, route);
    }
    JsonObject responses;
    for (const auto& [status, json] : answers) responses.raw(std::to_string(status), json);
    responses.raw("default", R"({"$ref":"#/components/responses/Problem"})");
    return responses.str();
}

std::string to_operation_id(const Route& route)
{
    if (!route.operation_id.empty()) return route.operation_id;
    std::string id = to_lower_ascii(route.method) + route.pattern;
    std::erase_if(id, [](char c) { return c == '{' || c == '}'; });
    std::ranges::replace(id, '/', '.');
    if (id.ends_with('.')) id.pop_back();
    return id;
}

std::string to_operation(const Route& route, const ProblemCatalogue& catalogue)
{
    JsonObject operation;
    operation.text_unless_empty("operationId", to_operation_id(route));
    if (!route.tag.empty()) operation.raw("tags", to_json_array({to_json_text(route.tag)}));
    operation.text_unless_empty("summary", route.summary);
    operation.text_unless_empty("description", route.description);

    std::vector<std::string> parameters;
    for (const Field& field : path_fields(route)) parameters.push_back(to_parameter(field, "path"));
    for (const Field& field : route.query) parameters.push_back(to_parameter(field, "query"));
    for (const Field& field : route.headers) parameters.push_back(to_parameter(field, "header"));
    if (!parameters.empty()) operation.raw("parameters", to_json_array(parameters));

    if (route.body) operation.raw("requestBody", to_request_body(*route.body));
    operation.raw("responses", to_responses(route, catalogue));
    if (route.security == Security::open) operation.raw("security", "[]");
    if (route.security == Security::optional) operation.raw("security", R"([{},{"bearer":[]}])");
    return operation.str();
}

Components components_of(const Router& router)
{
    Components components;
    components.note(problem_schema());
    for (const Route* const route : router.declared()) {
        for (const auto* const fields : {&route->path, &route->query, &route->headers}) {
            for (const Field& field : *fields) components.note(field.type);
        }
        if (route->body) components.note(route->body->schema);
        for (const Answer& answer : route->answers) {
            if (answer.body) components.note(*answer.body);
            for (const Field& field : answer.headers) components.note(field.type);
        }
    }
    return components;
}

std::string to_paths(const Router& router, const ProblemCatalogue& catalogue)
{
    std::vector<std::pair<std::string, JsonObject>> paths;  // in the order of the declarations
    for (const Route* const route : router.declared()) {
        auto path = std::ranges::find(paths, route->pattern, &decltype(paths)::value_type::first);
        if (path == paths.end()) path = paths.insert(path, {route->pattern, {}});
        path->second.raw(to_lower_ascii(route->method), to_operation(*route, catalogue));
    }
    JsonObject json;
    for (const auto& [pattern, operations] : paths) json.raw(pattern, operations.str());
    return json.str();
}

std::string to_tags(const Router& router)
{
    std::vector<std::string> tags;
    for (const Route* const route : router.declared()) {
        if (route->tag.empty()) continue;
        std::string tag = fmt::format(R"({{"name":{}}})", to_json_text(route->tag));
        if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(std::move(tag));
    }
    return to_json_array(tags);
}

}  // namespace

std::string to_openapi(const Router& router, const OpenApiInfo& info)
{
    JsonObject about;
    about.text_unless_empty("title", info.title);
    about.text_unless_empty("version", info.version);
    about.text_unless_empty("description", info.description);

    JsonObject problem;
    problem.text_unless_empty("description", "an error (RFC 9457)");
    problem.raw("headers", to_headers({}, false));
    problem.raw("content", to_content(problem_type, problem_schema(), {}));

    JsonObject components;
    components.raw("schemas", components_of(router).json());
    components.raw("headers", to_common_headers());
    components.raw("responses", fmt::format(R"({{"Problem":{}}})", problem.str()));
    components.raw("securitySchemes", R"({"bearer":{"type":"http","scheme":"bearer"}})");

    JsonObject document;
    document.text_unless_empty("openapi", "3.1.0");
    document.raw("info", about.str());
    document.raw("tags", to_tags(router));
    document.raw("security", R"([{"bearer":[]}])");
    document.raw("paths", to_paths(router, info.problems));
    document.raw("components", components.str());
    return document.str() + "\n";
}

}  // namespace umavez::http
