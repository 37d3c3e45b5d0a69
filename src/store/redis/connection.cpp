#include "store/redis/connection.hpp"

#include "base/limits.hpp"
#include "base/random.hpp"
#include "store/redis/byte_reader.hpp"
#include "store/redis/server_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez {
namespace {

using namespace std::chrono_literals;

// A script runs alone in the server: a call is short, so that others get their turn.
constexpr std::size_t call_members_max = 64;
// Of one batch; a batch takes at least one request, however large.
constexpr std::size_t batch_bytes_max = 8 * 1024 * 1024;
constexpr std::size_t batch_requests_max = 4096;
// How long notes wait for a batch to ride with.
constexpr auto notes_wait = 5ms;
// How long a batch waits for those who were answered with the one before, at most; half a round
// trip otherwise. Measured with 64 callers, least of 15 windows, without and with it, twice: 21.3
// and 20.4, 23.4 and 19.8 µs of the server for a claim and its completion; 13.6 and 12.8, 15.3 and
// 11.7 µs of the client.
constexpr auto gather_max = 2ms;
constexpr auto pause_first = 20ms;
constexpr auto pause_longest = 1000ms;

}  // namespace

RedisConnection::RedisConnection(
    const RedisUrl& url,
    const RedisNames& names,
    Sentinel& sentinel,
    std::function<std::string()> now
)
    : url_(url),
      names_(names),
      sentinel_(sentinel),
      now_(std::move(now)),
      wire_(url, names, sentinel)
{
}

RedisConnection::~RedisConnection()
{
    {
        const std::lock_guard guard{mutex_};
        is_stopping_ = true;
        changed_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
}

Result<std::size_t> RedisConnection::start()
{
    if (auto opened = wire_.open(); !opened) return std::unexpected(std::move(opened.error()));
    const std::size_t advised = wire_.connections_advised();
    is_open_ = true;
    thread_ = std::thread{[this] { run(); }};
    return advised;
}

void RedisConnection::submit(RedisRequest& request)
{
    bool is_refused = false;
    {
        const std::lock_guard guard{mutex_};
        is_refused = is_stopping_ || queued_ >= limits::lane_queue_max;
        if (!is_refused) {
            request.next = nullptr;
            (first_ == nullptr ? first_ : last_->next) = &request;
            last_ = &request;
            ++queued_;
            if (is_waiting_ && queued_ >= wanted_) changed_.notify_one();
        }
    }
    if (!is_refused) return;
    request.status = fail(
        Errc::store_unavailable,
        fmt::format("too many requests wait for {}; nothing was written", url_.place())
    );
    if (request.gathering != nullptr) request.gathering->arrive();
}

bool RedisConnection::note(RedisRequest request)
{
    const std::lock_guard guard{mutex_};
    if (is_stopping_ || notes_.size() >= limits::audit_notes_max) {
        notes_dropped_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    notes_.push_back(std::move(request));
    // So that it waits for company, but not for ever.
    if (is_waiting_ && notes_.size() == 1) changed_.notify_one();
    return true;
}

bool RedisConnection::try_serve(RedisRequest& request)
{
    const std::unique_lock wire{wire_mutex_, std::try_to_lock};
    if (!wire) return false;
    {
        const std::lock_guard guard{mutex_};
        if (first_ != nullptr || is_stopping_) return false;
        take_notes();
    }
    batch_.push_back(&request);
    serve_batch();
    return true;
}

void RedisConnection::run()
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = wait_for_work();
        const std::lock_guard wire{wire_mutex_};
        take_work();
        {
            const std::lock_guard guard{mutex_};
            goes_on = goes_on || first_ != nullptr;
        }
        if (batch_.empty() && goes_on) keep_open();
        serve_batch();
    }
}

void RedisConnection::take_work() noexcept
{
    const std::lock_guard guard{mutex_};
    try {
        take_notes();
        take_queued();
    } catch (const std::exception&) {
        // What found no memory stays queued; what was taken is served.
    }
}

// Nobody waits, but somebody soon may.
void RedisConnection::keep_open() noexcept
{
    try {
        ensure_open();
    } catch (const std::exception&) {
        abandon_batch();
    }
}

bool RedisConnection::wait_for_work()
{
    std::unique_lock lock{mutex_};
    const auto has_work = [this] { return first_ != nullptr || is_stopping_; };
    is_waiting_ = true;
    while (!has_work()) {
        if (!notes_.empty()) {
            if (!changed_.wait_for(lock, notes_wait, has_work)) break;
        } else if (!is_open_) {
            if (changed_.wait_until(lock, retry_at_.load()) == std::cv_status::timeout) break;
        } else {
            changed_.wait(lock);
        }
    }
    gather(lock);
    is_waiting_ = false;
    return !is_stopping_;
}

// Whoever was answered together mostly comes back together, one after the other: sent one by one
// they would cost the server a call each, and an fsync where it has to. After a batch of one or two
// nobody waits.
void RedisConnection::gather(std::unique_lock<std::mutex>& lock)
{
    wanted_ = company_.load() * 3 / 4;
    if (first_ != nullptr && queued_ < wanted_) {
        const auto limit = std::min<std::chrono::nanoseconds>(round_trip_.load() / 2, gather_max);
        changed_.wait_for(lock, limit, [this] { return queued_ >= wanted_ || is_stopping_; });
    }
    wanted_ = 1;
}

