#pragma once

// The short way to refuse a delivery, inside the schemes. Pure, thread-safe.

#include "webhook/scheme.hpp"

#include <expected>
#include <string>
#include <utility>

namespace umavez::webhook {

// Nothing to object, or the reason why not.
using Checked = std::expected<void, Refusal>;

// `return refuse(Fault::malformed, "…");` fits every std::expected of a Refusal.
inline std::unexpected<Refusal> refuse(Fault fault, std::string detail)
{
    return std::unexpected(Refusal{fault, std::move(detail)});
}

}  // namespace umavez::webhook
