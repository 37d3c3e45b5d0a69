#pragma once

// From a file that has arrived to its mailing: kept durably, then one transaction.
//
// An upload may be retried freely: its name, or its name and content, is its identity. The file is
// kept only by the upload that creates the mailing. Where nobody knows whether the transaction
// committed the file stays: either its mailing is there and a retry finds it, or the file is an
// orphan and is removed after a day.
//
// Blocks: never on a thread of the server. Thread-safe.

#include "base/random.hpp"
#include "key_protocol/protect.hpp"
#include "modules/mailing/create_mailing.hpp"
#include "modules/mailing/message_rules.hpp"
#include "modules/mailing/storage.hpp"
#include "modules/mailing/upload_input.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace umavez::mailing {

// What outlives the routes is referred to.
struct UploadNeeds {
    Database& database;
    const Storage& storage;
    AppendMessage append;  // messaging::append_message
    CheckMessage check_message = {};
    std::function<void()> wake = {};  // a message was committed
    bool dedupes_by_content = false;  // where an upload does not say
    std::uint64_t bytes_max = 64 * 1024 * 1024;
    const Clock& clock = system_clock();
    Random& random = system_random();
};

// The problem says what the client did wrong (422). Of an Error, effect_of() tells whether the
// mailing may be there.
Result<key_protocol::OrProblem<Uploaded>> take_upload(
    const UploadNeeds& needs,
    const TenantId& tenant_id,
    const UploadInput& input,
    const std::shared_ptr<const http::SpooledBody>& body,
    http::Language language
);

// POST /api/v1/mailings
void add_upload_route(key_protocol::Api& api, UploadNeeds needs);

}  // namespace umavez::mailing
