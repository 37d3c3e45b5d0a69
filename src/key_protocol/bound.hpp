#pragma once

// Bound: a declared route and what it uses, shared by all its requests; and the handler that
// answers them with it. Immutable, and so thread-safe.

#include "key_protocol/protect.hpp"

#include <memory>
#include <utility>

namespace umavez::key_protocol {

template <typename Declared>
struct Bound {
    Declared declared;
    ApiNeeds needs;
};

// Of something bound, and the function that answers with it.
template <typename Shared>
http::Handler handler_of(
    Shared bound, Task<http::Response> (*answer)(std::shared_ptr<const Shared>, http::Request)
)
{
    auto shared = std::make_shared<const Shared>(std::move(bound));
    return [shared, answer](http::Request request) { return answer(shared, std::move(request)); };
}

inline http::Response refuse(
    const http::Problem& problem, const ApiNeeds& needs, const http::Request& request
)
{
    return to_response(problem, place_of(needs.problems, request));
}

// A request outside the protocol: a key it may carry is not looked at. Everything outlives the
// exchange.
inline Exchange exchange_without_key(
    const http::Request& request,
    const access::Caller& caller,
    const std::optional<http::TraceContext>& trace,
    const JsonTree* body
)
{
    static const std::optional<Key> no_key;
    return {
        .request = request,
        .caller = caller,
        .language = http::choose_language(request.headers),
        .key = no_key,
        .trace = trace,
        .body = body,
    };
}

// For the log.
inline void note_caller(http::Response& answer, const access::Caller& caller)
{
    answer.notes.push_back({"tenant", caller.tenant_id.text()});
}

}  // namespace umavez::key_protocol
