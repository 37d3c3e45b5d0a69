#pragma once

// Which desk an operator's command goes to, decided in one place: --server is asked over HTTP; else
// the process that has the database open, through its control socket; else the database is opened
// here. Confined to its thread.

#include "app/commands.hpp"
#include "json/tree.hpp"
#include "operators/desk.hpp"

#include <expected>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// --server, --token-file and --json, for the table of commands.
std::vector<CommandOption> desk_options(std::vector<CommandOption> own = {});

// The server that --server or UMAVEZ_SERVER names, if one does, and the token for it.
struct ServerAccess {
    std::string url;
    std::string token;  // may be empty
};
Result<std::optional<ServerAccess>> find_server(const Invocation& invocation);

// An answer, read. The text is what the tree borrows from.
struct Document {
    std::unique_ptr<const std::string> text;
    JsonTree tree;

    JsonValue root() const { return tree.root(); }
};

// Otherwise it complained: exit_usage where what was asked for cannot be, exit_failed else.
std::expected<Document, int> read_reply(operators::Reply reply);

// Complains by itself, and gives the exit code.
class DeskSession {
public:
    static std::expected<DeskSession, int> open(const Invocation& invocation);

    // Otherwise it complained, and the command ends with this code: exit_usage where what was asked
    // for cannot be, exit_failed else.
    std::expected<Document, int> ask(const operators::Wish& wish);

    // The same without a complaint.
    Result<operators::Reply> try_ask(const operators::Wish& wish) { return desk_->ask(wish); }

    // This process has the database open itself; several threads may ask then.
    bool is_own() const noexcept { return is_own_; }

    // On the machine of the database, not over HTTP.
    bool is_local() const noexcept { return is_local_; }
    const std::string& database() const noexcept { return database_; }

private:
    DeskSession(
        std::unique_ptr<operators::Desk> desk, bool is_local, bool is_own, std::string database
    )
        : desk_(std::move(desk)),
          is_local_(is_local),
          is_own_(is_own),
          database_(std::move(database))
    {
    }
    std::unique_ptr<operators::Desk> desk_;
    bool is_local_;
    bool is_own_;
    std::string database_;  // the path of its file, where it is known
};

// "state=dead&event_id=e1" of the flags that were given: --event-id is event_id.
std::string query_of(const Invocation& invocation, std::initializer_list<std::string_view> names);

// Whether an argument can be the number of something that a list shows.
bool is_number(std::string_view text) noexcept;

// Members of an answer; empty where they are null or missing.
std::string text_of(const JsonValue& object, std::string_view name);
std::string number_of(const JsonValue& object, std::string_view name);

}  // namespace umavez
