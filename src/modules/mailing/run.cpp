#include "modules/mailing/run.hpp"

#include "modules/mailing/mailings_table.hpp"
#include "modules/mailing/reopen.hpp"
#include "modules/mailing/send_driver.hpp"
#include "modules/mailing/wake_up.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::mailing {
namespace {

constexpr Duration leaving_delay =
    std::chrono::seconds{1};  // until an owner on its way out is gone
constexpr Duration trouble_delay = std::chrono::seconds{5};  // after a failure that may pass
constexpr int tries_max = 5;

}  // namespace

Result<Disposal> MailingRun::run(
    const messaging::ReceivedMessage& message, const std::stop_token& stop
)
{
    const auto tenant_id = TenantId::parse(message.tenant);
    if (!tenant_id) return Refuse{"its tenant is no name"};
    const auto uuid = mailing_of_wake_up(message.data);
    if (!uuid) return Refuse{"its data names no mailing"};
    if (message.type != wake_up_type) {
        return Refuse{fmt::format("a worker of mailings does not know {}", message.type)};
    }
    // This process may hold it, and may have slept: what it holds itself is not taken from a dead owner.
    if (auto beaten = parts_.held.beat_late(parts_.rules.lock_timeout / 3); !beaten) {
        return std::unexpected(beaten.error());
    }
    const Duration began = parts_.clock.boottime();
    auto locking = lock(*tenant_id, *uuid);
    if (!locking) return std::unexpected(locking.error());
    if (const auto* const other = std::get_if<HeldByOther>(&*locking)) {
        return HoldBack{other->is_leaving() ? leaving_delay : parts_.rules.lock_timeout};
    }
    const auto* const locked = std::get_if<Locked>(&*locking);
    if (locked == nullptr) return Settle{};
    tell(MailingTaken{
        .uuid = *uuid,
        .tenant_id = *tenant_id,
        .status = locked->mailing.status,
        .uncertain = locked->uncertain,
    });
    was_lost_ = false;
    const auto work_while_held = [&] {
        HeldLock held{parts_.held, locked->owner, began};
        return work(*locked, held, stop);
    };
    Disposal disposal = work_while_held();
    tell_end(*locked);
    return disposal;
}

// An unanswered COMMIT is asked for again with the same token: a lock with it is ours.
Result<Locking> MailingRun::lock(const TenantId& tenant_id, const std::string& uuid)
{
    const std::string token = make_lock_token();
    Result<Locking> locking = NothingToDo{};
    for (int i = 0; i < tries_max; ++i) {
        const auto done = parts_.database.transact([&](Transaction& transaction) -> Result<void> {
            locking =
                mailing::try_lock(transaction, tenant_id, uuid, token, parts_.rules.lock_timeout);
            if (!locking) return std::unexpected(locking.error());
            return {};
        });
        if (done) return locking;
        locking = std::unexpected(done.error());
        if (done.error().code != Errc::store_unknown) return locking;
    }
    return locking;
}

Disposal MailingRun::work(const Locked& locked, HeldLock& held, const std::stop_token& stop)
{
    if (!locked.mailing.is_ingested) {
        if (auto disposal = ingest(locked, held, stop)) return *std::move(disposal);
    }
    if (auto disposal = reopen(held, stop)) return *std::move(disposal);
    if (transport_ == nullptr) {
        const Leave step{
            .results = {},
            .next = Status::queued,
            .error = "nenhum servidor de e-mail está configurado (--smtp): nada foi enviado",
        };
        return give_back(held, step, HoldBack{parts_.no_transport_delay});
    }
    return send(locked, held, stop);
}

// Nullopt: every row is in, and the mailing is to be sent.
std::optional<Disposal> MailingRun::ingest(
    const Locked& locked, HeldLock& held, const std::stop_token& stop
)
{
    const auto ingested = parts_.ingest(locked, stop);
    if (!ingested) {
        const Error& error = ingested.error();
        if (is_retryable(error.code)) {
            return give_back(held, {.next = Status::queued}, HoldBack{trouble_delay});
        }
        tell(MailingFault{locked.mailing.uuid, locked.mailing.tenant_id, error.detail});
        if (error.code == Errc::not_found) {
            // It may lie where other workers look: they are to have the mailing.
            const Leave step{
                .results = {},
                .next = Status::queued,
                .error = "o arquivo não está na pasta de envios deste processo (mailing.storage)",
            };
            return give_back(held, step, HoldBack{parts_.no_transport_delay});
        }
        const Leave step{
            .results = {},
            .next = Status::failed,
            .error = "o arquivo não pôde ser lido no servidor; envie-o outra vez, com outro nome",
        };
        return give_back(held, step, Settle{});
    }
    if (const auto* const unusable = std::get_if<Unusable>(&*ingested)) {
        return give_back(held, {.next = Status::failed, .error = unusable->reason}, Settle{});
    }
    if (std::holds_alternative<Stopped>(*ingested)) {
        return give_back(held, {.next = Status::queued}, HoldBack{});
    }
    if (std::holds_alternative<Lost>(*ingested)) return give_back(held, {}, Settle{});
    return std::nullopt;  // with its last row it became PROCESSING
}

