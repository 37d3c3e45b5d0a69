#pragma once

// NacionalOffice: the rules of Sefin Nacional as far as a client can meet them. What was asked and what the
// book says give an answer and at most one new line of the ledger. Pure: no clock, no file, no socket; faults
// are somebody else's. Immutable after construction.

#include "modules/fiscal/simulator/book.hpp"
#include "modules/fiscal/simulator/call.hpp"
#include "modules/fiscal/simulator/desk.hpp"
#include "modules/fiscal/simulator/ledger_event.hpp"

#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::fiscal::simulator {

struct Erro {
    std::string codigo;  // empty: a refusal without a code
    std::string descricao;
    friend bool operator==(const Erro&, const Erro&) = default;
};

// What is said, before it gets a shape (shapes.hpp).
struct Answer {
    int status = 200;
    std::vector<Erro> erros = {};
    std::string documento = {};
    std::string chave = {};
    std::string xml = {};   // the note, or the event
    std::string tipo = {};  // of the event
    Instant at = {};        // when the event was registered
};

struct Decision {
    Answer answer;
    std::optional<LedgerEvent> event = {};  // to be kept before the answer is given
};

class NacionalOffice {
public:
    // "1" production, "2" restricted production, as in tpAmb.
    explicit NacionalOffice(std::string ambiente) : ambiente_(std::move(ambiente)) {}

    Decision decide(const Asked& asked, const Book& book, const Moment& moment) const;

    const std::string& ambiente() const noexcept { return ambiente_; }

private:
    Decision authorise(const Asked& asked, const Book& book, const Moment& moment) const;
    Decision register_event(const Asked& asked, const Book& book, const Moment& moment) const;

    std::string ambiente_;
};

// With the words of the rule sheets.
Erro erro_of(std::string codigo);
Answer refusal(int status, std::string codigo, std::string documento = {});

}  // namespace umavez::fiscal::simulator
