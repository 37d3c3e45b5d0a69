#pragma once

// What layers below HTTP say of a client's mistake, in both languages.
//
// The JSON reader, names, tokens and the engine speak English, to programs and to operators as
// well. Of their sentences a client meets those in this table. The tests provoke them where they are
// said (translated_test, operators/local_desk_test) and see that they have a translation; a sentence
// that is not there stays English. Pure, thread-safe.

#include "http/language.hpp"

#include <string_view>

namespace umavez::key_protocol {

http::Text translated(std::string_view english);

}  // namespace umavez::key_protocol
