#pragma once

// xJust: why something is cancelled or voided, as the schema takes it. Pure, thread-safe.

#include <umavez/result.hpp>

#include <string_view>

namespace umavez::fiscal::sefaz {

// Without blanks around it: 15 to 255 characters of Latin-1 on one line. A view of `text`. invalid_argument:
// the sentence tells what is wrong with it.
Result<std::string_view> check_reason(std::string_view text);

}  // namespace umavez::fiscal::sefaz
