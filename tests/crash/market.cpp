#include "market.hpp"

#include "base/random.hpp"

#include <fmt/format.h>

#include <array>
#include <poll.h>
#include <stdexcept>

// From top to bottom: tables and declarations; the call; the handlers; the reconciler.

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view business_schema = R"(
CREATE TABLE pedidos (
    id INTEGER PRIMARY KEY,
    intent TEXT NOT NULL,
    nonce TEXT NOT NULL
) STRICT;
CREATE TABLE itens (pedido INTEGER NOT NULL REFERENCES pedidos (id), nonce TEXT NOT NULL) STRICT;
CREATE TABLE sessoes (intent TEXT PRIMARY KEY, nonce TEXT NOT NULL) STRICT;
)";

Response answered(const Intent& intent, std::string_view nonce, int status = 200)
{
    return {.status = status, .body = fmt::format("{}:{}", intent.key(), nonce)};
}

std::string make_nonce()
{
    return fmt::format("{:016x}", system_random().next());
}

Result<void> sweep_sessions(Transaction& transaction, std::span<const RecordId> swept)
{
    for (const RecordId& id : swept) {
        const Values intent{id.key.text()};
        const auto deleted = transaction.execute("DELETE FROM sessoes WHERE intent = $1", intent);
        if (!deleted) return std::unexpected(deleted.error());
    }
    return {};
}

Answer to_answer(const Result<Outcome>& outcome)
{
    if (!outcome) {
        // A store that was too slow is no mistake of ours: the call is repeated.
        const Errc code = outcome.error().code;
        const bool is_of_store = code == Errc::store_unavailable || code == Errc::store_unknown;
        const char* const name = is_of_store ? "unavailable unknown" : "error";
        return {.note = fmt::format("{}: {}", name, outcome.error().detail)};
    }
    Answer answer{.note = std::string{umavez::to_text(*outcome)}};
    if (const auto* const executed = std::get_if<Executed>(&*outcome)) {
        answer.is_last = executed->kept;
        if (executed->kept) answer.response = executed->response;
    } else if (const auto* const replayed = std::get_if<Replayed>(&*outcome)) {
        answer.is_last = true;
        answer.response = replayed->response;
    } else if (const auto* const in_doubt = std::get_if<InDoubt>(&*outcome)) {
        answer.is_last = !in_doubt->retry_after.has_value();
    } else if (const auto* const unavailable = std::get_if<Unavailable>(&*outcome)) {
        answer.note +=
            fmt::format(" {}: {}", umavez::to_text(unavailable->effect), unavailable->detail);
    }
    return answer;
}

}  // namespace

Market::Market(MarketOptions options)
    : options_(std::move(options)),
      ledger_(options_.directory + "/ledger"),
      authority_(options_.directory + "/authority")
{
}

Result<void> Market::prepare(Database& database)
{
    const std::array migrations = {
        Migration{.module = "market", .version = 1, .sql = std::string{business_schema}}
    };
    return database.migrate(migrations);
}

Policy Market::policy_of(Kind kind) const
{
    const Timing& timing = options_.timing;
    Policy policy{
        .guarantee = Guarantee::leased,
        .key = KeyRule::required,
        .lease = timing.lease,
        .run_limit = timing.run_limit,
        .settle = timing.settle,
        .atomic_run_limit = timing.atomic_run_limit,
    };
    switch (kind) {
        case Kind::order: policy.guarantee = Guarantee::atomic; break;
        case Kind::session:
            policy.guarantee = Guarantee::atomic;
            policy.retention = timing.retention;
            break;
        case Kind::slip:
            policy.on_abandoned = OnAbandoned::rerun;
            policy.effect = RepeatedEffect::deduplicated;
            policy.takeovers_max = 1'000'000;
            break;
        case Kind::payment:
        case Kind::notice: break;
    }
    return policy;
}

