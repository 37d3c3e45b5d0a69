#pragma once

// LedgerEvent: what the ledger keeps, one line of JSON each. Plain values, pure.

#include "modules/fiscal/simulator/call.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace umavez::fiscal::simulator {

// A request was read, whatever became of it.
struct RequestSeen {
    Instant at;
    std::uint64_t number = 0;  // from 1 on
    Call call = Call::emitir;
    std::string id_dps = {};  // empty: unknown
    std::string chave = {};
    std::string sha256 = {};  // of the XML in its body
    std::string fault = {};
    friend bool operator==(const RequestSeen&, const RequestSeen&) = default;
};

struct Authorised {
    Instant at;
    std::string id_dps;
    std::string chave;
    std::uint64_t numero = 0;
    std::string inscricao;
    std::string sha256;  // of the DPS
    std::string dps;     // as it was sent
    std::string substitui = {};
    friend bool operator==(const Authorised&, const Authorised&) = default;
};

struct EventRegistered {
    Instant at;
    std::string chave;
    std::string tipo;
    std::string pedido = {
    };  // as it was sent; empty: nobody sent one, it happened behind the client's back
    friend bool operator==(const EventRegistered&, const EventRegistered&) = default;
};

using LedgerEvent = std::variant<RequestSeen, Authorised, EventRegistered>;

// Without the end of the line.
std::string to_line(const LedgerEvent& event);
Result<LedgerEvent> parse_line(std::string_view line);

}  // namespace umavez::fiscal::simulator
