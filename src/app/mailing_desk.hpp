#pragma once

// What only somebody on the machine of the database may order of mailings: to take a file from its disk,
// and to read one in the process that is asked. Both block the thread that asks. The routes are
// thread-safe.

#include "app/settings.hpp"
#include "modules/mailing/upload.hpp"
#include "operators/operator_routes.hpp"

#include <functional>
#include <vector>

namespace umavez {

// POST /ops/mailings/import {"path","filename","tenant", …the fields of an upload}
// POST /ops/mailings/{id}/ingest
std::vector<key_protocol::CallRoute> local_mailing_routes(
    const operators::OperatorNeeds& needs,
    const Settings& settings,
    std::function<void()> on_imported
);

}  // namespace umavez
