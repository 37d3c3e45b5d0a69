#pragma once

// What a tenant or an operator orders of a mailing: start, pause, go on, give up, try failed ones again,
// and the change of a draft's message. Each is one transaction; an order that gives workers something to do
// writes their wake-up in it.
//
// A pause or an end only changes the status: the worker that holds the mailing finds it before its next
// batch. Confined to the thread of the transaction.

#include "http/language.hpp"
#include "modules/mailing/answers.hpp"
#include "modules/mailing/input.hpp"

#include <umavez/transaction.hpp>

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

// What the rules need to know of the deployment.
struct Premises {
    // The columns of an uploaded file, by its `storage_url`. Reads one line of it: called inside a
    // transaction.
    std::function<Result<std::vector<std::string>>(const std::string& storage_url)> read_columns;
    bool has_public_url = false;
};

// Who orders what of which.
struct MailingOrder {
    TenantId tenant_id;
    std::string uuid;
    Order order = Order::pausar;
    bool incertas = false;  // reenviar_falhas: those whose fate is unknown too
    http::Language language = http::Language::english;
};

// The mailing as the order left it, or the client's problem.
using Ordered = Result<std::expected<Mailing, http::Problem>>;

Ordered run_order(Transaction& transaction, const MailingOrder& order, const Premises& premises);

Ordered change_message(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string_view uuid,
    const MessageChanges& changes
);

}  // namespace umavez::mailing
