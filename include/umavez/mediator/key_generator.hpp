#pragma once

// KeyGenerator: the key of a command that brings none.
//
// A key made from the content says that two equal commands are one. That is right for a message
// delivered twice, and wrong for a customer who orders the same thing again on purpose: see
// docs/guides/mediator.md. Thread-safe.

#include <memory>
#include <string>
#include <string_view>

namespace umavez {

class KeyGenerator {
public:
    virtual ~KeyGenerator() = default;

    // `content`: the command as canonical JSON, its own key left out. 1 to 255 bytes of UTF-8 come
    // back.
    virtual std::string make_key(std::string_view command_name, std::string_view content) const = 0;
};

// base64(SHA-256({"command":"create_order","content":…}))
std::shared_ptr<const KeyGenerator> default_key_generator();

}  // namespace umavez
