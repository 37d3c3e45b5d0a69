#pragma once

// Metrics: the numbers of engine, database and server as Prometheus text. Their names live here and
// nowhere else.
//
// Labels are operations, decisions, statuses, methods and routes: few by construction. Keys and
// tenants are never labels. Thread-safe.

#include <umavez/engine.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// What engine and database say at the moment of a scrape.
struct EngineSnapshot {
    std::vector<OperationStats> operations;
    std::vector<RecordsByStatus> records;
    LaneStats lane;
    std::uint64_t audit_notes_dropped = 0;
    bool reachable = true;
    // Of the whole database, whichever process works on them.
    struct Waiting {
        std::string state;
        std::int64_t count = 0;
    };
    std::vector<Waiting> events;      // of providers
    std::vector<Waiting> deliveries;  // of ours

    struct Messages {
        std::string queue;
        std::string state;
        std::int64_t count = 0;
    };
    struct Mailings {
        std::vector<Waiting> by_status;   // mailings
        std::vector<Waiting> recipients;  // of all mailings
        std::int64_t uncertain = 0;       // recipients that ever were
        std::int64_t troubled = 0;   // mailings that are not over and tell why they do not go on
        double silence_seconds = 0;  // of the most silent mailing that a worker should be at
        std::vector<Messages> messages;
    };
    std::optional<Mailings> mailings;  // nullopt: the store could not be read
    bool is_broker_up = true;          // also where there is none

    // Of the whole database, too.
    struct Fiscal {
        std::vector<Waiting> by_estado;     // documents
        double oldest_in_doubt_seconds = 0;  // since nobody knows what became of the oldest INDETERMINADO
        std::int64_t alerts = 0;            // documents that a person has to look at
        std::int64_t overdue_numbers = 0;   // never used, and their deadline to be voided is over
        struct Blocked {
            std::string authority;
            std::string environment;
            std::int64_t issuers = 0;
        };
        std::vector<Blocked> blocked;  // by the rate guard
    };
    std::optional<Fiscal> fiscal;  // nullopt: the store could not be read
};

// The part that only reads: everything about the engine, in the text format of Prometheus.
std::string to_prometheus_text(const EngineSnapshot& snapshot);

class Metrics {
public:
    explicit Metrics(std::string version);
    ~Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;

    // `route` is the pattern that matched, never a path of the client's; empty: none did.
    void count_http_answer(
        std::string_view method, std::string_view route, int status, Duration took
    );

    // Of configured providers alone, which are few. `outcome`: accepted, duplicate, quarantined, refused,
    // unavailable.
    void count_webhook_received(std::string_view provider, std::string_view outcome);
    // Shows all counters of a provider from now on, at 0: what first appears as 1 is no increase to an alert.
    void expect_webhooks(std::string_view provider);
    // `state` that a run left the event in: done, ignored, stale, waiting, dead, or pending where it failed.
    void count_webhook_processed(std::string_view provider, std::string_view state);

    // What this process's workers know of a mail they handed over: accepted, refused, put off, unreachable,
    // unknown.
    void count_mail(std::string_view verdict);
    // `outcome` of an upload: created, existing, refused.
    void count_upload(std::string_view outcome);

    // A call of this process to an authority. `call`: emitir, consultar, cancelar, consultar-cancelamento.
    // `word`: what the answer meant.
    void count_fiscal_call(
        std::string_view authority, std::string_view call, std::string_view word
    );
    // Shows the counters of an authority from now on, at 0.
    void expect_fiscal_calls(std::string_view authority, const std::vector<std::string>& words);

    // Everything, for /metrics.
    std::string text(const EngineSnapshot& snapshot) const;

private:
    struct Families;
    std::unique_ptr<Families> families_;
};

}  // namespace umavez
