#include "messaging/deliver.hpp"

#include "base/random_unit.hpp"
#include "messaging/deliveries_table.hpp"
#include "messaging/destinations_table.hpp"
#include "messaging/secret.hpp"
#include "messaging/webhook.hpp"

#include <algorithm>
#include <utility>

namespace umavez::messaging {
namespace {

using work::Ended;
using work::Item;

// Only the status counts; a short answer is read to its end, out of politeness.
constexpr std::size_t answer_bytes_max = 4096;

Result<Parcel> load(Database& database, const Item& item)
{
    std::optional<Parcel> parcel;
    const auto loaded = database.read([&](Transaction& transaction) -> Result<void> {
        auto found = load_parcel(transaction, item.id);
        if (!found) return std::unexpected(found.error());
        parcel = *std::move(found);
        return {};
    });
    if (!loaded) return std::unexpected(loaded.error());
    if (!parcel) return fail(Errc::not_found, "the delivery is not there any more");
    if (parcel->delivery.run != item.run) {
        return fail(Errc::lease_lost, "the run was ended by somebody else");
    }
    return *std::move(parcel);
}

Verdict send(const Parcel& parcel, const DeliveryOptions& options, const std::stop_token& stop)
{
    const Clock& clock = options.clock != nullptr ? *options.clock : system_clock();
    const Delivery& delivery = parcel.delivery;
    outbound::Call request{.url = delivery.url};
    request.connect_timeout = options.connect_timeout;
    request.total_timeout = options.total_timeout;
    request.body = webhook_body(delivery.type, delivery.happened_at, parcel.data);
    request.headers = webhook_headers(
        split_secrets(parcel.secrets), delivery.message_id, clock.realtime(), request.body
    );
    request.body_bytes_max = answer_bytes_max;
    request.needs_body = false;
    const auto outcome = outbound::call(request, options.outbound, stop);
    return judge(outcome, clock.realtime());
}

Ended to_ended(const Verdict& verdict, const Delivery& delivery, const work::RetryRule& rule)
{
    switch (verdict.kind) {
        case Verdict::Kind::delivered: return {.state = "delivered"};
        case Verdict::Kind::gone: return {.state = "cancelled", .why = verdict.why};
        case Verdict::Kind::cut: return {};  // due at once
        case Verdict::Kind::failed: break;
    }
    Ended ended = work::after_failure(rule, delivery.attempts, verdict.why, unit(system_random()));
    ended.retry_in = std::max(ended.retry_in, verdict.wait_min);
    return ended;
}

// A destination that fails is left alone for a while, whatever is due to it.
Result<void> note_health(
    Transaction& transaction,
    const Delivery& delivery,
    const work::RetryRule& rule,
    const Ended& ended
)
{
    if (ended.is_failure) {
        const auto failures = static_cast<std::uint32_t>(delivery.destination_failures) + 1;
        const Duration pause = work::retry_delay(rule, failures, unit(system_random()));
        return pause_destination(transaction, delivery.destination_id, pause);
    }
    if (ended.state != "delivered" || delivery.destination_failures == 0) return {};
    return resume_destination(transaction, delivery.destination_id);
}

Result<void> deliver(
    Database& database,
    const DeliveryOptions& options,
    const std::stop_token& cut,
    Lease& lease,
    const Item& item
)
{
    const auto parcel = load(database, item);
    if (!parcel) return std::unexpected(parcel.error());
    const Delivery& delivery = parcel->delivery;
    const auto end = [&](const Ended& ended, bool is_gone) {
        return database.transact([&](Transaction& transaction) -> Result<void> {
            if (is_gone) {
                const auto removed = remove_destination(transaction, delivery.destination_id);
                if (!removed) return std::unexpected(removed.error());
            }
            if (auto noted = note_health(transaction, delivery, options.retry, ended); !noted) {
                return noted;
            }
            return work::end_run(transaction, deliveries_table, item, lease, ended);
        });
    };
    // The destination was removed after this was taken.
    if (delivery.is_removed || delivery.state != "pending") {
        return end({.state = "cancelled"}, false);
    }
    std::stop_source stop;
    const std::stop_callback when_cut{cut, [&stop] { stop.request_stop(); }};
    const std::stop_callback when_lost{lease.lost(), [&stop] { stop.request_stop(); }};
    const Verdict verdict = send(*parcel, options, stop.get_token());
    return end(to_ended(verdict, delivery, options.retry), verdict.kind == Verdict::Kind::gone);
}

}  // namespace

work::RunItem make_sender(Database& database, DeliveryOptions options, std::stop_token cut)
{
    return [&database, options = std::move(options), cut = std::move(cut)](
               Lease& lease, const Item& item
           ) { return deliver(database, options, cut, lease, item); };
}

}  // namespace umavez::messaging