Result<void> Market::declare(Engine& engine)
{
    for (const Kind kind : kinds) {
        OperationSpec spec{.name = std::string{operation_of(kind)}, .policy = policy_of(kind)};
        if (kind == Kind::payment) {
            spec.reconcile =
                blocking_reconciler([this](const Enquiry& enquiry) { return reconcile(enquiry); });
        }
        if (kind == Kind::session) spec.swept = sweep_sessions;
        if (auto declared = engine.declare(std::move(spec)); !declared) return declared;
    }
    return {};
}

Answer Market::call(Engine& engine, const Intent& intent)
{
    const Visit visit{intent, system_clock().boottime(), make_nonce()};
    Request request = to_request(intent);
    try {
        if (intent.kind == Kind::order) {
            return to_answer(engine.atomically(std::move(request), [&](Transaction& transaction) {
                return order(transaction, visit);
            }));
        }
        if (intent.kind == Kind::session) {
            return to_answer(engine.atomically(std::move(request), [&](Transaction& transaction) {
                return open_session(transaction, visit);
            }));
        }
        if (intent.kind != Kind::payment && intent.number == 2) {
            return to_answer(begin_and_drop(engine, std::move(request), visit));
        }
        return to_answer(engine.leased(std::move(request), [&](Lease& lease) {
            return handle(lease, visit);
        }));
    } catch (const std::runtime_error& error) {
        return {.note = fmt::format("exception: {}", error.what())};
    }
}

// The first owner walks away without a word, as if its thread had died.
Result<Outcome> Market::begin_and_drop(Engine& engine, Request request, const Visit& visit)
{
    auto begun = engine.begin(std::move(request));
    if (!begun) return std::unexpected(begun.error());
    if (auto* const outcome = std::get_if<Outcome>(&*begun)) return std::move(*outcome);
    Lease lease = std::move(std::get<Lease>(*begun));
    if (lease.attempts() == 1) return InProgress{options_.timing.lease};
    Response response = handle(lease, visit);
    const auto finished = lease.finish(response);
    if (!finished) return std::unexpected(finished.error());
    return Executed{std::move(response)};
}

Result<Response> Market::order(Transaction& transaction, const Visit& visit) const
{
    const Values order{visit.intent.key(), visit.nonce};
    auto made = transaction.query(
        "INSERT INTO pedidos (intent, nonce) VALUES ($1, $2) RETURNING id", order
    );
    if (!made) return std::unexpected(made.error());
    const Values item{made->front().integer(0), visit.nonce};
    const auto added =
        transaction.execute("INSERT INTO itens (pedido, nonce) VALUES ($1, $2)", item);
    if (!added) return std::unexpected(added.error());
    // Refused for good after its rows were written: they must go, and the refusal must stay.
    return answered(visit.intent, visit.nonce, visit.intent.number == 4 ? 422 : 200);
}

Result<Response> Market::open_session(Transaction& transaction, const Visit& visit) const
{
    const Values session{visit.intent.key(), visit.nonce};
    const auto opened = transaction.execute(
        "INSERT INTO sessoes (intent, nonce) VALUES ($1, $2) "
        "ON CONFLICT (intent) DO UPDATE SET nonce = excluded.nonce",
        session
    );
    if (!opened) return std::unexpected(opened.error());
    return answered(visit.intent, visit.nonce);
}

Response Market::handle(Lease& lease, const Visit& visit)
{
    ledger_.append({"run", visit.intent.key(), lease.effect_key(), visit.nonce});
    switch (visit.intent.kind) {
        case Kind::payment: return pay(lease, visit);
        case Kind::slip: return issue(lease, visit);
        case Kind::notice: return notify(lease, visit);
        case Kind::order:
        case Kind::session: break;
    }
    throw std::logic_error{"an atomic operation has no lease"};
}

