#pragma once

// What a verdict of the mail server means for an entry. Pure, thread-safe.
//
//     accepted     SENT, with the server's name for it
//     refused      FAILED
//     put off      PENDING again after a while; FAILED when it had its attempts
//     unreachable  PENDING again, behind the others; no attempt. A server that hangs up on one recipient
//                  must not keep the mail from all who come after him
//     unknown      no-maximo-uma: UNKNOWN.  ao-menos-uma: PENDING again after a while, the same Message-ID;
//                  UNKNOWN when it had its attempts
//
// Whatever follows an unknown one, the entry is uncertain for ever.

#include "mail/transport.hpp"
#include "modules/mailing/ledger.hpp"
#include "work/retry_delay.hpp"

namespace umavez::mailing {

// `random` is in [0, 1).
EntryResult to_result(
    const MarkedEntry& entry,
    const mail::Delivered& delivered,
    Incerteza incerteza,
    const work::RetryRule& retry,
    double random
);

// The server, not the recipient, is the trouble: nothing is handed over for a while.
bool is_server_trouble(mail::Verdict verdict) noexcept;

}  // namespace umavez::mailing
