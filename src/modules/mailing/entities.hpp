#pragma once

// A mailing, its entries and what else its tables hold, as values. Plain values.

#include "modules/mailing/status.hpp"

#include <umavez/names.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace umavez::mailing {

// What every recipient gets. Texts may name columns of the file: "Olá, {{nome}}".
struct Message {
    std::string assunto;
    std::string remetente;  // "Loja <news@loja.example>"
    std::string texto;      // one of the two may be empty
    std::string html;
    friend bool operator==(const Message&, const Message&) = default;
};

struct Counts {
    std::int64_t entries = 0;  // addresses, each once
    std::int64_t duplicates = 0;
    std::int64_t invalid = 0;
    std::int64_t sent = 0;
    std::int64_t failed = 0;
    std::int64_t unknown = 0;

    std::int64_t open() const noexcept { return entries - sent - failed - unknown; }
};

struct Mailing {
    std::int64_t id = 0;
    std::string uuid;  // what clients call it
    TenantId tenant_id;
    std::string filename;
    std::string content_sha256;  // hex
    std::int64_t content_bytes = 0;
    std::optional<std::string> storage_url;  // nullopt: the file was removed
    Status status = Status::draft;
    std::optional<Message> message;
    Incerteza incerteza = Incerteza::no_maximo_uma;
    std::int64_t read_bytes = 0;  // of the file, by the ingestion; it goes on here
    std::int64_t read_lines = 0;
    bool is_ingested = false;
    Counts counts;
    std::optional<Instant> last_attempt;
    std::optional<std::string> error;
    Instant created_at;
    Instant updated_at;
    std::optional<Instant> completed_at;
};

struct Entry {
    std::int64_t id = 0;
    std::int64_t mailing_id = 0;
    std::string email;
    std::string token;
    EntryStatus status = EntryStatus::pending;
    std::int64_t attempts = 0;
    std::optional<Instant> last_attempt;
    std::optional<std::string> external_id;
    std::optional<std::string> fields;  // JSON: the other columns of its line
    std::int64_t line = 0;
    std::optional<std::string> error;
    std::optional<Instant> uncertain_at;
};

struct InvalidLine {
    std::int64_t id = 0;
    std::int64_t line = 0;
    std::string content;  // its beginning
    std::string reason;
};

}  // namespace umavez::mailing
