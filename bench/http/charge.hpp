#pragma once

// What every server of this benchmark answers: a charge as 300 bytes of JSON. Thread-safe.

#include <string>

namespace umavez::bench {

inline const std::string& charge()
{
    static const std::string json = [] {
        std::string text =
            R"({"id":"ch_0123456789abcdef","object":"charge","amount":1999,"currency":"EUR",)"
            R"("status":"succeeded","pad":")";
        text.append(300 - text.size() - 2, 'x');
        return text + "\"}";
    }();
    return json;
}

}  // namespace umavez::bench
