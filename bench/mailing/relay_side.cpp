#include "mailing/relay_side.hpp"

#include "mailing/mailing_side.hpp"
#include "messaging/broker/broker_relay.hpp"
#include "messaging/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <poll.h>
#include <stdexcept>

namespace umavez::bench {
namespace {

constexpr std::size_t messages_per_closure = 1'000;
constexpr int look_ms = 5;
constexpr auto patience = std::chrono::minutes{10};

Result<void> append_some(Transaction& transaction, std::size_t from, std::size_t to)
{
    for (std::size_t i = from; i < to; ++i) {
        const messaging::QueuedMessage message{
            .tenant_id = *TenantId::parse("default"),
            .queue = "mailing",
            .aggregate = fmt::format("mailing/{}", i),
            .type = "mailing.processar",
            .data = relayed_body(),
        };
        if (auto appended = messaging::append_message(transaction, message); !appended) {
            return appended;
        }
    }
    return {};
}

bool is_pending(Database& database)
{
    bool is_any = false;
    const auto read = database.read([&](Transaction& transaction) -> Result<void> {
        const auto rows =
            transaction.query("SELECT 1 FROM umavez_messages WHERE state = 'pending' LIMIT 1");
        if (!rows) return std::unexpected(rows.error());
        is_any = !rows->empty();
        return {};
    });
    if (!read) throw std::runtime_error(read.error().detail);
    return is_any;
}

}  // namespace

std::string relayed_body()
{
    return R"({"mailingId":"01890a5d-ac96-774b-bcce-b302099a8057"})";
}

double relay_all(const std::string& database, const Publishing& publishing)
{
    MailingSide side{database};
    for (std::size_t from = 0; from < publishing.count; from += messages_per_closure) {
        const std::size_t to = std::min(from + messages_per_closure, publishing.count);
        const auto appended = side.database().transact([&](Transaction& transaction) {
            return append_some(transaction, from, to);
        });
        if (!appended) throw std::runtime_error(appended.error().detail);
    }
    const messaging::BrokerOptions broker{
        .url = fmt::format("amqp://guest:guest@{}:{}", publishing.host, publishing.port),
        .prefix = publishing.prefix,
        .window = publishing.window,
    };
    const auto began = std::chrono::steady_clock::now();
    messaging::BrokerRelay relay{side.database(), broker};
    while (is_pending(side.database())) {
        ::poll(nullptr, 0, look_ms);
        if (std::chrono::steady_clock::now() - began > patience) {
            throw std::runtime_error(relay.take_trouble().value_or("messages stay pending"));
        }
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    relay.stop();
    delete_queues(publishing);
    return seconds;
}

}  // namespace umavez::bench
