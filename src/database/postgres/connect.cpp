// Connection::open: reaching a server that is ours to write to, and telling it how to treat us.

#include "database/postgres/connection.hpp"
#include "database/postgres/failure.hpp"
#include "database/postgres/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <libpq-fe.h>
#include <memory>
#include <poll.h>

namespace umavez::pg {
namespace {

struct Finish {
    void operator()(pg_conn* handle) const noexcept { PQfinish(handle); }
};
using Handle = std::unique_ptr<pg_conn, Finish>;

template <typename Period>
long to_millis(Period period)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(period).count();
}

// Settings of the session travel with the first packet, so they cost no round trip. A pooler would
// refuse them; there every transaction sets its own.
//
// A lane finds rows by their key and no other way: planned while the table is small, a joined
// UPDATE would keep a sequential scan as it grows.
std::string session_settings(const ConnectOptions& options)
{
    std::string settings = fmt::format(
        "-c lock_timeout={} -c idle_in_transaction_session_timeout={} "
        "-c client_connection_check_interval={} -c default_transaction_isolation=read\\ committed "
        "-c default_transaction_read_only=off -c umavez.session=here",
        to_millis(tuning::lock_timeout),
        to_millis(tuning::idle_in_transaction_timeout),
        to_millis(tuning::client_check)
    );
    if (options.is_lane) {
        settings += fmt::format(
            " -c statement_timeout={} -c enable_seqscan=off -c enable_hashjoin=off "
            "-c enable_mergejoin=off -c plan_cache_mode=force_generic_plan -c jit=off",
            to_millis(tuning::statement_limit)
        );
    }
    return settings;
}

struct Keywords {
    std::vector<std::pair<std::string, std::string>> all;

    bool has(std::string_view name) const
    {
        return std::ranges::any_of(all, [&](const auto& one) { return one.first == name; });
    }
    void set_if_absent(std::string name, std::string value)
    {
        if (!has(name)) all.emplace_back(std::move(name), std::move(value));
    }
    void set(std::string_view name, std::string value)
    {
        std::erase_if(all, [&](const auto& one) { return one.first == name; });
        all.emplace_back(std::string{name}, std::move(value));
    }
};

Keywords to_keywords(const ConnectOptions& options)
{
    Keywords keywords{options.parameters};
    keywords.set("target_session_attrs", "read-write");
    keywords.set_if_absent("application_name", "umavez");
    keywords.set_if_absent("tcp_user_timeout", "10000");
    keywords.set("client_encoding", "UTF8");
    if (!options.is_pooled) {
        std::string settings = session_settings(options);
        for (const auto& [name, value] : options.parameters) {
            if (name == "options") settings += " " + value;  // the user's come last and win
        }
        keywords.set("options", std::move(settings));
    }
    return keywords;
}

// While a connection is made libpq gives a server's code in its message alone: "FATAL:  28P01: …".
std::string_view sqlstate_in(std::string_view message)
{
    constexpr std::string_view before = ":  ";
    constexpr std::size_t length = 5;
    const auto is_part = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
    for (std::size_t at = message.find(before); at != std::string_view::npos;
         at = message.find(before, at + 1)) {
        const std::string_view code = message.substr(at + before.size(), length);
        const std::string_view after = message.substr(std::min(at + before.size() + length, message.size()));
        if (code.size() == length && after.starts_with(": ") && std::ranges::all_of(code, is_part)) {
            return code;
        }
    }
    return {};
}

std::string pooler_cure()
{
    return ": is there a PgBouncer between? Then write umavez_pooler=transaction in the URL";
}

std::unexpected<Error> fail_connect(const pg_conn* handle)
{
    std::string why = handle == nullptr ? "out of memory" : PQerrorMessage(handle);
    const std::string sqlstate{sqlstate_in(why)};
    why.erase(std::min(why.find("\nLOCATION:"), why.size()));
    std::ranges::replace(why, '\n', ' ');
    while (!why.empty() && why.back() == ' ') why.pop_back();
    const bool is_refused = !sqlstate.empty() && code_of_refusal(sqlstate) == Errc::misconfigured;
    if (is_refused) {
        if (sqlstate == "08P01") why += pooler_cure();
        return fail(Errc::misconfigured, "PostgreSQL refused the connection: " + why);
    }
    return fail(Errc::store_unavailable, "PostgreSQL cannot be reached: " + why);
}

// As PQconnectdb, with an end in time.
Result<Handle> connect(const ConnectOptions& options)
{
    const Keywords keywords = to_keywords(options);
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : keywords.all) {
        names.push_back(name.c_str());
        values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    const Duration deadline = system_clock().boottime() + options.limit;
    Handle handle{PQconnectStartParams(names.data(), values.data(), 0)};
    if (!handle || PQstatus(handle.get()) == CONNECTION_BAD) return fail_connect(handle.get());
    PQsetErrorVerbosity(handle.get(), PQERRORS_VERBOSE);
    PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;
    while (wanted != PGRES_POLLING_OK) {
        if (wanted == PGRES_POLLING_FAILED) return fail_connect(handle.get());
        const Duration left = deadline - system_clock().boottime();
        if (left <= Duration{0}) {
            return fail(Errc::store_unavailable, "PostgreSQL cannot be reached: no answer in time");
        }
        const auto events = static_cast<short>(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        pollfd descriptor{.fd = PQsocket(handle.get()), .events = events, .revents = 0};
        const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        if (::poll(&descriptor, 1, static_cast<int>(millis)) <= 0) continue;
        wanted = PQconnectPoll(handle.get());
    }
    PQsetErrorVerbosity(handle.get(), PQERRORS_DEFAULT);
    return handle;
}

const StaticSql durability_sql{
    "SELECT current_setting('fsync'), current_setting('synchronous_commit'), "
    "current_setting('server_version_num')::int8, current_setting('umavez.session', true), "
    "(SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database())"
};

Result<void> check_server(Connection& connection, const ConnectOptions& options)
{
    connection.enqueue(durability_sql);
    auto answers = connection.round_trip(options.limit);
    if (!answers) return std::unexpected(answers.error());
    const Answer& answer = answers->back();
    if (!answer.is_ok()) return std::unexpected(answer.error());
    constexpr std::int64_t oldest_version = 140'000;
    if (answer.integer(0, 2) < oldest_version) {
        return fail(Errc::misconfigured, "PostgreSQL is older than 14: upgrade the server");
    }
    // A pooler that was told to ignore them: statements would be prepared on one connection and missing on
    // another.
    if (!options.is_pooled && answer.bytes(0, 3) != "here") {
        return fail(Errc::misconfigured, "the settings of the session did not arrive" + pooler_cure());
    }
    if (answer.bytes(0, 4) != "UTF8") {
        return fail(
            Errc::misconfigured, "the database is not in UTF8: create it with ENCODING 'UTF8'"
        );
    }
    if (!options.must_be_durable) return {};
    if (answer.bytes(0, 0) == "off" || answer.bytes(0, 1) == "off") {
        return fail(
            Errc::misconfigured,
            "the server acknowledges commits that it may lose: set fsync and synchronous_commit on"
        );
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const ConnectOptions& options)
{
    auto handle = connect(options);
    if (!handle) return std::unexpected(handle.error());
    if (PQsetnonblocking(handle->get(), 1) != 0 || PQenterPipelineMode(handle->get()) != 1) {
        return fail_connect(handle->get());
    }
    std::unique_ptr<Connection> connection{new Connection{handle->release(), options.is_pooled}};
    if (auto checked = check_server(*connection, options); !checked) {
        return std::unexpected(checked.error());
    }
    return connection;
}

}  // namespace umavez::pg
