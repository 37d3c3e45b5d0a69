#pragma once

// What tenants may say about destinations: bodies read into values whose rules hold. Pure, thread-safe.

#include "http/problem.hpp"
#include "json/tree.hpp"
#include "outbound/call.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::messaging {

struct NovoDestino {
    std::string url;
    std::vector<std::string> eventos;  // empty: all
};

// A literal address that the rule would not connect to is refused; what a name leads to is judged when it is
// connected to.
std::expected<NovoDestino, http::Problem> read_novo_destino(
    const JsonTree* body, const outbound::OutboundRule& rule, http::Language language
);

// "fatura.paga": 1 to 100 of a-z, 0-9, dot, hyphen and underscore.
bool is_event_type(std::string_view text) noexcept;

}  // namespace umavez::messaging
