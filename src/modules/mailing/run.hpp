#pragma once

// One wake-up, from its message to what becomes of the message: the lock, the ingestion, the sending.
//
//     unreadable                          refused: nobody can work on it
//     its owner is alive                  held back: an acked wake-up is lost if that owner then dies
//     over, paused, a draft, not there    settled: whoever changes that writes another one
//     completed, failed                   settled
//     stopped, or the rest is due later   the lock is given back, the message held back
//     the lock was lost                   held back; nothing was written
//
// Confined to its thread; what it shares with other threads is thread-safe.

#include "base/random.hpp"
#include "mail/transport.hpp"
#include "messaging/message_source.hpp"
#include "modules/mailing/held_locks.hpp"
#include "modules/mailing/ingest.hpp"
#include "modules/mailing/letters.hpp"
#include "modules/mailing/rate.hpp"
#include "modules/mailing/sending.hpp"

#include <umavez/transaction.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

namespace umavez::mailing {

// What a worker tells of its work. Never an address.
struct MailingTaken {
    std::string uuid;
    TenantId tenant_id;
    Status status = Status::processing;
    std::int64_t uncertain = 0;  // entries that a dead owner left in SENDING
};
struct MailingEnded {  // its turn is over
    std::string uuid;
    TenantId tenant_id;
    Status status = Status::completed;  // of the mailing, with its counts
    Counts counts;
    bool was_lost = false;
};
struct MailHandedOver {
    std::string uuid;
    mail::Verdict verdict = mail::Verdict::accepted;
    Duration took{0};
};
// The mail server takes nothing for now, and then again. Told at the change, not for every mail.
struct MailServerAway {
    std::string uuid;
    TenantId tenant_id;
    std::string detail;
};
struct MailServerBack {
    std::string uuid;
    TenantId tenant_id;
};
// For operators: what the tenant is told in a fixed sentence, which shows nothing of the inside.
struct MailingFault {
    std::string uuid;
    TenantId tenant_id;
    std::string detail;
};
struct MailingsRecovered {
    std::size_t stale = 0;
    std::size_t woken = 0;
    std::int64_t uncertain = 0;
};
using MailingEvent = std::variant<
    MailingTaken,
    MailingEnded,
    MailHandedOver,
    MailServerAway,
    MailServerBack,
    MailingFault,
    MailingsRecovered>;

struct Settle {};
struct HoldBack {
    Duration delay{0};
};
struct Refuse {
    std::string why;
};
using Disposal = std::variant<Settle, HoldBack, Refuse>;

// What the runs of a worker share. The functions may be called by many threads and throw nothing, but for
// `ingest`.
struct RunParts {
    Database& database;
    const Clock& clock;
    Random& random;
    Rate& rate;
    HeldLocks& held;
    SendingRules rules;
    std::string public_url;
    Duration no_transport_delay;
    Duration stop_grace;
    std::function<Result<Ingested>(const Locked&, const std::stop_token&)> ingest;
    std::function<void(const MailingEvent&)> on_event;
    std::function<void(Duration, const std::stop_token&)> pause;  // at most so long
};

class MailingRun {
public:
    // `transport` may be null: nothing can be sent.
    MailingRun(const RunParts& parts, mail::Transport* transport) noexcept
        : parts_(parts), transport_(transport)
    {
    }

    // An error: the database could not be asked; nothing was done.
    Result<Disposal> run(const messaging::ReceivedMessage& message, const std::stop_token& stop);

private:
    Result<Locking> lock(const TenantId& tenant_id, const std::string& uuid);
    Disposal work(const Locked& locked, HeldLock& held, const std::stop_token& stop);
    std::optional<Disposal> ingest(
        const Locked& locked, HeldLock& held, const std::stop_token& stop
    );
    // Nullopt: nothing is left to be opened again.
    std::optional<Disposal> reopen(HeldLock& held, const std::stop_token& stop);
    Disposal send(const Locked& locked, HeldLock& held, const std::stop_token& stop);
    // Gives the lock back without having sent; tries for a moment.
    Disposal give_back(HeldLock& held, const Leave& step, Disposal disposal);
    void tell(const MailingEvent& event) const;
    void tell_end(const Locked& locked) const;

    const RunParts& parts_;
    mail::Transport* const transport_;
    bool was_lost_ = false;  // the lock, in this run
};

}  // namespace umavez::mailing
