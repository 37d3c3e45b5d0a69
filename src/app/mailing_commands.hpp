#pragma once

// What the commands about mailings share. Pure but for complaints, thread-safe.

#include "app/commands.hpp"

#include <optional>
#include <string>

namespace umavez {

// "/ops/mailings/0189…"
std::string mailing_path(const std::string& id);

// The argument, if it can be the id of a mailing. Nullopt: it complained.
std::optional<std::string> read_mailing_id(const Invocation& invocation);

}  // namespace umavez
