#include "modules/fiscal/course.hpp"

#include "base/fault_point.hpp"
#include "base/random.hpp"
#include "base/random_unit.hpp"
#include "base/shown.hpp"
#include "modules/parts/read.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace umavez::fiscal {
namespace {

// A database that fails over needs seconds; who waits longer than a lease has lost it anyway.
constexpr Duration store_pause = std::chrono::milliseconds{200};

// False: a stop came first.
bool wait_for(Duration most, const std::stop_token& stop)
{
    std::mutex mutex;
    std::condition_variable_any nobody;
    std::unique_lock lock{mutex};
    nobody.wait_for(lock, stop, most, [] { return false; });
    return !stop.stop_requested();
}

// A token that is stopped with either of two.
class EitherStop {
public:
    EitherStop(const std::stop_token& one, const std::stop_token& other)
        : one_(one, Stop{either_}), other_(other, Stop{either_})
    {
    }
    std::stop_token token() const noexcept { return either_.get_token(); }

private:
    struct Stop {
        std::stop_source source;
        void operator()() noexcept { source.request_stop(); }
    };
    std::stop_source either_;
    std::stop_callback<Stop> one_;
    std::stop_callback<Stop> other_;
};

std::optional<std::string> text_if_any(const std::string& text)
{
    return text.empty() ? std::nullopt : std::optional{shown(text)};
}

}  // namespace

Result<Seen> look(Database& database, const TenantId& tenant_id, std::string_view id_idempotencia)
{
    return modules::read(database, [&](Transaction& transaction) -> Result<Seen> {
        auto found = find_by_id_idempotencia(transaction, tenant_id, id_idempotencia);
        if (!found) return std::unexpected(found.error());
        return Seen{*std::move(found), transaction.now()};
    });
}

Course::Course(
    const CourseParts& parts, const Authority& authority, Seen seen, std::stop_token lost
)
    : parts_(parts),
      authority_(authority),
      lost_(std::move(lost)),
      row_(std::move(seen.documento)),
      seen_now_(seen.now),
      seen_boottime_(system_clock().boottime())
{
    if (row_) sent_until_ = row_->enviado_ate;
}

Instant Course::now() const
{
    return seen_now_ + (system_clock().boottime() - seen_boottime_);
}

bool Course::may_go_on() const
{
    return !lost_.stop_requested() && !parts_.leaving.stop_requested();
}

bool Course::pause(Duration most) const
{
    const EitherStop stop{lost_, parts_.leaving};
    return wait_for(most, stop.token());
}

Result<void> Course::settle(const Closure& closure, Duration* tried_at)
{
    const Duration began = system_clock().boottime();
    for (;;) {
        if (tried_at != nullptr) *tried_at = system_clock().boottime();
        auto done = parts_.database.transact(closure);
        if (done || !is_retryable(done.error().code)) return done;
        if (system_clock().boottime() - began > parts_.settings.lease) return done;
        // A process that wants to end tries again too: what it knows would be lost.
        wait_for(store_pause, {});
    }
}

