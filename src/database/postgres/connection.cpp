#include "database/postgres/connection.hpp"

#include "database/postgres/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <libpq-fe.h>
#include <optional>
#include <poll.h>

namespace umavez::pg {
namespace {

Duration now()
{
    return system_clock().boottime();
}

// One wait on the socket. False: the deadline came first.
bool wait_on(int socket, short events, Duration deadline)
{
    while (true) {
        const auto left = deadline - now();
        if (left <= Duration{0}) return false;
        const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        pollfd descriptor{.fd = socket, .events = events, .revents = 0};
        const int ready = ::poll(&descriptor, 1, static_cast<int>(std::min<long>(millis, 60'000)));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return true;  // libpq will find out what is wrong
    }
}

std::string trimmed(const char* message)
{
    std::string text = message == nullptr ? "" : message;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

StaticSql::StaticSql(std::string text) noexcept : text_(std::move(text))
{
    static std::atomic<std::size_t> slots{0};
    slot_ = slots++;
}

Connection::Connection(pg_conn* handle, bool is_pooled) noexcept
    : handle_(handle), is_pooled_(is_pooled)
{
    PQsetNoticeReceiver(handle_, on_notice, this);
}

Connection::~Connection()
{
    PQfinish(handle_);
}

void Connection::on_notice(void* self, const pg_result* notice)
{
    // The wait for a synchronous standby was cancelled: the server has committed, the standby may
    // not.
    const char* const function = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
    if (function != nullptr && std::strcmp(function, "SyncRepWaitForLSN") == 0) {
        static_cast<Connection*>(self)->has_doubt_ = true;
    }
}

void Connection::enqueue(const StaticSql& sql)
{
    Parameters none;
    enqueue(sql, none);
}

void Connection::enqueue(const StaticSql& sql, Parameters& parameters)
{
    constexpr int binary = 1;
    if (ours_.size() <= sql.slot()) ours_.resize(sql.slot() + 1);
    auto& name = ours_[sql.slot()];
    if (!name) name = std::make_unique<std::string>();
    send(sql.text(), is_pooled_ ? nullptr : name.get(), parameters, binary);
}

void Connection::enqueue(std::string_view sql, Parameters& parameters)
{
    constexpr int text = 0;
    std::string* name = nullptr;
    if (!is_pooled_) {
        cache_key_ = parameters.types();
        cache_key_ += sql;
        const auto known = theirs_.find(cache_key_);
        if (known != theirs_.end()) {
            name = &known->second;
        } else if (theirs_.size() < tuning::statements_cached_max) {
            name = &theirs_[cache_key_];
        }
    }
    send(sql, name, parameters, text);
}

// With `prepared` the statement is prepared first, in the same trip, unless it is already.
void Connection::send(
    std::string_view sql, std::string* prepared, Parameters& parameters, int format
)
{
    if (is_lost_) return;
    const Parameters::Pointers& all = parameters.pointers();
    const int count = static_cast<int>(all.values.size());
    bool is_sent = true;
    if (prepared == nullptr) {
        is_sent = PQsendQueryParams(
                      handle_,
                      std::string{sql}.c_str(),
                      count,
                      all.types.data(),
                      all.values.data(),
                      all.lengths.data(),
                      all.formats.data(),
                      format
                  ) == 1;
    } else {
        std::string name = *prepared;
        if (name.empty()) {
            name = fmt::format("umavez_{}", ++names_);
            is_sent = PQsendPrepare(
                          handle_, name.c_str(), std::string{sql}.c_str(), count, all.types.data()
                      ) == 1;
            pending_.push_back({Kind::prepare, sql, prepared, name});
        }
        is_sent = is_sent && PQsendQueryPrepared(
                                 handle_,
                                 name.c_str(),
                                 count,
                                 all.values.data(),
                                 all.lengths.data(),
                                 all.formats.data(),
                                 format
                             ) == 1;
    }
    pending_.push_back({.kind = Kind::query, .sql = sql});
    if (!is_sent) is_lost_ = true;
}

void Connection::sync()
{
    if (is_lost_) return;
    if (PQpipelineSync(handle_) != 1) is_lost_ = true;
    pending_.push_back({.kind = Kind::sync});
}

void Connection::send_off()
{
    sync();
    for (Pending& pending : pending_) pending.is_owed = true;
    // What did not fit would lie here, and its locks over there, until somebody uses the connection again.
    if (!is_lost_ && PQflush(handle_) != 0) is_lost_ = true;
}

std::unexpected<Error> Connection::lose(std::string why)
{
    is_lost_ = true;
    return fail(Errc::store_unavailable, "the connection to PostgreSQL is lost: " + std::move(why));
}

bool Connection::wait_for_input(Duration deadline)
{
    while (PQisBusy(handle_) != 0) {
        const int unsent = PQflush(handle_);
        if (unsent < 0) return false;
        const auto events = static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN);
        if (!wait_on(PQsocket(handle_), events, deadline)) return false;
        if (PQconsumeInput(handle_) != 1) return false;
    }
    return true;
}

// Null: lost, or out of time.
pg_result* Connection::next_result(Duration deadline)
{
    if (!wait_for_input(deadline)) return nullptr;
    return PQgetResult(handle_);
}

std::size_t Connection::queued() const noexcept
{
    return static_cast<std::size_t>(std::ranges::count_if(pending_, [](const Pending& one) {
        return one.kind == Kind::query && !one.is_owed;
    }));
}

Result<std::vector<Answer>> Connection::round_trip(Duration limit)
{
    const Duration deadline = now() + limit;
    sync();
    std::vector<Answer> answers;
    std::optional<Answer> unprepared;
    std::vector<Pending> pending = std::exchange(pending_, {});
    for (Pending& one : pending) {
        if (is_lost_) break;
        pg_result* const result = next_result(deadline);
        if (result == nullptr || PQstatus(handle_) == CONNECTION_BAD) {
            PQclear(result);
            is_lost_ = true;
            is_overdue_ = PQstatus(handle_) == CONNECTION_OK && now() >= deadline;
            break;
        }
        if (one.kind == Kind::sync) {
            // Where nobody said BEGIN this is the commit, and it may fail: a deferred constraint, a lost
            // race.
            if (PQresultStatus(result) != PGRES_PIPELINE_SYNC) is_lost_ = true;
            PQclear(result);
            continue;
        }
        Answer answer{result, one.sql};
        // Every statement's results end with a null.
        while (pg_result* const more = next_result(deadline)) PQclear(more);
        if (PQstatus(handle_) == CONNECTION_BAD) is_lost_ = true;
        if (one.kind == Kind::prepare) {
            if (answer.is_ok()) {
                *one.prepared = std::move(one.name);
            } else if (!answer.is_skipped()) {
                unprepared.emplace(std::move(answer));
            }
            continue;
        }
        if (unprepared) {  // the query was skipped; this is why
            answer = *std::move(unprepared);
            unprepared.reset();
        }
        if (!one.is_owed) answers.push_back(std::move(answer));
    }
    if (!is_overdue_) is_kept_ = false;
    if (is_lost_) {
        const std::string message = trimmed(PQerrorMessage(handle_));
        return lose(message.empty() ? "no answer in time" : message);
    }
    return answers;
}

Result<void> Connection::run_script(const std::string& sql)
{
    if (PQexitPipelineMode(handle_) != 1) return lose("the pipeline is not empty");
    static_cast<void>(PQsetnonblocking(handle_, 0));
    const Answer answer{PQexec(handle_, sql.c_str()), sql};
    const bool is_broken = PQstatus(handle_) == CONNECTION_BAD;
    if (is_broken || PQsetnonblocking(handle_, 1) != 0 || PQenterPipelineMode(handle_) != 1) {
        return lose(trimmed(PQerrorMessage(handle_)));
    }
    if (!answer.is_ok()) return std::unexpected(answer.error());
    return {};
}

bool Connection::is_kept()
{
    if (!is_overdue_ || !is_kept_) return false;
    pollfd descriptor{.fd = PQsocket(handle_), .events = POLLIN, .revents = 0};
    return ::poll(&descriptor, 1, 0) == 0;  // neither an answer nor an end
}

bool Connection::answers_within(Duration limit)
{
    is_doubted_ = false;
    return round_trip(limit).has_value();  // of nothing: the server only says that it is there
}

bool Connection::is_stale()
{
    if (is_lost_) return true;
    pollfd descriptor{.fd = PQsocket(handle_), .events = POLLIN, .revents = 0};
    if (::poll(&descriptor, 1, 0) == 0) return false;
    if (pending_.empty()) return true;  // nothing was asked, so it is a farewell
    return PQconsumeInput(handle_) != 1 || PQstatus(handle_) == CONNECTION_BAD;
}

}  // namespace umavez::pg
