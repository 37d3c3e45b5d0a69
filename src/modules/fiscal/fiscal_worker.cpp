#include "modules/fiscal/fiscal_worker.hpp"

#include "modules/fiscal/cancellation.hpp"
#include "modules/fiscal/emission.hpp"
#include "modules/fiscal/voiding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace umavez::fiscal {
namespace {

constexpr Duration soonest = std::chrono::milliseconds{10};

// When the engine lets somebody in again. Nullopt: the row itself knows.
std::optional<Duration> wait_of(const Outcome& outcome, const Settings& settings)
{
    if (const auto* const busy = std::get_if<InProgress>(&outcome)) return busy->retry_after;
    if (const auto* const doubt = std::get_if<InDoubt>(&outcome)) {
        return doubt->retry_after.value_or(settings.reconcile_longest);
    }
    return std::nullopt;
}

Result<void> put_off(Module& module, const Documento& seen, Duration wait)
{
    return module.database().transact([&](Transaction& transaction) -> Result<void> {
        const Instant at = transaction.now() + std::max(wait, soonest);
        return set_conciliar_em(transaction, seen, at);
    });
}

// What the state of a document asks for.
std::string_view operation_for(Estado estado) noexcept
{
    if (is_in_doubt(estado)) return emitir_operation;
    return is_cancelling(estado) ? cancelar_operation : inutilizar_operation;
}

Result<Driven> go_on(
    Module& module,
    std::string_view operation,
    const TenantId& tenant_id,
    const std::string& id,
    When when
)
{
    if (operation == emitir_operation) return emit(module, tenant_id, id, nullptr, when);
    if (operation == cancelar_operation) return cancel(module, tenant_id, id, nullptr, when);
    return void_number(module, tenant_id, id, nullptr, when);
}

// The key is closed, and yet the row is open: an operator resolved it. The authority is asked, and has the
// last word: where it has nothing, the key is opened again for whoever sends.
Result<void> overrule_closed_key(Module& module, const Documento& documento)
{
    const auto seen =
        look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return std::unexpected(seen.error());
    if (!seen->documento || seen->documento->versao != documento.versao) return {};
    // Of a voiding there is nothing to ask: who sends it again is told.
    Ended ended{.how = How::may_send};
    if (is_in_doubt(documento.estado)) ended = ask_about(module, documento);
    if (is_cancelling(documento.estado)) ended = ask_about_cancellation(module, documento);
    if (ended.how == How::trouble) return fail(Errc::store_unavailable, ended.detail);
    if (ended.how != How::may_send) return {};  // the row says when it is looked at again
    const Request request = request_of(
        operation_for(documento.estado), documento.tenant_id, documento.identidade.id_idempotencia
    );
    const auto reopened = module.engine().reopen(
        {request.tenant_id, request.operation, *request.key},
        "it was resolved, and the authority has nothing of it"
    );
    if (!reopened) return std::unexpected(reopened.error());
    return put_off(module, documento, soonest);
}

// A document that is open has a time at which it is looked at, and is none of these.
Result<void> free_one(Module& module, const RecordId& id)
{
    const auto seen = look(module.database(), id.tenant_id, id.key.text());
    if (!seen) return std::unexpected(seen.error());
    if (seen->documento && is_open(seen->documento->estado)) return {};
    const auto driven = go_on(module, id.operation.text(), id.tenant_id, id.key.text(), When::due);
    if (!driven) return std::unexpected(driven.error());
    return {};
}

}  // namespace

Result<void> work_on(Module& module, const Documento& documento, When when)
{
    if (!is_open(documento.estado)) return {};
    // A blocked authority is not asked, and no key is claimed for it.
    if (const TipoParts* const parts = module.find_tipo(documento.identidade.tipo)) {
        const auto blocked = module.guard().find_block(*parts->authority, subject_of(documento));
        if (!blocked) return std::unexpected(blocked.error());
        if (*blocked) return put_off(module, documento, **blocked);
    }
    const auto driven = go_on(
        module,
        operation_for(documento.estado),
        documento.tenant_id,
        documento.identidade.id_idempotencia,
        when
    );
    if (!driven) return std::unexpected(driven.error());
    if (const auto wait = wait_of(driven->outcome, module.settings())) {
        return put_off(module, documento, *wait);
    }
    if (const auto* const away = std::get_if<Unavailable>(&driven->outcome)) {
        return fail(Errc::store_unavailable, away->detail);
    }
    if (std::holds_alternative<Replayed>(driven->outcome)) {
        return overrule_closed_key(module, documento);
    }
    return {};
}

