#pragma once

// Desk: one of the authorities that are played, as its clients meet it: its rules, the shapes of its answers
// and its own bad days. Faults of the wire are not its business (simulator.hpp). Pure: no clock, no file, no
// socket. Immutable after construction.

#include "http/message.hpp"
#include "modules/fiscal/simulator/book.hpp"
#include "modules/fiscal/simulator/call.hpp"
#include "modules/fiscal/simulator/fault.hpp"
#include "modules/fiscal/simulator/ledger_event.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

struct Moment {
    Instant now;
    std::uint64_t chance = 0;  // for the key of a new note
    std::uint64_t turn = 0;    // of the request, from 1 on
};

struct Judgement {
    http::Response response;
    std::vector<LedgerEvent> events = {};  // to be kept before the answer is given
};

class Desk {
public:
    virtual ~Desk() = default;
    virtual Judgement judge(
        const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
    ) const = 0;
    // What nobody asked for at this desk. `tipo` is empty: the note is cancelled.
    virtual EventRegistered event_behind(
        std::string_view chave, std::string_view tipo, const Book& book, Instant now
    ) const = 0;
};

}  // namespace umavez::fiscal::simulator
