#include "webhook/inbox/operator_routes.hpp"

#include <algorithm>
#include <iterator>

namespace umavez::webhook {

std::vector<key_protocol::CallRoute> operator_routes(const operators::OperatorNeeds& needs)
{
    std::vector<key_protocol::CallRoute> routes = event_routes(needs);
    std::ranges::move(account_routes(needs), std::back_inserter(routes));
    return routes;
}

}  // namespace umavez::webhook
