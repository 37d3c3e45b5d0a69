// Asks the canonical form and a second, slow reader about the same texts.
//
// An input is one text, or two with a byte 0 between them (which no JSON text contains). Checked:
// both readers accept the same texts; the canonical text means what the text means and is its own
// canonical text; fingerprints, canonical texts and meanings are equal together or not at all.

#include "fuzz/reference_json.hpp"
#include "json/tree.hpp"

#include <umavez/fingerprint.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace umavez;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

struct Reading {
    std::string canonical;
    Fingerprint fingerprint;
    reference::Value meaning;
};

std::optional<Reading> read(std::string_view text)
{
    const auto canonical = canonical_json(text);
    const auto fingerprint = fingerprint_json(text);
    const auto meaning = reference::read(text);
    require(canonical.has_value() == meaning.has_value(), "both readers accept the same texts");
    require(canonical.has_value() == fingerprint.has_value(), "what prints has a fingerprint");
    if (!canonical) {
        require(canonical.error().detail.starts_with("byte "), "a refusal names the place");
        require(canonical.error().detail == fingerprint.error().detail, "one text, one refusal");
        return std::nullopt;
    }
    return Reading{*canonical, *fingerprint, *meaning};
}

void check_members_are_found(JsonValue value)
{
    if (value.kind() == JsonKind::array) {
        for (const JsonValue element : value.elements()) check_members_are_found(element);
    }
    if (value.kind() != JsonKind::object) return;
    for (const JsonMember member : value.members()) {
        require(value.find(member.name().string()).has_value(), "a member is found by its name");
        check_members_are_found(member.value());
    }
}

void check_alone(std::string_view text, const Reading& reading)
{
    const auto again = read(reading.canonical);
    require(again.has_value(), "the canonical text is I-JSON");
    require(again->canonical == reading.canonical, "the canonical text is a fixed point");
    require(again->fingerprint == reading.fingerprint, "a fingerprint survives canonicalisation");
    require(again->meaning == reading.meaning, "the canonical text means what the text means");
    check_members_are_found(JsonTree::parse(text)->root());
}

void check_pair(const Reading& left, const Reading& right)
{
    const bool is_equal = left.meaning == right.meaning;
    require(
        (left.canonical == right.canonical) == is_equal, "canonical texts differ as meanings do"
    );
    require(
        (left.fingerprint == right.fingerprint) == is_equal, "fingerprints differ as meanings do"
    );
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    const std::size_t middle = std::min(input.find('\0'), size);
    const std::string_view first = input.substr(0, middle);
    const std::string_view second = input.substr(std::min(middle + 1, size));

    const auto left = read(first);
    const auto right = read(second);
    if (left) check_alone(first, *left);
    if (right) check_alone(second, *right);
    if (left && right) check_pair(*left, *right);
    return 0;
}
