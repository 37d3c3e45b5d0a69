#include "base/digest.hpp"
#include "json/canonical.hpp"
#include "json/tree.hpp"

#include <umavez/fingerprint.hpp>

namespace umavez {
namespace {

// The first part of every digest: what kind of thing it is a digest of, and by which version of the
// rules. These never change; a new version gets new ones.
constexpr std::string_view tag_target = "umavez target 1";
constexpr std::string_view tag_json = "umavez json 1";
constexpr std::string_view tag_bytes = "umavez bytes 1";
static_assert(
    fingerprint_version == 1, "keep the tags of older versions, add those of the new one"
);

}  // namespace

Target make_target(std::initializer_list<std::string_view> parts)
{
    Hasher hasher;
    hasher.part(tag_target);
    for (const std::string_view part : parts) hasher.part(part);
    return {hasher.finish()};
}

Result<Fingerprint> fingerprint_json(std::string_view text, std::size_t depth_max)
{
    const auto tree = JsonTree::parse(text, depth_max);
    if (!tree) return std::unexpected(tree.error());
    return fingerprint_of(*tree);
}

Fingerprint fingerprint_of(const JsonTree& tree)
{
    // The canonical text is the last part and is streamed, so it goes without a length. The tag
    // goes the same way: one call of the hash for most documents.
    Hasher hasher;
    Output output{[&hasher](std::string_view piece) { hasher.raw(piece); }};
    const auto tag_size = Hasher::size_prefix(tag_json);
    output.append({tag_size.data(), tag_size.size()});
    output.append(tag_json);
    print_canonical(tree, output);
    output.finish();
    return {fingerprint_version, hasher.finish()};
}

Fingerprint fingerprint_of_canonical(std::string_view text)
{
    Hasher hasher;
    hasher.part(tag_json);
    hasher.raw(text);
    return {fingerprint_version, hasher.finish()};
}

Result<std::string> canonical_json(std::string_view text, std::size_t depth_max)
{
    const auto tree = JsonTree::parse(text, depth_max);
    if (!tree) return std::unexpected(tree.error());
    return canonical_text(*tree);
}

std::string canonical_text(const JsonTree& tree)
{
    std::string canonical;
    Output output{[&canonical](std::string_view piece) { canonical += piece; }};
    print_canonical(tree, output);
    output.finish();
    return canonical;
}

Fingerprint fingerprint_bytes(std::string_view media_type, std::string_view bytes)
{
    Hasher hasher;
    hasher.part(tag_bytes);
    hasher.part(media_type);
    hasher.part(bytes);
    return {fingerprint_version, hasher.finish()};
}

}  // namespace umavez