void RedisConnection::take_notes()
{
    batch_.clear();
    riding_ = std::exchange(notes_, {});
    for (RedisRequest& note : riding_) batch_.push_back(&note);
}

void RedisConnection::take_queued()
{
    std::size_t bytes = 0;
    while (first_ != nullptr && bytes < batch_bytes_max && batch_.size() < batch_requests_max) {
        RedisRequest& request = *first_;
        batch_.push_back(&request);  // first: it may find no memory
        first_ = request.next;
        --queued_;
        bytes += request.keys.size() + request.plan.size() + request.arguments.size();
    }
}

void RedisConnection::serve_batch() noexcept
{
    if (batch_.empty()) return;
    try {
        exchange_batch();
    } catch (const std::exception&) {
        abandon_batch();
    }
    for (const RedisRequest& note : riding_) {
        if (!note.status) notes_dropped_.fetch_add(1, std::memory_order_relaxed);
    }
    riding_.clear();
    batch_.clear();
}

// Without memory nobody knows how far it came. No text here needs any.
void RedisConnection::abandon_batch() noexcept
{
    wire_.close(true);
    is_open_ = false;
    retry_at_ = Deadline{};
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        if (batch_[i] == nullptr) continue;
        batch_[i]->status = fail(Errc::store_unknown, "out of memory");
        answer(i);
    }
}

void RedisConnection::exchange_batch()
{
    if (const std::string refusal = sentinel_.refusal(); !refusal.empty()) {
        fail_all(Errc::store_unavailable, refusal);
    } else if (!ensure_open() || !ensure_sentinel()) {
        fail_all(Errc::store_unavailable, trouble_ + "; nothing was written");
    } else {
        // Requests keep their order within a script, notes come first.
        std::ranges::stable_sort(batch_, {}, &RedisRequest::script);
        const auto sent_at = std::chrono::steady_clock::now();
        const std::vector<Call> again = exchange(cut_into_calls());
        round_trip_ = std::chrono::steady_clock::now() - sent_at;
        company_ = batch_.size() - riding_.size();
        if (!again.empty() && wire_.is_open()) {
            exchange(again);
        } else {
            for (const Call& call : again) {
                fail_call(call, Errc::store_unavailable, trouble_ + "; nothing was written");
            }
        }
        if (is_spent_) reconnect_later(url_.place() + " takes no writes now");
        is_spent_ = false;
    }
}

bool RedisConnection::ensure_open()
{
    if (wire_.is_open()) {
        if (!wire_.is_stale()) return true;
        wire_.close(false);  // between batches nothing is under way
        is_open_ = false;
        retry_at_ = Deadline{};
    }
    if (std::chrono::steady_clock::now() < retry_at_.load()) return false;
    const auto opened = wire_.open();
    if (!opened) {
        reconnect_later(opened.error().detail);
        return false;
    }
    pause_ = 0ms;
    is_open_ = true;
    return true;
}

bool RedisConnection::ensure_sentinel()
{
    if (!sentinel_.expected().empty()) return true;
    const auto settled =
        wire_.settle_sentinel(std::chrono::steady_clock::now() + url_.answer_timeout);
    if (!settled) reconnect_later(settled.error().detail);
    return settled.has_value();
}

void RedisConnection::reconnect_later(const std::string& why)
{
    wire_.close(false);
    is_open_ = false;
    trouble_ = why;
    pause_ = std::clamp<std::chrono::milliseconds>(pause_ * 2, pause_first, pause_longest);
    // Connections that were lost together do not come back together.
    const auto half = static_cast<std::uint64_t>(pause_.count() / 2);
    const std::chrono::milliseconds drawn{uniform(system_random(), half + 1)};
    retry_at_ = std::chrono::steady_clock::now() + pause_ - drawn;
}

std::vector<RedisConnection::Call> RedisConnection::cut_into_calls() const
{
    std::vector<Call> calls;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        const Script script = batch_[i]->script;
        const bool joins = !calls.empty() && script != Script::plain &&
                           calls.back().script == script && calls.back().count < call_members_max;
        if (joins) {
            ++calls.back().count;
        } else {
            calls.push_back({.script = script, .first = i, .count = 1});
        }
    }
    return calls;
}

