#pragma once

// What the tests of this program were answered with, against /openapi.json: every status that a
// route gives is declared there. note_status() is called by whoever asks a server; when all tests
// are done, what was seen is compared. Thread-safe.

#include <string_view>

namespace umavez::functional {

// `request` begins with its request line, `answer` with its status line.
void note_status(std::string_view request, std::string_view answer);

}  // namespace umavez::functional
