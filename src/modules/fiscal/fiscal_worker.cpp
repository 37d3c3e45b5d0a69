#include "modules/fiscal/fiscal_worker.hpp"

#include "modules/fiscal/cancellation.hpp"
#include "modules/fiscal/emission.hpp"

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

}  // namespace

Result<void> work_on(Module& module, const Documento& documento)
{
    const bool emits = is_in_doubt(documento.estado);
    if (!emits && !is_cancelling(documento.estado)) return {};
    // A blocked authority is not asked, and no key is claimed for it.
    if (const TipoParts* const parts = module.find_tipo(documento.identidade.tipo)) {
        const auto blocked = module.guard().find_block(*parts->authority, subject_of(documento));
        if (!blocked) return std::unexpected(blocked.error());
        if (*blocked) return put_off(module, documento, **blocked);
    }
    const auto driven =
        emits ? emit(module, documento.tenant_id, documento.identidade.id_idempotencia)
              : cancel(module, documento);
    if (!driven) return std::unexpected(driven.error());
    if (const auto wait = wait_of(driven->outcome, module.settings())) {
        return put_off(module, documento, *wait);
    }
    if (const auto* const away = std::get_if<Unavailable>(&driven->outcome)) {
        return fail(Errc::store_unavailable, away->detail);
    }
    // The key is closed, and yet the row is open: an operator did that. Who asks learns, and sends nothing.
    if (std::holds_alternative<Replayed>(driven->outcome)) {
        const auto seen =
            look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
        if (!seen) return std::unexpected(seen.error());
        if (!seen->documento || seen->documento->versao != documento.versao) return {};
        const Ended ended = ask_about(module, documento);
        if (ended.how == How::trouble) return fail(Errc::store_unavailable, ended.detail);
        return put_off(module, documento, module.settings().reconcile_longest);
    }
    return {};
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
    std::vector<Documento> due;
    const Settings& settings = module_.settings();
    // No more than can be begun at once: what waits here waits for nobody else.
    const auto done = module_.database().transact([&](Transaction& transaction) -> Result<void> {
        auto found = take_due(transaction, settings.lease + settings.settle, options_.threads);
        if (!found) return std::unexpected(found.error());
        due = *std::move(found);
        return {};
    });
    lock.lock();
    if (!done) {
        trouble_ = done.error().detail;
        return;
    }
    for (Documento& documento : due) taken_.push_back(std::move(documento));
}

void FiscalWorker::note_trouble(std::string detail)
{
    const std::lock_guard guard{mutex_};
    trouble_ = std::move(detail);
}

}  // namespace umavez::fiscal
