#pragma once

// Origin: who asked for a change, and under which key. A plain value.

#include "http/language.hpp"

#include <umavez/names.hpp>

#include <optional>
#include <string>

namespace umavez::modules {

struct Origin {
    TenantId tenant_id;
    std::optional<Key> key;
    std::optional<std::string> usuario;  // kept in the history
    http::Language language = http::Language::english;
};

}  // namespace umavez::modules
