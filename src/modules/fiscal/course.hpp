#pragma once

// Course: one document on its way through calls and states, driven by one thread.
//
// It knows how a call is made (the guard is asked, a call that changes something is written down before it
// is made, what was said is written down with the next state) and how a row is written so that a COMMIT
// without an answer is found again. What a word leads to is the table's (rules/next_step.hpp), and what a
// state means to the engine is its caller's.
//
// Confined to its thread. Its calls block.

#include "modules/fiscal/documentos_table.hpp"
#include "modules/fiscal/guard.hpp"
#include "modules/fiscal/settings.hpp"
#include "modules/fiscal/tentativas_table.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace umavez::fiscal {

// What every course uses; outlives it.
struct CourseParts {
    Database& database;
    Guard& guard;
    const Settings& settings;
    const std::function<void(const FiscalEvent&)>& on_event;
    std::stop_token leaving = {};  // the process wants to end: no pauses, no further attempts
    std::stop_token cutting = {};  // it cannot wait any longer: calls end now
};

// The guard did not permit the call, and it was not made.
struct NotCalled {
    Permission permission;
};
using Called = std::variant<Said, NotCalled>;

// A document, and the store's time when it was read.
struct Seen {
    std::optional<Documento> documento;
    Instant now{};
};
Result<Seen> look(Database& database, const TenantId& tenant_id, std::string_view id_idempotencia);

class Course {
public:
    // `lost`: somebody else may be at the document from then on.
    Course(const CourseParts& parts, const Authority& authority, Seen seen, std::stop_token lost);

    const std::optional<Documento>& row() const noexcept { return row_; }
    const Authority& authority() const noexcept { return authority_; }
    const Settings& settings() const noexcept { return parts_.settings; }

    // The store's time, as far as this thread can tell.
    Instant now() const;

    // Whether a pause, or another attempt, makes sense at all.
    bool may_go_on() const;

    // Waits before the next attempt. False: somebody ended the wait.
    bool pause(Duration most) const;

    // Writes the next version, or the first; `more` runs in the same transaction, in every run of it.
    // lease_lost: somebody else changed the document. Everything else was tried for as long as it makes
    // sense.
    using More = std::function<Result<void>(Transaction& transaction, const Documento& written)>;
    Result<void> write(Documento next, const More& more = {});

    // Asks what became of it, as `subject`.
    Result<Called> consult(Operacao operacao, const Subject& subject);

    // A call that changes something. `sent` is the row while it runs: it is written first, with the attempt,
    // and `more`. lease_lost: nothing was sent, because the document is not ours any more.
    using Change = std::function<Said(const std::stop_token& stop)>;
    struct Sending {
        Operacao operacao = Operacao::emitir;
        Documento sent;
        std::optional<std::string> xml_sha256;  // what goes out
        Duration limit{};
        More more = {};
    };
    Result<Called> change(const Subject& subject, Sending sending, const Change& call);

    // What was said to the last call that changes something, by whichever process made it.
    Result<std::optional<LastSaid>> last_said(Operacao operacao) const;

    // Writes down the last call, if no state follows it.
    Result<void> flush();

    // Until when a call that changes something may have been under way. Nullopt: none was made.
    std::optional<Instant> sent_until() const noexcept { return sent_until_; }

    // When the last call was made. What it was told is true of no later time.
    Instant called_at() const noexcept { return called_at_; }

private:
    struct Pending {
        Operacao operacao;
        std::optional<std::int64_t> tentativa_id;  // nullopt: not begun yet
        Said said;
        Duration took{};
    };
    // Tries again for as long as a lease; `tried_at` is our clock before the last try.
    Result<void> settle(const Closure& closure, Duration* tried_at = nullptr);
    // Whether the authority may be asked about this document once more.
    Result<Permission> permit_enquiry() const;
    // What an answer asks of us, whatever it means for the document.
    Result<void> heed(const Subject& subject, Said& said);
    Result<void> write_pending(Transaction& transaction, const Documento& documento);
    Said timed(Operacao operacao, const Change& call, const std::stop_token& stop);
    void tell(const FiscalEvent& event) const;

    const CourseParts& parts_;
    const Authority& authority_;
    const std::stop_token lost_;
    std::optional<Documento> row_;
    std::optional<Instant> sent_until_;
    Instant called_at_{};
    std::optional<Pending> pending_;
    std::optional<Duration> took_;
    Instant seen_now_;        // the store's, when it was last heard of
    Duration seen_boottime_;  // and ours
    std::uint32_t calls_ = 0;
};

// How a document is called at the authority. The bytes are added by those who send or compare them.
Subject subject_of(const Documento& documento, std::string xml = {});

// What was learnt of a document that is now in `to`: access key, protocol, messages.
Documento learnt(const Documento& seen, const Said& said, Estado to);

// How long until a doubt is looked into again: longer each time, half of it by chance.
Duration reconcile_delay(const Settings& settings, std::int64_t conciliacoes);

}  // namespace umavez::fiscal