Response Market::pay(Lease& lease, const Visit& visit)
{
    const unsigned number = visit.intent.number;
    const bool is_first = lease.attempts() == 1;
    if (number == 1 && is_first) return answered(visit.intent, visit.nonce, 500);
    if (number == 3 && is_first) linger(lease);
    strike(FaultPoint::handler_before_effect);
    const LedgerLine effect{"effect", visit.intent.key(), lease.effect_key(), visit.nonce};
    if (!ledger_.append_unless_fenced(effect, lease.token().epoch)) {
        check_fenced(visit);
        static_cast<void>(lease.untouched());
        return answered(visit.intent, visit.nonce, 409);
    }
    strike(FaultPoint::handler_after_effect);
    if (number == 2 && is_first) return answered(visit.intent, visit.nonce, 500);
    if (number == 4 && is_first) throw std::runtime_error{"the handler broke after its effect"};
    return answered(visit.intent, visit.nonce);
}

Response Market::issue(Lease& lease, const Visit& visit)
{
    const std::string key = visit.intent.key();
    const bool has_saved = ledger_.find("saved", lease.effect_key()).has_value();
    if (has_saved && lease.checkpoint().empty()) {
        options_.on_broken(key + ": an acknowledged checkpoint is gone");
    }
    if (lease.save("saved " + visit.nonce)) {
        ledger_.append({"saved", key, lease.effect_key(), visit.nonce});
    }
    if (visit.intent.number == 1 && lease.attempts() == 1) linger(lease);
    strike(FaultPoint::handler_before_effect);
    const std::string kept =
        authority_.accept_once({"accepted", key, lease.effect_key(), visit.nonce});
    ledger_.append({"effect", key, lease.effect_key(), visit.nonce});
    strike(FaultPoint::handler_after_effect);
    return answered(visit.intent, kept);
}

Response Market::notify(Lease& lease, const Visit& visit)
{
    if (visit.intent.number == 1) linger(lease);
    strike(FaultPoint::handler_before_effect);
    ledger_.append({"effect", visit.intent.key(), lease.effect_key(), visit.nonce});
    strike(FaultPoint::handler_after_effect);
    return answered(visit.intent, visit.nonce);
}

// Stays until a heartbeat was written, at most a few leases.
void Market::linger(const Lease& lease) const
{
    if (options_.arrivals == nullptr) return;
    const std::uint64_t beats = options_.arrivals->arrivals(FaultPoint::heartbeat_after_write);
    const auto has_beaten = [&] {
        return options_.arrivals->arrivals(FaultPoint::heartbeat_after_write) > beats ||
               lease.lost().stop_requested();
    };
    const Duration until = system_clock().boottime() + 4 * options_.timing.lease;
    while (!has_beaten() && system_clock().boottime() < until) ::poll(nullptr, 0, 2);
}

// Only an enquiry shuts us out, and the first one comes when lease and settle are over, both
// counted from a moment after our call.
void Market::check_fenced(const Visit& visit) const
{
    const Duration held = system_clock().boottime() - visit.called_at;
    if (held >= options_.timing.lease + options_.timing.settle) return;
    options_.on_broken(fmt::format(
        "{}: somebody enquired {} after its claim, before lease and settle were over",
        visit.intent.key(),
        held.count()
    ));
}

Reconciliation Market::reconcile(const Enquiry& enquiry)
{
    const auto intent = parse_intent(enquiry.id.key.text());
    if (!intent) throw std::logic_error{"an enquiry about nothing of ours"};
    if (enquiry.effect_key != effect_key_of(enquiry.id)) {
        options_.on_broken(intent->key() + ": the enquiry carries another effect key");
    }
    // The second claim of such a key is told to come back; the third is answered.
    if (intent->number == 2 && enquiry.attempts % 2 == 0) {
        return StillUnknown{.retry_after = 20ms, .detail = "the ledger is closed"};
    }
    const auto nonce = ledger_.find_and_fence(enquiry.effect_key, enquiry.token.epoch);
    if (!nonce) return DidNotHappen{};
    return Happened{answered(*intent, *nonce)};
}

}  // namespace umavez::crash