std::optional<Disposal> MailingRun::reopen(HeldLock& held, const std::stop_token& stop)
{
    bool has_more = false;
    const auto asked = parts_.database.read([&](Transaction& transaction) -> Result<void> {
        const auto wished = wishes_reopening(transaction, held.owner());
        if (!wished) return std::unexpected(wished.error());
        has_more = *wished;
        return {};
    });
    if (!asked) return give_back(held, {.next = Status::queued}, HoldBack{trouble_delay});
    while (has_more) {
        if (stop.stop_requested()) return give_back(held, {.next = Status::queued}, HoldBack{});
        const Duration began = parts_.clock.boottime();
        const auto done = parts_.database.transact([&](Transaction& transaction) -> Result<void> {
            const auto reopened = reopen_some(transaction, held.owner(), reopen_step);
            if (!reopened) return std::unexpected(reopened.error());
            has_more = *reopened;
            return {};
        });
        // A step is open or it is not: whoever comes next goes on where this one was.
        if (!done && done.error().code == Errc::lease_lost) return give_back(held, {}, Settle{});
        if (!done) return give_back(held, {.next = Status::queued}, HoldBack{trouble_delay});
        held.confirm(began);
    }
    return std::nullopt;
}

Disposal MailingRun::send(const Locked& locked, HeldLock& held, const std::stop_token& stop)
{
    const auto letters = Letters::parse(locked.mailing, parts_.public_url);
    if (!letters) {
        return give_back(held, {.next = Status::failed, .error = letters.error().detail}, Settle{});
    }
    SendDriver driver{parts_, *transport_, *letters, locked, held};
    const Over over = driver.run(stop);
    was_lost_ = over.end == SendingEnd::lost;
    switch (over.end) {
        case SendingEnd::completed:
        case SendingEnd::left:
        case SendingEnd::failed: return Settle{};
        case SendingEnd::put_aside: return HoldBack{over.later};
        case SendingEnd::stopped: return HoldBack{};
        case SendingEnd::lost: return HoldBack{parts_.rules.lock_timeout};
    }
    return Settle{};
}

// Where it cannot be given back the lock goes stale, and the message comes again.
Disposal MailingRun::give_back(HeldLock& held, const Leave& step, Disposal disposal)
{
    for (int i = 0; i < tries_max; ++i) {
        bool is_ours = false;
        const auto done = parts_.database.transact([&](Transaction& transaction) -> Result<void> {
            const auto left = leave(transaction, held.owner(), step);
            if (!left) return std::unexpected(left.error());
            is_ours = *left;
            return {};
        });
        if (done && is_ours) return disposal;
        if (done || !is_retryable(done.error().code)) break;
    }
    was_lost_ = true;
    return HoldBack{parts_.rules.lock_timeout};
}

void MailingRun::tell(const MailingEvent& event) const
{
    if (parts_.on_event) parts_.on_event(event);
}

void MailingRun::tell_end(const Locked& locked) const
{
    if (!parts_.on_event) return;
    std::optional<Mailing> mailing;
    const auto read = parts_.database.read([&](Transaction& transaction) -> Result<void> {
        auto found = find_mailing_head(transaction, locked.mailing.tenant_id, locked.mailing.uuid);
        if (!found) return std::unexpected(found.error());
        mailing = *std::move(found);
        return {};
    });
    if (!read || !mailing) return;
    tell(MailingEnded{
        .uuid = mailing->uuid,
        .tenant_id = mailing->tenant_id,
        .status = mailing->status,
        .counts = mailing->counts,
        .was_lost = was_lost_,
    });
}

}  // namespace umavez::mailing