Result<void> Course::write(Documento next, const More& more)
{
    next.marca = make_marca();
    std::optional<Documento> written;
    Instant now{};
    const auto closure = [&](Transaction& transaction) -> Result<void> {
        now = transaction.now();
        if (row_) {
            auto changed = change_estado(transaction, *row_, next);
            if (!changed) return std::unexpected(changed.error());
            written = *std::move(changed);
        } else {
            auto inserted = insert_documento(transaction, next);
            if (!inserted) return std::unexpected(inserted.error());
            written = *std::move(inserted);
        }
        if (!written) {
            auto found = find_by_id_idempotencia(
                transaction, next.tenant_id, next.identidade.id_idempotencia
            );
            if (!found) return std::unexpected(found.error());
            if (*found && (*found)->marca == next.marca) written = *std::move(found);
        }
        if (!written)
            return fail(Errc::lease_lost, "somebody else inserted the document, or its key");
        if (auto ended = write_pending(transaction, *written); !ended) return ended;
        return more ? more(transaction, *written) : Result<void>{};
    };
    // Before the store is asked for its time: a thread that stands still in between must not believe that a
    // call ended earlier than it did.
    Duration tried_at{};
    if (auto done = settle(closure, &tried_at); !done) return done;
    pending_.reset();
    seen_now_ = now;
    seen_boottime_ = tried_at;
    const Estado from = row_ ? row_->estado : written->estado;
    const bool has_new_alert = written->alerta && (!row_ || row_->alerta != written->alerta);
    row_ = *std::move(written);
    tell(EstadoChanged{
        .tenant_id = row_->tenant_id,
        .documento_id = row_->id,
        .id_idempotencia = row_->identidade.id_idempotencia,
        .from = from,
        .to = row_->estado,
        .versao = row_->versao,
    });
    if (has_new_alert) {
        tell(Alert{
            .tenant_id = row_->tenant_id,
            .documento_id = row_->id,
            .id_idempotencia = row_->identidade.id_idempotencia,
            .why = *row_->alerta,
        });
    }
    return {};
}

Result<Permission> Course::permit_enquiry() const
{
    const std::size_t most = authority_.enquiries_per_hour();
    if (most == 0 || !row_) return Permission{};
    constexpr Duration hour = std::chrono::hours{1};
    const Instant since = now() - hour;
    const auto made = modules::read(parts_.database, [&](Transaction& transaction) {
        return enquiries_since(transaction, row_->id, since);
    });
    if (!made) return std::unexpected(made.error());
    if (made->size() < most) return Permission{};
    return Permission{.is_given = false, .wait = (*made)[made->size() - most] - since};
}

Result<Called> Course::consult(Operacao operacao, const Subject& subject)
{
    const auto in_time = permit_enquiry();
    if (!in_time) return std::unexpected(in_time.error());
    if (!in_time->is_given) return NotCalled{*in_time};
    const auto permission = parts_.guard.ask(authority_, subject, GuardedCall::enquiry);
    if (!permission) return std::unexpected(permission.error());
    if (!permission->is_given) return NotCalled{*permission};
    if (auto flushed = flush(); !flushed) return std::unexpected(flushed.error());
    const EitherStop stop{lost_, parts_.cutting};
    Said said = timed(
        operacao,
        [&](const std::stop_token& token) {
            return authority_.consult(subject, parts_.settings.consult_limit, token);
        },
        stop.token()
    );
    if (auto heeded = heed(subject, said); !heeded) return std::unexpected(heeded.error());
    // It is too early to ask, says the adapter: nobody was called.
    if (said.exchanges == 0 && said.word == Word::unknown) return said;
    pending_ = Pending{operacao, std::nullopt, said, *took_};
    return said;
}

Result<void> Course::heed(const Subject& subject, Said& said)
{
    // What was asked beyond the call itself.
    parts_.guard.charge(authority_, subject, std::int64_t{said.exchanges} - 1);
    // A step of the way: whoever asks next need not take it again. A refusal that is not believed yet is
    // asked for again in the same way.
    if (said.word != Word::refused) row_->pista = text_if_any(said.pista);
    if (said.word != Word::throttled) return {};
    const auto blocked = parts_.guard.block(authority_, subject, said.wait);
    if (!blocked) return std::unexpected(blocked.error());
    said.wait = *blocked;
    return {};
}

