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
    Service service = Service::nacional;
    Call call = Call::emitir;
    std::string caller = {};     // CNPJ or CPF of the certificate
    std::string documento = {};  // its natural key; empty: unknown
    std::string chave = {};
    std::string sha256 = {};  // of the document in its body, or of the request
    std::string fault = {};
    friend bool operator==(const RequestSeen&, const RequestSeen&) = default;
};

struct Authorised {
    Instant at;
    std::string documento;
    std::string chave;
    std::uint64_t numero = 0;
    std::string inscricao;
    std::string sha256;  // of the document
    std::string xml;     // as it was sent
    std::string substitui = {};
    std::string protocolo = {};  // of SEFAZ, like the two below
    std::string cstat = {};      // 100, or 150: late
    std::string digest = {};     // the DigestValue of its signature; empty: it has none
    friend bool operator==(const Authorised&, const Authorised&) = default;
};

// SEFAZ took a batch and gave a receipt; the note in it is not judged yet.
struct Received {
    Instant at;
    std::string recibo;
    std::string documento;
    std::string chave;
    std::string xml;  // the batch as it was sent
    friend bool operator==(const Received&, const Received&) = default;
};

struct EventRegistered {
    Instant at;
    std::string chave;
    std::string tipo;
    std::string pedido = {
    };  // as it was sent; empty: nobody sent one, it happened behind the client's back
    std::string protocolo = {};   // of SEFAZ, like all below
    std::string cstat = {};       // 135, or 155: late
    std::string substituta = {};  // of 110112: the note that takes the place
    friend bool operator==(const EventRegistered&, const EventRegistered&) = default;
};

// SEFAZ voided a range of numbers.
struct Voided {
    Instant at;
    std::string id;  // "ID", UF 2, year 2, CNPJ 14, model 2, series 3, first 9, last 9
    std::uint64_t primeiro = 0;
    std::uint64_t ultimo = 0;
    std::string protocolo;
    std::string pedido;
    friend bool operator==(const Voided&, const Voided&) = default;
};

using LedgerEvent = std::variant<RequestSeen, Authorised, Received, EventRegistered, Voided>;

// Without the end of the line.
std::string to_line(const LedgerEvent& event);
Result<LedgerEvent> parse_line(std::string_view line);

}  // namespace umavez::fiscal::simulator
