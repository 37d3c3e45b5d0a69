#pragma once

// What an answer of an authority leads to, for those who drive a document: the table of rules/next_step.hpp
// with what only a driver knows, whether it may try again and whether an absence is to be believed. Pure.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/rules/estado.hpp"

#include <cstdint>
#include <string>

namespace umavez::fiscal {

enum class Deed : std::uint8_t { emit, consult, cancel, consult_cancel };

struct Situation {
    Estado estado = Estado::transmitido;
    Estado before = Estado::reservado;  // where it was before this drive sent anything
    Deed deed = Deed::emit;
    bool may_try_again = false;  // attempts are left, and nobody wants us to stop
    bool is_settled = false;     // no call that changes something can still be on its way
};

enum class Next : std::uint8_t {
    finish,     // the answer is final: `to` is written and the key is closed
    send,       // the same bytes again
    consult,    // ask what became of it
    give_up,    // nothing happened at the authority: `to` is written and the key is free
    stay_open,  // nobody knows: `to` is written and the key is in doubt
};

struct Step {
    Next next = Next::stay_open;
    Estado to = Estado::indeterminado;
    std::string alerta = {};  // not empty: a person has to look at it
};

Step step_after(const Situation& situation, const Said& said);

}  // namespace umavez::fiscal
