#include "app/webhooks.hpp"

#include "messaging/deliveries_table.hpp"
#include "modules/cobranca/provider_events/handlers.hpp"
#include "operators/desk.hpp"
#include "outbound/call.hpp"
#include "webhook/schemes/mercadopago.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez {
namespace {

using webhook::InboxRow;
using webhook::KnownProvider;
using webhook::KnownProviders;
using webhook::Provider;

// Mercado Pago signs no bodies: the payment is what its API says.
webhook::Fetch payment_of_mercadopago(const Provider& provider)
{
    return [api = provider.api, token = provider.api_token](const InboxRow& event
           ) -> std::expected<std::string, std::string> {
        if (token.empty()) {
            return std::unexpected(
                "set api_token or api_token_env of this provider: payments are asked for"
            );
        }
        const auto resource = webhook::find_mercadopago_resource(event.event_id);
        if (!resource) return std::unexpected("the notification signed no data.id");
        const outbound::Call call{
            .method = "GET",
            .url = fmt::format("{}/v1/payments/{}", api, operators::percent_encode(*resource)),
            .headers = {{"Authorization", "Bearer " + token}, {"Accept", "application/json"}},
            // Its threads are everybody's.
            .connect_timeout = std::chrono::seconds{2},
            .total_timeout = std::chrono::seconds{5},
            .body_bytes_max = 1024 * 1024,
        };
        // The operator wrote the address, not a tenant.
        const auto reply = outbound::call(call, {.allow_private = true});
        if (!reply) return std::unexpected("asking for the payment: " + reply.error().detail);
        if (reply->status != 200) {
            return std::unexpected(
                fmt::format("asking for the payment: the API answered {}", reply->status)
            );
        }
        return reply->body;
    };
}

KnownProviders known_providers(const std::vector<Provider>& providers)
{
    KnownProviders known;
    for (const Provider& provider : providers) {
        // Two names of one scheme.
        KnownProvider entry{provider.scheme == "svix" ? "standard-webhooks" : provider.scheme};
        if (provider.scheme == "mercadopago") entry.fetch = payment_of_mercadopago(provider);
        known.emplace(provider.name, std::move(entry));
    }
    return known;
}

Duration lease_of(const std::vector<OperationSpec>& operations, std::string_view name)
{
    const auto found = std::ranges::find(operations, name, &OperationSpec::name);
    return found == operations.end() ? Policy{}.lease : found->policy.lease;
}

}  // namespace

std::vector<OperationSpec> worker_operations()
{
    return {
        work::operation_of(webhook::inbox_work, {}),
        messaging::relay_operation({}),
    };
}

Result<Webhooks> make_webhooks(
    const Settings& settings,
    Engine& engine,
    Database& database,
    const std::vector<OperationSpec>& operations,
    OnProcessed on_processed
)
{
    const std::vector<Provider> providers = settings.webhook.providers();
    auto schemes = webhook::make_schemes(providers);
    if (!schemes) return std::unexpected(schemes.error());
    auto handlers = std::make_shared<webhook::EventHandlers>();
    cobranca::add_event_handlers(*handlers, engine);

    const work::RetryRule retries{
        .longest = settings.webhook.retry_longest, .attempts_max = settings.webhook.attempts_max
    };
    Webhooks webhooks;
    webhooks.schemes = std::make_shared<const webhook::Schemes>(*std::move(schemes));
    webhooks.processor = webhook::make_processor({
        .engine = engine,
        .database = database,
        .handlers = std::move(handlers),
        .providers = std::make_shared<const KnownProviders>(known_providers(providers)),
        .retries = retries,
        .on_processed = on_processed,
    });
    webhooks.inbox = {
        .threads = settings.webhook.threads,
        .lease = lease_of(operations, webhook::inbox_work.operation),
        .retention = settings.webhook.retention,
        .retries = retries,
        .on_processed = std::move(on_processed),
    };
    for (const Provider& provider : providers) webhooks.inbox.providers.push_back(provider.name);
    webhooks.relay.threads = settings.webhook.threads;
    webhooks.relay.lease = lease_of(operations, messaging::deliveries_table.operation);
    webhooks.relay.retention = settings.webhook.retention;
    webhooks.relay.delivery.outbound.allow_private = settings.webhook.allow_private_destinations;
    return webhooks;
}

std::vector<std::string> WebhookWorkers::take_troubles()
{
    std::vector<std::string> troubles;
    if (auto trouble = inbox_.take_trouble()) troubles.push_back("inbox: " + *trouble);
    if (auto trouble = relay_.take_trouble()) troubles.push_back("outbox: " + *trouble);
    return troubles;
}

}  // namespace umavez