Result<void> free_abandoned(Module& module)
{
    Result<void> all;
    for (const std::string_view name :
         {emitir_operation, cancelar_operation, inutilizar_operation}) {
        RecordsQuery query{.operation = *Operation::parse(name), .status = Status::processing};
        do {
            const auto page = module.engine().records(query);
            if (!page) return std::unexpected(page.error());
            for (const NamedRecord& found : page->records) {
                const auto& ends = found.record.processing_expires_at;
                if (!ends || page->now < *ends + module.settings().settle) continue;
                // One that cannot be freed does not keep the others.
                if (auto freed = free_one(module, found.id); !freed && all) all = freed;
            }
            query.cursor = page->next;
        } while (!query.cursor.empty());
    }
    return all;
}

FiscalWorker::FiscalWorker(Module& module, FiscalWorkerOptions options)
    : module_(module), options_(options), running_(options.threads)
{
    for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { run(); });
}

FiscalWorker::~FiscalWorker()
{
    stop();
}

void FiscalWorker::stop()
{
    {
        std::unique_lock lock{mutex_};
        is_stopping_ = true;
        changed_.notify_all();
        module_.leave();
        const bool is_done =
            changed_.wait_for(lock, options_.stop_grace, [this] { return running_ == 0; });
        if (!is_done) module_.cut();
    }
    for (std::jthread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
    give_back();
}

void FiscalWorker::give_back()
{
    for (const Documento& documento : std::exchange(taken_, {})) {
        // Where that fails, others come when its time of hiding is over.
        static_cast<void>(put_off(module_, documento, soonest));
    }
}

std::optional<std::string> FiscalWorker::take_trouble()
{
    const std::lock_guard guard{mutex_};
    return std::exchange(trouble_, std::nullopt);
}

void FiscalWorker::run()
{
    while (const auto documento = next()) {
        try {
            const auto worked = work_on(module_, *documento);
            if (!worked) note_trouble(worked.error().detail);
        } catch (const std::exception& thrown) {
            note_trouble(fmt::format(
                "documento fiscal {} could not be driven: {}", documento->id, thrown.what()
            ));
        }
    }
    const std::lock_guard guard{mutex_};
    --running_;
    changed_.notify_all();
}

std::optional<Documento> FiscalWorker::next()
{
    std::unique_lock lock{mutex_};
    for (;;) {
        if (is_stopping_) return std::nullopt;
        if (!taken_.empty()) {
            Documento first = std::move(taken_.front());
            taken_.pop_front();
            return first;
        }
        if (is_looking_) {
            changed_.wait(lock);
            continue;
        }
        is_looking_ = true;
        fetch(lock);
        if (taken_.empty()) {
            changed_.wait_for(lock, options_.period, [this] { return is_stopping_; });
        }
        is_looking_ = false;
        changed_.notify_all();
    }
}

void FiscalWorker::fetch(std::unique_lock<std::mutex>& lock)
{
    lock.unlock();
    Result<std::vector<Documento>> due;
    try {
        due = look_for_due();
    } catch (const std::exception& thrown) {
        due = fail(Errc::store_unavailable, thrown.what());
    }
    lock.lock();
    if (!due) {
        trouble_ = due.error().detail;
        return;
    }
    for (Documento& documento : *due) taken_.push_back(std::move(documento));
}

Result<std::vector<Documento>> FiscalWorker::look_for_due()
{
    const Settings& settings = module_.settings();
    const Duration now = system_clock().boottime();
    const auto& looked = looked_for_abandoned_;
    if (!looked || now - *looked >= settings.lease + settings.settle) {
        looked_for_abandoned_ = now;
        if (const auto freed = free_abandoned(module_); !freed) note_trouble(freed.error().detail);
    }
    std::vector<Documento> due;
    // No more than can be begun at once: what waits here waits for nobody else.
    const auto done = module_.database().transact([&](Transaction& transaction) -> Result<void> {
        auto found = take_due(transaction, settings.lease + settings.settle, options_.threads);
        if (!found) return std::unexpected(found.error());
        due = *std::move(found);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return due;
}

void FiscalWorker::note_trouble(std::string detail)
{
    const std::lock_guard guard{mutex_};
    trouble_ = std::move(detail);
}

}  // namespace umavez::fiscal
