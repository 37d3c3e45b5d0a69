#include "webhook/body.hpp"

#include "base/digest.hpp"
#include "base/shown.hpp"
#include "json/canonical.hpp"
#include "json/pointer.hpp"

#include <algorithm>

namespace umavez::webhook {
namespace {

// The first part of every digest, as in json/fingerprint.cpp. The digests are stored: these never change.
constexpr std::string_view tag_json = "umavez webhook json 1";
constexpr std::string_view tag_bytes = "umavez webhook bytes 1";
constexpr std::string_view tag_unsigned = "umavez webhook unsigned 1";

void print_without(JsonValue object, std::span<const std::string_view> left_out, Output& output)
{
    char before = '{';
    for (const JsonMember member : object.members()) {
        const std::string_view name = member.name().string();
        if (std::ranges::find(left_out, name) != left_out.end()) continue;
        output.append(before);
        before = ',';
        print_canonical_string(name, output);
        output.append(':');
        print_canonical(member.value(), output);
    }
    output.append(before == '{' ? std::string_view{"{}"} : std::string_view{"}"});
}

}  // namespace

Checked Body::require_json() const
{
    if (tree_) return {};
    return refuse(Fault::malformed, "the body is not JSON: " + shown(tree_.error().detail));
}

std::optional<JsonValue> Body::find(std::string_view pointer) const
{
    if (!tree_) return std::nullopt;
    return find_pointer(tree_->root(), pointer);
}

Digest Body::digest(std::span<const std::string_view> left_out) const
{
    Hasher hasher;
    if (!tree_) {
        hasher.part(tag_bytes);
        hasher.raw(bytes_);
        return hasher.finish();
    }
    hasher.part(tag_json);
    Output output{[&hasher](std::string_view piece) { hasher.raw(piece); }};
    if (!left_out.empty() && tree_->root().kind() == JsonKind::object) {
        print_without(tree_->root(), left_out, output);
    } else {
        print_canonical(*tree_, output);
    }
    output.finish();
    return hasher.finish();
}

Digest digest_of_unsigned_body()
{
    Hasher hasher;
    hasher.part(tag_unsigned);
    return hasher.finish();
}

std::optional<std::string> to_plain_text(JsonValue value)
{
    if (value.kind() == JsonKind::string) return std::string{value.string()};
    if (value.kind() != JsonKind::number) return std::nullopt;
    // The canonical text of a large integer has an exponent, which nobody expects of an id.
    if (value.number().find_first_of(".eE") == std::string_view::npos)
        return std::string{value.number()};
    std::string text;
    Output output{[&text](std::string_view piece) { text += piece; }};
    print_canonical(value, output);
    output.finish();
    return text;
}

}  // namespace umavez::webhook