Result<Called> Course::change(const Subject& subject, Sending sending, const Change& call)
{
    const auto permission = parts_.guard.ask(authority_, subject, GuardedCall::change);
    if (!permission) return std::unexpected(permission.error());
    if (!permission->is_given) return NotCalled{*permission};
    std::optional<std::int64_t> tentativa_id;
    sending.sent.enviado_ate = now() + sending.limit;
    const auto marked = write(
        std::move(sending.sent),
        [&](Transaction& transaction, const Documento& written) -> Result<void> {
            if (sending.more) {
                if (auto done = sending.more(transaction, written); !done) return done;
            }
            return begin_tentativa(
                transaction, written, sending.operacao, sending.xml_sha256, tentativa_id
            );
        }
    );
    if (!marked) return std::unexpected(marked.error());
    sent_until_ = row_->enviado_ate;
    strike(FaultPoint::handler_before_effect);
    if (lost_.stop_requested()) return fail(Errc::lease_lost, "the lease ended before the call");
    const EitherStop stop{lost_, parts_.cutting};
    Said said = timed(sending.operacao, call, stop.token());
    strike(FaultPoint::handler_after_effect);
    sent_until_ = now();
    if (auto heeded = heed(subject, said); !heeded) return std::unexpected(heeded.error());
    pending_ = Pending{sending.operacao, tentativa_id, said, *took_};
    return said;
}

Result<std::optional<LastSaid>> Course::last_said(Operacao operacao) const
{
    std::optional<LastSaid> last;
    if (!row_) return last;
    const auto done = parts_.database.read([&](Transaction& transaction) -> Result<void> {
        auto found = find_last_said(transaction, row_->id, operacao);
        if (!found) return std::unexpected(found.error());
        last = *std::move(found);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return last;
}

Result<void> Course::flush()
{
    if (!pending_ || !row_) return {};
    const auto done = settle([&](Transaction& transaction) -> Result<void> {
        return write_pending(transaction, *row_);
    });
    if (done) pending_.reset();
    return done;
}

Result<void> Course::write_pending(Transaction& transaction, const Documento& documento)
{
    if (!pending_) return {};
    const auto begun = begin_tentativa(
        transaction, documento, pending_->operacao, std::nullopt, pending_->tentativa_id
    );
    if (!begun) return begun;
    return end_tentativa(transaction, *pending_->tentativa_id, pending_->said, pending_->took);
}

Said Course::timed(Operacao operacao, const Change& call, const std::stop_token& stop)
{
    const Duration began = system_clock().boottime();
    called_at_ = now();
    const Said said = call(stop);
    took_ = system_clock().boottime() - began;
    tell(CallMade{
        .tenant_id = row_->tenant_id,
        .documento_id = row_->id,
        .id_idempotencia = row_->identidade.id_idempotencia,
        .authority = authority_.name(),
        .operacao = to_text(operacao),
        .tentativa = ++calls_,
        .said = said,
        .took = *took_,
    });
    return said;
}

void Course::tell(const FiscalEvent& event) const
{
    if (parts_.on_event) parts_.on_event(event);
}

Subject subject_of(const Documento& documento, std::string xml)
{
    return {
        .tipo = documento.identidade.tipo,
        .ambiente = documento.identidade.ambiente,
        .emitente = documento.identidade.emitente,
        .id_autoridade = documento.identidade.id_autoridade.value_or(""),
        .chave = documento.chave_acesso.value_or(""),
        .pista = documento.pista.value_or(""),
        .protocolo = documento.protocolo.value_or(""),
        .xml = std::move(xml),
        .was_sent = documento.tentativas > 0,
    };
}

Documento learnt(const Documento& seen, const Said& said, Estado to)
{
    Documento next = seen;
    next.estado = to;
    next.mensagens = to_json(said.mensagens);
    // Of a document that is not ours nothing is taken over.
    if (!said.chave.empty() && said.is_ours != false) next.chave_acesso = text_if_any(said.chave);
    if (!is_open(to)) next.pista = std::nullopt;
    return next;
}

Duration reconcile_delay(const Settings& settings, std::int64_t conciliacoes)
{
    const Duration first = std::max<Duration>(settings.settle, std::chrono::milliseconds{1});
    Duration most = std::min(first, settings.reconcile_longest);
    for (std::int64_t i = 1; i < conciliacoes && most < settings.reconcile_longest; ++i) most *= 2;
    most = std::min(most, settings.reconcile_longest);
    const double share = 0.5 + unit(system_random()) / 2;
    return std::max(
        std::min(first, settings.reconcile_longest),
        std::chrono::duration_cast<Duration>(most * share)
    );
}

}  // namespace umavez::fiscal
