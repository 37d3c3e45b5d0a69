#pragma once

// Content: what a provider sent, asked by place whether it is JSON or a form. Borrows the text; immutable.

#include "webhook/body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace umavez::cobranca {

class Content {
public:
    explicit Content(std::string_view text) : text_(text), body_(text) {}

    // The text, number or boolean at a JSON pointer; in a form "/transaction/amount" is
    // `transaction[amount]`. Nullopt where there is none, it is empty, or of another kind.
    std::optional<std::string> find(std::string_view pointer) const;

    // Whether there is anything, of whatever kind, but null.
    bool has(std::string_view pointer) const;

private:
    std::string_view text_;
    webhook::Body body_;
};

}  // namespace umavez::cobranca
