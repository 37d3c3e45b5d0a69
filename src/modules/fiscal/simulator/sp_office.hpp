#pragma once

// SpOffice: the rules of the city of São Paulo as far as a client can meet them. Its trap is the point: an
// RPS that is sent again cancels the first note and issues another one. What was asked and what the book
// says give an answer and new lines of the ledger. Pure: no clock, no file, no socket; faults are somebody
// else's.

#include "modules/fiscal/simulator/book.hpp"
#include "modules/fiscal/simulator/call.hpp"
#include "modules/fiscal/simulator/desk.hpp"
#include "modules/fiscal/simulator/ledger_event.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

inline constexpr std::string_view sp_cancelled = "cancelamento";  // the kind of event

// Alerta or Erro
struct Aviso {
    std::string codigo;
    bool is_alert = false;
    friend bool operator==(const Aviso&, const Aviso&) = default;
};

// What is said, before it gets a shape (sp_shapes.hpp).
struct SpAnswer {
    bool is_success = true;
    std::vector<Aviso> avisos = {};
    std::vector<Note> notes = {};  // that was issued, or those that were found
};

struct SpDecision {
    SpAnswer answer;
    std::vector<LedgerEvent> events = {};  // to be kept before the answer is given, all or none
};

// `asked` came in a good envelope.
SpDecision decide_sp(const Asked& asked, const Book& book, const Moment& moment);

SpAnswer sp_error(std::string codigo);

}  // namespace umavez::fiscal::simulator
