#pragma once

// The messages in an answer of Sefin Nacional, in every shape they were seen in. Pure, thread-safe.

#include "json/tree.hpp"
#include "modules/fiscal/authority/authority.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::nacional {

// Those that have a code: from `erros` and `erro`, arrays or objects, in camelCase or PascalCase. A text is
// none. At most 50, and of each 500 characters: an answer may have megabytes of them.
std::vector<Mensagem> find_mensagens(JsonValue root);

// The text of a member, also of a number; "" where it is absent or of another kind. The case of the first
// letter does not matter.
std::string text_of(JsonValue object, std::string_view name);

}  // namespace umavez::fiscal::nacional