std::vector<RedisConnection::Call> RedisConnection::exchange(std::vector<Call> calls)
{
    out_.clear();
    sentinel_sent_ = sentinel_.expected();
    for (Call& call : calls) encode(call);
    const Deadline deadline = std::chrono::steady_clock::now() + url_.answer_timeout;
    const Socket::Sent sent = wire_.send(out_, deadline);
    std::vector<Call> again;
    std::string trouble = sent.trouble;
    bool has_unknown = false;
    bool is_readable = true;  // also after a failed write: what was answered was answered
    for (const Call& call : calls) {
        if (call.end > sent.bytes) {
            fail_call(
                call,
                Errc::store_unavailable,
                fmt::format("{} was lost before this was sent: {}", url_.place(), trouble)
            );
            continue;
        }
        if (is_readable) {
            auto reply = wire_.receive(deadline);
            if (reply) {
                if (receive(call, *std::move(reply))) again.push_back(call);
                continue;
            }
            is_readable = false;
            trouble = reply.error().detail;
        }
        has_unknown = true;
        fail_call(
            call,
            Errc::store_unknown,
            fmt::format(
                "{} did not answer ({}); it may or may not have done it", url_.place(), trouble
            )
        );
    }
    if (!trouble.empty()) {
        wire_.close(has_unknown);
        is_open_ = false;
        // At once, for the first time: a connection is lost more often than a server.
        trouble_ = fmt::format("{} was lost: {}", url_.place(), trouble);
        retry_at_ = Deadline{};
    }
    for (Call& call : again) call.by_text = true;
    return again;
}

void RedisConnection::encode(Call& call)
{
    const auto count_line = [this](char kind, std::size_t count) {
        out_ += kind;
        out_ += std::to_string(count);
        out_ += "\r\n";
    };
    if (call.script == Script::plain) {
        out_ += batch_[call.first]->keys;
        call.end = out_.size();
        return;
    }
    std::size_t keys = 3;
    std::size_t arguments = 2;
    for (std::size_t i = 0; i < call.count; ++i) {
        keys += batch_[call.first + i]->keys_count;
        arguments += batch_[call.first + i]->arguments_count;
        if (sharing_from(call, i) != 0) ++arguments;
    }
    count_line('*', 3 + keys + arguments);
    append_bulk(out_, call.by_text ? "EVAL" : "EVALSHA");
    append_bulk(out_, call.by_text ? text_of(call.script) : wire_.hash_of(call.script));
    append_bulk(out_, std::to_string(keys));
    append_bulk(out_, names_.sentinel());
    append_bulk(out_, names_.queue(batch_[call.first]->lane));
    append_bulk(out_, names_.leases(batch_[call.first]->lane));
    for (std::size_t i = 0; i < call.count; ++i) out_ += batch_[call.first + i]->keys;
    append_bulk(out_, sentinel_sent_);
    append_bulk(out_, now_());
    for (std::size_t i = 0; i < call.count; ++i) {
        if (const std::uint32_t sharing = sharing_from(call, i); sharing != 0) {
            ByteWriter counted;
            counted.number(sharing);
            append_bulk(out_, std::move(counted).take() + batch_[call.first + i]->plan);
        }
        out_ += batch_[call.first + i]->arguments;
    }
    call.end = out_.size();
}

std::uint32_t RedisConnection::sharing_from(const Call& call, std::size_t member) const
{
    const std::string& plan = batch_[call.first + member]->plan;
    if (plan.empty()) return 0;
    if (member > 0 && batch_[call.first + member - 1]->plan == plan) return 0;
    std::uint32_t sharing = 1;
    while (member + sharing < call.count && batch_[call.first + member + sharing]->plan == plan) {
        ++sharing;
    }
    return sharing;
}

bool RedisConnection::receive(const Call& call, ReplyPtr reply)
{
    if (reply->type == REDIS_REPLY_ERROR) {
        const std::string_view error = text_of(*reply);
        if (error.starts_with("NOSCRIPT") && !call.by_text) return true;
        if (error.starts_with("EMPTIED")) {
            fail_call(call, Errc::store_unavailable, sentinel_.lost(sentinel_sent_));
            return false;
        }
        const Refusal refusal = judge_error(error, url_.place());
        is_spent_ = is_spent_ || refusal.is_connection_spent;
        fail_call(call, refusal.code, refusal.detail);
        return false;
    }
    if (call.script == Script::plain) {
        batch_[call.first]->reply = std::move(reply);
        answer(call.first);
        return false;
    }
    const bool is_whole = reply->type == REDIS_REPLY_ARRAY && reply->elements == call.count + 1 &&
                          reply->element[0]->type == REDIS_REPLY_INTEGER;
    if (!is_whole) {
        fail_call(call, Errc::store_unknown, url_.place() + " gave an answer of another shape");
        return false;
    }
    const Instant now = from_micros(reply->element[0]->integer);
    for (std::size_t i = 0; i < call.count; ++i) {
        RedisRequest& request = *batch_[call.first + i];
        request.now = now;
        request.reply = take_element(*reply, i + 1);
        answer(call.first + i);
    }
    return false;
}

void RedisConnection::fail_call(const Call& call, Errc code, const std::string& detail)
{
    for (std::size_t i = 0; i < call.count; ++i) {
        batch_[call.first + i]->status = fail(code, detail);
        answer(call.first + i);
    }
}

// The request may be gone afterwards.
void RedisConnection::answer(std::size_t member)
{
    const RedisRequest& request = *std::exchange(batch_[member], nullptr);
    if (request.gathering != nullptr) request.gathering->arrive();
}

void RedisConnection::fail_all(Errc code, const std::string& detail)
{
    fail_call({.script = Script::plain, .first = 0, .count = batch_.size()}, code, detail);
}

}  // namespace umavez
