#pragma once

// Connection: one connection of libpq in pipeline mode, with its prepared statements.
//
// Statements are queued with enqueue() and cost nothing until round_trip(), which sends them all
// and reads all answers: what is queued together travels together. After a failed statement the
// server skips the rest of that trip. A trip that does not end in time, or whose connection breaks,
// makes the connection lost: the caller cannot know what the server did, and throws the connection
// away.
//
// Confined to one thread at a time.

#include "database/postgres/answer.hpp"
#include "database/postgres/parameters.hpp"

#include <umavez/time.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

struct pg_conn;

namespace umavez::pg {

struct ConnectOptions {
    std::vector<std::pair<std::string, std::string>> parameters;  // of the URL
    bool is_pooled = false;       // no session state, no named statements
    bool must_be_durable = true;  // refuse a server that acknowledges what it may lose
    bool is_lane = false;         // runs the store's own statements and nothing else
    Duration limit{};
};

// A statement of ours: prepared once per connection, answered in binary. Objects are static.
class StaticSql {
public:
    explicit StaticSql(std::string text) noexcept;
    std::string_view text() const noexcept { return text_; }
    std::size_t slot() const noexcept { return slot_; }

private:
    std::string text_;
    std::size_t slot_;
};

class Connection {
public:
    static Result<std::unique_ptr<Connection>> open(const ConnectOptions& options);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void enqueue(const StaticSql& sql);
    void enqueue(const StaticSql& sql, Parameters& parameters);
    // A closure's: answered in text. `sql` outlives its answer.
    void enqueue(std::string_view sql, Parameters& parameters);

    // How many answers the next trip will bring.
    std::size_t queued() const noexcept;

    // The answers to all that was queued, in order. store_unavailable: the connection is lost, and
    // with it any knowledge of what the server did with the queued statements.
    Result<std::vector<Answer>> round_trip(Duration limit);

    // Sends what was queued and does not wait; the answers are dropped by the next trip.
    void send_off();

    // Several statements in one text, without parameters.
    Result<void> run_script(const std::string& sql);

    bool is_lost() const noexcept { return is_lost_; }
    // Lost because its answer did not come in time, which says nothing about other connections.
    bool is_overdue() const noexcept { return is_overdue_; }
    // The next trip holds a commit: should it be overdue, the server may go on with it for long.
    void keep_if_overdue() noexcept { is_kept_ = true; }
    // Overdue, and still without an answer.
    bool is_kept();
    void abandon() noexcept { is_lost_ = true; }  // it works, but not for us
    // A connection that lay idle: whether the server closed it meanwhile.
    bool is_stale();
    // Somebody waited for this server in vain: asked before the connection is used again.
    void doubt() noexcept { is_doubted_ = true; }
    bool is_doubted() const noexcept { return is_doubted_; }
    bool answers_within(Duration limit);
    bool is_pooled() const noexcept { return is_pooled_; }

    // A commit told that it may not have reached its standby.
    bool take_doubt() noexcept { return std::exchange(has_doubt_, false); }

private:
    enum class Kind : std::uint8_t { prepare, query, sync };
    struct Pending {
        Kind kind = Kind::query;
        std::string_view sql;
        std::string* prepared = nullptr;  // gets its name when the server has it
        std::string name;
        bool is_owed = false;  // nobody waits for it
    };

    explicit Connection(pg_conn* handle, bool is_pooled) noexcept;
    void send(std::string_view sql, std::string* prepared, Parameters& parameters, int format);
    void sync();
    pg_result* next_result(Duration deadline);
    bool wait_for_input(Duration deadline);
    std::unexpected<Error> lose(std::string why);
    static void on_notice(void* self, const pg_result* notice);

    pg_conn* const handle_;
    const bool is_pooled_;
    bool is_lost_ = false;
    bool is_overdue_ = false;
    bool is_doubted_ = false;
    bool is_kept_ = false;
    bool has_doubt_ = false;
    std::vector<Pending> pending_;
    std::vector<std::unique_ptr<std::string>> ours_;  // names by slot; empty: not prepared
    std::unordered_map<std::string, std::string> theirs_;
    unsigned names_ = 0;
    std::string cache_key_;
};

}  // namespace umavez::pg
