#pragma once

// Problem: one occurrence of an error, before it is written for a client (RFC 9457).
//
// It names a kind of the catalogue (problem_catalogue.hpp), which has the status and the title; the
// rest is what happened this time. Whatever refuses a request returns one, so there is a single way
// to answer: to_response. A plain value; thread-safe.

#include "http/language.hpp"
#include "http/message.hpp"

#include <umavez/response.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

class ProblemCatalogue;

// An extension member of the problem's body.
struct Member {
    std::string name;
    std::string json;  // the value, already JSON
    friend bool operator==(const Member&, const Member&) = default;
};

Member text_member(std::string name, std::string_view value);
Member number_member(std::string name, std::int64_t value);

struct Problem {
    std::string name;             // "idempotency-key-invalid": a kind of the catalogue
    Text detail;                  // empty: the explanation of its kind
    std::optional<int> status;    // nullopt: the kind's own
    std::vector<Member> members;  // in the order in which they are written
    std::vector<Header> headers;  // Retry-After, Allow …
    std::string cause = {};       // for operators: goes into the notes of the answer, is never sent
};

// What a problem's body says about the request. The views and the catalogue outlive the call.
struct ProblemPlace {
    const ProblemCatalogue& catalogue;
    Language language = Language::english;
    std::string_view instance;  // the path that was asked for; cut when it is very long
    std::string_view request_id;
};

// Of a request, in its language. The request outlives the place.
ProblemPlace place_of(const ProblemCatalogue& catalogue, const Request& request);

// application/problem+json in the language of the place. A name that is not in the catalogue is a
// bug and stops the program.
Response to_response(const Problem& problem, const ProblemPlace& place);

// The problem that goes with a status of the server's own: "not-found", "too-large",
// "malformed-request" …
Problem problem_for(int status, Text detail = {});

// A problem of the server itself (ProblemCatalogue::of_server), in the language of the request.
Response to_response(const Problem& problem, const Request& request);

}  // namespace umavez::http
