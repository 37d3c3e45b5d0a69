#pragma once

// Sending: the sending of one mailing as a state machine. It answers "what next?", and is told what came of
// it; whoever drives it waits, calls the database and the mail server, and decides nothing.
//
//     Mark      one transaction: results so far, and the next batch (ledger.hpp: advance)
//     HandOver  this entry, to the mail server, now
//     Wait      until then; ask again
//     Look      read whether the mailing was paused or taken (ledger.hpp: may_go_on)
//     LeaveNow  one transaction: results, and the lock given back (ledger.hpp: leave)
//     Finish    one transaction: COMPLETED (ledger.hpp: finish)
//     Over      how it ended, and what is to become of the message
//
// Nothing is handed over unless its mark is durable and the last sign of life that the store confirmed is
// young: whoever slept past its lock, by a stopped process or a database that does not answer, asks for a
// sign of life first, and that tells it whether the mailing is still its own.
//
// Instants are boottime. Pure but for `random` and the shared rate. Confined to its thread.

#include "base/random.hpp"
#include "mail/transport.hpp"
#include "modules/mailing/ledger.hpp"
#include "modules/mailing/rate.hpp"
#include "work/retry_delay.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace umavez::mailing {

struct SendingRules {
    std::size_t batch = 8;
    Duration lock_timeout = std::chrono::seconds{30};
    std::optional<Duration> margin = {
    };  // before the lock is stale; nullopt: a sixth of lock_timeout
    work::RetryRule retry = {
        .first = std::chrono::seconds{30}, .longest = std::chrono::hours{1}, .attempts_max = 8
    };
    // Of a mail server that cannot be reached or does not answer, and of a database.
    work::RetryRule server = {.first = std::chrono::seconds{2}, .longest = std::chrono::minutes{1}};
    work::RetryRule store = {
        .first = std::chrono::milliseconds{200}, .longest = std::chrono::seconds{5}
    };
    // With only entries left that are due later than this, the lock is given back and the message held back;
    // never for longer than `held_most`, so that a mailing whose message is lost shows that it was forgotten.
    Duration wait_most = std::chrono::minutes{1};
    Duration held_most = std::chrono::minutes{5};
    Duration look_period =
        std::chrono::seconds{1};  // how soon a pause and a suppression are noticed
};

// What tenants read where the cause is ours, and operators find it in the log.
inline constexpr const char* store_failure_sentence =
    "o banco de dados não aceitou uma operação deste mailing; quem opera o serviço encontra a "
    "causa no registro";
inline constexpr const char* thrown_sentence =
    "o envio parou por um erro interno; talvez tenha sido enviado";

struct Mark {
    Advance step;
};
struct HandOver {
    MarkedEntry entry;
};
struct Wait {
    Duration until{0};
};
struct Look {};
struct LeaveNow {
    Leave step;
};
struct Finish {};

enum class SendingEnd : std::uint8_t {
    completed,
    left,       // paused or cancelled: what was handed over is written down
    put_aside,  // the rest is due later
    stopped,    // the process ends
    failed,     // it cannot go on; the mailing tells why
    lost,       // the lock is somebody else's: nothing was written
};
struct Over {
    SendingEnd end = SendingEnd::completed;
    Duration later{0};  // put_aside
};

using SendingStep = std::variant<Mark, HandOver, Wait, Look, LeaveNow, Finish, Over>;

class Sending {
public:
    Sending(SendingRules rules, Incerteza incerteza, Rate& rate, Random& random);

    // `alive_at`: before the last transaction that was a sign of life began; nullopt: the lock is known to be
    // lost.
    SendingStep next(Duration now, std::optional<Duration> alive_at);

    void on_marked(const Result<Marked>& marked, Duration now);
    void on_delivered(const mail::Delivered& delivered);
    void on_looked(const Result<bool>& may_go_on, Duration now);
    void on_left(const Result<bool>& left, Duration now);
    void on_finished(const Result<void>& finished, Duration now);

    // It is not to be handed over: its fields cannot be read.
    void on_unreadable(std::string why);
    // The process ends: what is in hand is written down, and no more.
    void stop() { is_stopping_ = true; }
    // The mailing cannot be sent at all.
    void fail(std::string why);
    // Nothing can be written any more.
    void give_up() { end_ = Over{.end = SendingEnd::lost}; }

    const std::optional<std::string>& trouble() const noexcept { return trouble_; }

private:
    bool is_leaving() const noexcept;
    SendingStep leave_now() const;
    SendingStep mark();
    bool is_alive(Duration now, std::optional<Duration> alive_at) const;
    void wait_for_store(const Error& error, Duration now);
    double draw();

    const SendingRules rules_;
    const Incerteza incerteza_;
    Rate& rate_;
    Random& random_;

    std::deque<MarkedEntry> batch_;     // durably marked, not handed over
    std::vector<EntryResult> results_;  // handed over, not written
    bool collects_ = false;             // a mark may be there that we do not know of
    bool takes_back_ = false;           // the server is in trouble: what is marked waits as PENDING
    bool is_marked_out_ = false;        // nothing is left to mark
    bool is_stopping_ = false;
    bool is_paused_ = false;  // or lost: the way out tells
    std::optional<Duration> later_;
    std::optional<std::string> failure_;
    std::optional<std::string> trouble_;  // of the mail server, for the mailing's `error`
    std::uint32_t server_failures_ = 0;
    std::uint32_t store_failures_ = 0;
    Duration wait_until_{0};
    Duration looked_at_{0};
    Duration marked_at_{0};          // or found marked, and wanted
    std::optional<Duration> place_;  // in the rate, for the next of the batch
    std::optional<Over> end_;
};

}  // namespace umavez::mailing
