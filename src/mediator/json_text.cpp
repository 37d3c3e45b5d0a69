#include <umavez/mediator/json_text.hpp>

#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "json/tree.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace umavez {

void JsonProblem::put_in_member(std::string_view name)
{
    path_.insert(0, '.' + std::string{name});
}

void JsonProblem::put_in_element(std::size_t index)
{
    path_.insert(0, '[' + std::to_string(index) + ']');
}

JsonFailure JsonText::number(double value)
{
    if (!std::isfinite(value)) return JsonProblem{"JSON has no infinite numbers and no NaN"};
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    raw({digits.data(), end});
    return std::nullopt;
}

JsonFailure JsonText::string(std::string_view value)
{
    if (!is_utf8(value)) return JsonProblem{"the text is not valid UTF-8"};
    if (needs_comma_) text_ += ',';
    append_json_text(text_, value);
    needs_comma_ = true;
    return std::nullopt;
}

void JsonText::raw(std::string_view json)
{
    if (needs_comma_) text_ += ',';
    text_ += json;
    needs_comma_ = true;
}

JsonFailure JsonText::name(std::string_view name)
{
    if (JsonFailure failure = string(name)) return failure;
    text_ += ':';
    needs_comma_ = false;
    return std::nullopt;
}

void JsonText::open(char bracket)
{
    if (needs_comma_) text_ += ',';
    text_ += bracket;
    needs_comma_ = false;
}

void JsonText::close(char bracket)
{
    text_ += bracket;
    needs_comma_ = true;
}

namespace {

JsonKind kind_of(const JsonNodes& nodes, std::uint32_t node) noexcept
{
    return nodes.nodes[node].kind;
}

}  // namespace

bool JsonView::is_null() const noexcept { return kind_of(*nodes_, node_) == JsonKind::null; }
bool JsonView::is_array() const noexcept { return kind_of(*nodes_, node_) == JsonKind::array; }
bool JsonView::is_object() const noexcept { return kind_of(*nodes_, node_) == JsonKind::object; }

std::optional<bool> JsonView::boolean() const
{
    if (kind_of(*nodes_, node_) != JsonKind::boolean) return std::nullopt;
    return JsonValue{*nodes_, node_}.boolean();
}

std::optional<std::string_view> JsonView::number() const
{
    if (kind_of(*nodes_, node_) != JsonKind::number) return std::nullopt;
    return JsonValue{*nodes_, node_}.number();
}

std::optional<std::string_view> JsonView::string() const
{
    if (kind_of(*nodes_, node_) != JsonKind::string) return std::nullopt;
    return JsonValue{*nodes_, node_}.string();
}

std::size_t JsonView::size() const
{
    if (is_array()) return JsonValue{*nodes_, node_}.elements().size();
    return is_object() ? JsonValue{*nodes_, node_}.members().size() : 0;
}

std::optional<JsonView> JsonView::find(std::string_view name) const
{
    std::optional<JsonView> found;
    if (!is_object()) return found;
    // Few members: looking at each is faster than a search among the sorted names.
    for (std::uint32_t at = node_ + 1; at != end(); at = after(at + 1)) {
        if (nodes_->string_at(at) == name) return JsonView{*nodes_, at + 1};
    }
    return found;
}

std::uint32_t JsonView::end() const noexcept { return nodes_->nodes[node_].end; }
std::uint32_t JsonView::after(std::uint32_t node) const noexcept { return nodes_->node_after(node); }

namespace detail {

JsonFailure read_document(std::string_view json, JsonFailure (*read)(const JsonView&, void*), void* into)
{
    const auto tree = JsonTree::parse(json);
    if (!tree) return JsonProblem{"not JSON: " + tree.error().detail};
    return read(JsonView{tree->nodes(), 0}, into);
}

}  // namespace detail
}  // namespace umavez
