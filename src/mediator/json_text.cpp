#include "base/limits.hpp"
#include "base/utf8.hpp"
#include "json/bytes.hpp"
#include "json/canonical.hpp"
#include "json/name_order.hpp"
#include "json/number.hpp"
#include "json/tree.hpp"

#include <umavez/mediator/json_text.hpp>

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
    append_canonical({digits.data(), end});
    return std::nullopt;
}

void JsonText::number_text(std::string_view number)
{
    if (form_ == JsonForm::as_written) return append(number);
    append_canonical(number);
}

void JsonText::append_canonical(std::string_view number)
{
    begin_value();
    Output output{[this](std::string_view piece) { text_ += piece; }};
    print_canonical(to_decimal(number), output);
    output.finish();
}

JsonFailure JsonText::string(std::string_view value)
{
    begin_value();
    // Most texts are plain, and one look tells.
    const char* const end = value.data() + value.size();
    if (find_special(value.data(), end) == end) {
        text_ += '"';
        text_ += value;
        text_ += '"';
        return std::nullopt;
    }
    if (!is_utf8(value)) return JsonProblem{"the text is not valid UTF-8"};
    Output output{[this](std::string_view piece) { text_ += piece; }};
    print_canonical_string(value, output);
    output.finish();
    return std::nullopt;
}

JsonFailure JsonText::raw(std::string_view json)
{
    const auto tree = JsonTree::parse(json, limits::json_depth_max - depth_);
    if (!tree) return JsonProblem{"not JSON: " + tree.error().detail};
    if (form_ == JsonForm::as_written) {
        append(json);
    } else {
        append(canonical_text(*tree));
    }
    return std::nullopt;
}

JsonFailure JsonText::name(std::string_view name)
{
    if (JsonFailure failure = string(name)) return failure;
    text_ += ':';
    needs_comma_ = false;
    return std::nullopt;
}

void JsonText::plain_name(std::string_view name)
{
    if (needs_comma_) text_ += ',';
    text_ += '"';
    text_ += name;
    text_ += "\":";
    needs_comma_ = false;
}

JsonFailure JsonText::open(char bracket)
{
    // What is deeper could not be read again.
    if (++depth_ > limits::json_depth_max) return JsonProblem{"it is nested too deeply"};
    begin_value();
    text_ += bracket;
    needs_comma_ = false;
    return std::nullopt;
}

void JsonText::close(char bracket)
{
    --depth_;
    text_ += bracket;
    needs_comma_ = true;
}

bool name_goes_before(std::string_view left, std::string_view right) noexcept
{
    return is_name_before(left, right);
}

namespace {

JsonKind kind_of(const JsonNodes& nodes, std::uint32_t node) noexcept
{
    return nodes.nodes[node].kind;
}

}  // namespace

bool JsonView::is_null() const noexcept
{
    return kind_of(*nodes_, node_) == JsonKind::null;
}
bool JsonView::is_array() const noexcept
{
    return kind_of(*nodes_, node_) == JsonKind::array;
}
bool JsonView::is_object() const noexcept
{
    return kind_of(*nodes_, node_) == JsonKind::object;
}

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

std::uint32_t JsonView::end() const noexcept
{
    return nodes_->nodes[node_].end;
}
std::uint32_t JsonView::after(std::uint32_t node) const noexcept
{
    return nodes_->node_after(node);
}

namespace detail {

bool is_same_number(std::string_view left, std::string_view right)
{
    const auto canonical = [](std::string_view number) {
        JsonText text{JsonForm::canonical};
        text.number_text(number);
        return text.take();
    };
    return left == right || canonical(left) == canonical(right);
}

JsonFailure read_document(
    std::string_view json, JsonFailure (*read)(const JsonView&, void*), void* into
)
{
    const auto tree = JsonTree::parse(json);
    if (!tree) return JsonProblem{"not JSON: " + tree.error().detail};
    return read(JsonView{tree->nodes(), 0}, into);
}

}  // namespace detail
}  // namespace umavez
