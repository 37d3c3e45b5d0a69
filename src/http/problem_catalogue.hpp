#pragma once

// ProblemCatalogue: every kind of error a client can meet, in words for people.
//
// A kind's name is the last segment of its `type` and never changes; the texts are served as a page
// under /problems/<name>. The server's own kinds are in problems_server.cpp; folders above add
// theirs before the server starts. Immutable after that, and then thread-safe.

#include "http/language.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

// What people read, in one language.
struct Wording {
    std::string title;        // the same for every occurrence
    std::string explanation;  // what it means, and what happened to the effect
    std::string cure;         // what the client should do
};

struct ProblemKind {
    std::string name;  // a-z, 0-9, "-"
    int status = 400;
    std::optional<int> status_otherwise = {};  // where a request or a setting may ask for another
    bool has_retry_after = false;              // its answers tell when to try again
    Wording english;
    Wording portuguese;

    const Wording& in(Language language) const noexcept
    {
        return language == Language::portuguese ? portuguese : english;
    }
};

// The kinds of the HTTP server itself.
std::vector<ProblemKind> server_problems();

class ProblemCatalogue {
public:
    // With the kinds of the server alone, which every server can meet.
    static const ProblemCatalogue& of_server();

    // A name that is there already, or that would not fit a path, is a bug and stops the program.
    void add(ProblemKind kind);
    void add_all(std::vector<ProblemKind> kinds);

    const ProblemKind* find(std::string_view name) const noexcept;
    const ProblemKind& get(std::string_view name) const;  // a name that is not there is a bug

    // In the order of the tables: what belongs together stands together.
    const std::vector<ProblemKind>& kinds() const noexcept { return kinds_; }

private:
    std::vector<ProblemKind> kinds_;
};

// "/problems/validation": the `type` of a problem and the path of its page.
std::string problem_path(std::string_view name);

}  // namespace umavez::http
