#pragma once

// drive(): a document is brought as far as it goes now, call by call.
//
// The same for emissions, cancellations and voidings, for clients, reconcilers and workers: what is sent
// and asked is the plan's, what an answer leads to is the table's, and here is only who waits, how often is
// tried, and that every state is written before the next call. Confined to the course's thread; blocks.

#include "modules/fiscal/course.hpp"
#include "modules/fiscal/rules/next_step.hpp"

#include <functional>
#include <optional>
#include <string>

namespace umavez::fiscal {

struct Plan {
    Act change = Act::emit;
    Act enquiry = Act::consult;
    // Sends the bytes. Empty: an enquiry alone, and `may_send` is an end.
    std::function<Result<Called>(Course& course)> send = {};
    std::function<Result<Called>(Course& course)> consult;
    // What only the plan knows of the next version. May be empty.
    std::function<void(Documento& next)> amend = {};
    // Runs in the transaction of a final state.
    Course::More on_final = {};
    // How long a call that changes something may still be on its way. Zero: a repetition does no harm.
    Duration settle{};
    bool sends_first = true;
    std::uint32_t attempts = 3;  // of each call
};

enum class How : std::uint8_t {
    finished,  // a final state was written, with on_final
    gave_up,   // nothing happened at the authority
    open,      // nobody knows; a worker comes back
    may_send,  // it is not there: whoever may send sends
    lost,      // somebody else is at the document; nothing is known of what is there now
    trouble,   // the database; what was done is as the row says
};

struct Ended {
    How how = How::trouble;
    bool is_blocked = false;                // the guard stood in the way
    bool is_certificate_refused = false;    // the authority does not take the one that we show
    bool was_found = false;                 // by an enquiry, not by the answer to what was sent
    std::optional<Duration> retry_after{};  // gave_up, open
    std::string detail = {};                // for operators
    std::optional<Word> word = {};          // the last answer; nullopt: none came
};

Ended drive(Course& course, const Plan& plan);

// Asks once about a document that is authorised, as far as we know. What the authority knows better is
// written; what it does not tell changes nothing.
Ended verify(Course& course, const Plan& plan);

}  // namespace umavez::fiscal
