#pragma once

// One mailing for each file name, or for each name and content: the transaction behind an upload.
//
// Uploads of one name follow each other (mailing_filenames), so of any number at once one creates
// the mailing, and writes its wake-up, and the others find it. Confined to the thread of the
// transaction.

#include "messaging/messages.hpp"
#include "modules/mailing/entities.hpp"

#include <umavez/transaction.hpp>

#include <functional>
#include <optional>
#include <string>

namespace umavez::mailing {

// messaging::append_message, or what a test puts there.
using AppendMessage =
    std::function<Result<void>(Transaction& transaction, const messaging::QueuedMessage& message)>;

// What tells two uploads apart.
struct UploadIdentity {
    TenantId tenant_id;
    std::string filename;
    std::string content_sha256;
    bool is_by_content = false;  // else by the name alone
};

struct NewMailing {
    UploadIdentity identity;
    std::string uuid;
    std::int64_t content_bytes = 0;
    std::string storage_url;
    std::optional<Message> message;  // nullopt: a draft, which wakes nobody
    Incerteza incerteza = Incerteza::no_maximo_uma;
};

// What became of an upload.
struct Uploaded {
    std::string uuid;
    Status status = Status::draft;
    std::string filename;
    bool created = false;
    bool content_differs = false;  // the mailing of that name has another content
};

// By name: the newest of that name. By content: the one with that content.
Result<std::optional<Uploaded>> find_uploaded(
    Transaction& transaction, const UploadIdentity& identity
);

Result<Uploaded> find_or_create(
    Transaction& transaction, const NewMailing& mailing, const AppendMessage& append
);

// {"mailingId","status","created","filename"[,"contentDiffers":true]}
std::string to_json(const Uploaded& uploaded);

}  // namespace umavez::mailing
