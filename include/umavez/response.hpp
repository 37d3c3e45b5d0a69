#pragma once

// Response: what a handler answers and what a replay gives back. Immutable by convention once returned.

#include <optional>
#include <string>
#include <vector>

namespace umavez {

struct Header {
    std::string name;
    std::string value;
    friend bool operator==(const Header&, const Header&) = default;
};

// The business object a response speaks of; `replay = current` loads it again.
struct Entity {
    std::string type;
    std::string id;
    friend bool operator==(const Entity&, const Entity&) = default;
};

// `status` follows HTTP: it decides whether the result is kept as final (policy.hpp, Finality).
struct Response {
    int status = 200;
    std::vector<Header> headers;
    std::string body;
    std::optional<Entity> entity;

    // For atomic handlers: the effect was there already, because an earlier lifetime of the key did it. The
    // answer is kept, so the record is there again, and the outcome is Replayed. Never stored.
    bool was_done = false;

    friend bool operator==(const Response&, const Response&) = default;
};

}  // namespace umavez
