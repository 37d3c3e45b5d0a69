#pragma once

// SefazOffice: the rules of SEFAZ as far as a client of NF-e and NFC-e can meet them. What was asked and what
// the book says give an answer and at most one new line of the ledger. Pure: no clock, no file, no socket;
// faults are somebody else's. Immutable after construction.

#include "modules/fiscal/simulator/book.hpp"
#include "modules/fiscal/simulator/call.hpp"
#include "modules/fiscal/simulator/desk.hpp"
#include "modules/fiscal/simulator/ledger_event.hpp"
#include "modules/fiscal/simulator/sefaz_documents.hpp"

#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

// A cStat, and what its xMotivo says besides the words of the manual: "[chNFe:…]".
struct Motivo {
    std::string cstat;
    std::string detail = {};
    friend bool operator==(const Motivo&, const Motivo&) = default;
};

// protNFe
struct Protocolo {
    Motivo motivo;
    std::string chave;
    Instant at;
    std::string numero = {};  // nProt; empty: there is none
    std::string digest = {};
};

// retEvento
struct RetEvento {
    Motivo motivo;
    std::string chave;
    std::string tipo;
    Instant at;
    std::string numero = {};  // nProt
};

// What is said, before it gets a shape (sefaz_shapes.hpp). `motivo` is that of the envelope.
struct SefazAnswer {
    Motivo motivo;
    std::string uf = {};
    std::string chave = {};                        // of a query
    std::string recibo = {};                       // of a batch
    std::string lote = {};                         // of an event
    std::optional<Protocolo> protocolo = {};       // of a note
    std::vector<EventRegistered> registered = {};  // of a note
    std::optional<RetEvento> evento = {};          // of an event
    std::string range = {};                        // of a voiding: its id
    std::string range_protocolo = {};
};

struct SefazDecision {
    SefazAnswer answer;
    std::optional<LedgerEvent> event = {};  // to be kept before the answer is given
};

class SefazOffice {
public:
    // "1" production, "2" homologation, as in tpAmb.
    explicit SefazOffice(std::string ambiente) : ambiente_(std::move(ambiente)) {}

    // `asked` came in a good envelope.
    SefazDecision decide(const Asked& asked, const Book& book, const Moment& moment) const;

    const std::string& ambiente() const noexcept { return ambiente_; }

private:
    SefazDecision authorise(const Asked& asked, const Book& book, const Moment& moment) const;
    std::optional<Motivo> find_refusal(const Nfe& nfe, std::string_view envi_nfe, const Book& book)
        const;
    SefazDecision judge_batch(const Batch& batch, const Book& book, const Moment& moment) const;
    SefazDecision find_batch(const Asked& asked, const Book& book, const Moment& moment) const;
    SefazDecision find_note(const Asked& asked, const Book& book, const Moment& moment) const;
    SefazDecision register_event(const Asked& asked, const Book& book, const Moment& moment) const;
    SefazDecision void_range(const Asked& asked, const Book& book, const Moment& moment) const;

    std::string ambiente_;
};

// The answer that says no more than this: in the envelope, or inside of it, where documents have theirs.
SefazAnswer envelope_answer(const Asked& asked, std::string cstat);
SefazAnswer document_answer(const Asked& asked, Motivo motivo, Instant at);

Protocolo protocolo_of(const Authorised& authorised);

// nProt, 15 positions: who, UF, year, and a number that counts.
std::string next_protocol(std::string_view uf, const Book& book, Instant now);

}  // namespace umavez::fiscal::simulator
