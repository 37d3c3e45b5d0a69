#pragma once

// The endpoints of Mailing: /api/v1/mailings and /api/v1/supressoes for tenants, /ops/mailings for
// operators, and /u/{token}, which recipients open. They are added before the server starts; what they do
// then is thread-safe.

#include "http/router.hpp"
#include "key_protocol/protect.hpp"
#include "modules/mailing/orders.hpp"
#include "operators/operator_routes.hpp"

#include <functional>
#include <vector>

namespace umavez::mailing {

// All but the upload, which needs the server's spool (upload_route.hpp).
void add_routes(key_protocol::Api& api, const Premises& premises);

// What operators ask and order, of every tenant they look after. `on_ordered` is called after the commit of
// an order that gives workers something to do.
struct OperatorPremises {
    Premises premises;
    std::function<void()> on_ordered = {};
};
std::vector<key_protocol::CallRoute> operator_routes(
    const operators::OperatorNeeds& needs, const OperatorPremises& premises
);

// GET shows a page with a button and changes nothing; POST unsubscribes. The database outlives the router.
void add_unsubscribe_routes(http::Router& router, Database& database);

}  // namespace umavez::mailing
