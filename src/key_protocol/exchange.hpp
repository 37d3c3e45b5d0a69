#pragma once

// Exchange: one authenticated request on its way to its answer, as handlers see it.
//
// Framing, authentication and the checks of body and key came before. Everything it refers to stays
// where it is until the request is answered, so closures made from it may keep references into it.
// Read-only, and then thread-safe.

#include "access/caller.hpp"
#include "http/language.hpp"
#include "http/message.hpp"
#include "http/trace_context.hpp"
#include "json/tree.hpp"

#include <umavez/names.hpp>

#include <optional>

namespace umavez::key_protocol {

struct Exchange {
    const http::Request& request;
    const access::Caller& caller;
    http::Language language;                         // of what people read in the answer
    const std::optional<Key>& key;                   // always nullopt for GET, HEAD and OPTIONS
    const std::optional<http::TraceContext>& trace;  // to be sent along with calls to others
    const JsonTree* body;  // null where there is no body, or it is not JSON
};

}  // namespace umavez::key_protocol
