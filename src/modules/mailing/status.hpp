#pragma once

// The lives of a mailing and of its entries: their states, and who may move them where. Pure, thread-safe.
//
//     upload → QUEUED (with a message) or DRAFT;  DRAFT → QUEUED (iniciar)
//     QUEUED, PENDING, FAILED → INGESTING → PROCESSING → COMPLETED  by the worker that holds the lock
//     INGESTING, PROCESSING → PENDING            by the recovery scan, when the lock is stale
//     what is not over → PAUSED (pausar) → QUEUED (retomar);  what is not over → CANCELLED (cancelar)
//     COMPLETED, FAILED → QUEUED (reenviar-falhas)
//
//     entry: PENDING → SENDING → SENT | FAILED | UNKNOWN;  back to PENDING after a refusal that may pass

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

enum class Status : std::uint8_t {
    draft,       // waits for its message
    pending,     // was given back by the recovery scan
    queued,      // a wake-up was written
    ingesting,   // a worker reads the file
    processing,  // a worker sends
    paused,
    completed,
    failed,  // the file or the message cannot be used; `error` tells why. Another wake-up tries again
    cancelled,
};

enum class EntryStatus : std::uint8_t {
    pending,
    sending,  // handed over, or about to be
    sent,
    failed,
    unknown,  // its worker died, or the server did not answer: it may have been sent
    invalid,  // a line that is no address; kept in a table of its own
};

enum class Order : std::uint8_t { iniciar, pausar, retomar, cancelar, reenviar_falhas };

// What becomes of an entry that may have been sent: it stays UNKNOWN, or is sent again.
enum class Incerteza : std::uint8_t { no_maximo_uma, ao_menos_uma };

std::string_view to_text(Status status) noexcept;  // "QUEUED"
std::string_view to_text(EntryStatus status) noexcept;
std::string_view to_text(Order order) noexcept;          // "reenviar-falhas"
std::string_view to_text(Incerteza incerteza) noexcept;  // "no-maximo-uma"

std::optional<Status> parse_status(std::string_view text) noexcept;
std::optional<EntryStatus> parse_entry_status(std::string_view text) noexcept;
std::optional<Incerteza> parse_incerteza(std::string_view text) noexcept;

// All of them as text: for schemas, and for telling what may be sent.
std::vector<std::string> status_words();
std::vector<std::string> entry_status_words();
std::vector<std::string> incerteza_words();

// Where an order leads from a state; nullopt: it is refused there. One that leads to the state that is there
// already is no mistake: whoever pauses a paused mailing has what he wanted.
std::optional<Status> after_order(Status status, Order order) noexcept;

// Nobody works on it. It begins anew by an order, and a FAILED one also by a wake-up that comes again: what
// it failed at may be better by then, and nothing that was sent is sent twice.
bool is_over(Status status) noexcept;

// The message may still be changed: nothing was sent with it.
bool may_change_message(Status status) noexcept;

}  // namespace umavez::mailing
