#pragma once

// Body: the bytes of a delivery, read as JSON once if they are JSON. Borrows the bytes; a value it gives
// borrows the Body. Immutable after construction.

#include "json/tree.hpp"
#include "webhook/refuse.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace umavez::webhook {

class Body {
public:
    explicit Body(std::string_view bytes) : bytes_(bytes), tree_(JsonTree::parse(bytes)) {}
    Body(const Body&) = delete;  // values point into it
    Body& operator=(const Body&) = delete;

    bool is_json() const noexcept { return tree_.has_value(); }

    // The refusal of a body that had to be JSON: the place and the reason.
    Checked require_json() const;

    // Nullopt too where the body is not JSON.
    std::optional<JsonValue> find(std::string_view pointer) const;

    // The body fingerprint: of the canonical JSON, without the members of the outermost object that are named
    // in `left_out`; of the bytes where it is not JSON. The two kinds never have the same digest.
    Digest digest(std::span<const std::string_view> left_out) const;

private:
    std::string_view bytes_;
    Result<JsonTree> tree_;
};

// The fingerprint of a body that is not signed: the same for every one.
Digest digest_of_unsigned_body();

// A string as it is, an integer as written, another number in its canonical text; nullopt for other kinds.
std::optional<std::string> to_plain_text(JsonValue value);

}  // namespace umavez::webhook
