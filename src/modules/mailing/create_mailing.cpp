#include "modules/mailing/create_mailing.hpp"

#include "base/json_object.hpp"
#include "base/json_text.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/mailing/wake_up.hpp"
#include "modules/parts/columns.hpp"

namespace umavez::mailing {
namespace {

Result<void> take_name(Transaction& transaction, const UploadIdentity& identity)
{
    const auto taken = transaction.execute(
        "INSERT INTO mailing_filenames (tenant_id, filename, uploads) VALUES ($1, $2, 1) "
        "ON CONFLICT (tenant_id, filename) DO UPDATE SET uploads = mailing_filenames.uploads + 1",
        {identity.tenant_id.text(), identity.filename}
    );
    if (!taken) return std::unexpected(taken.error());
    return {};
}

Result<void> insert(Transaction& transaction, const NewMailing& mailing, Status status)
{
    const UploadIdentity& identity = mailing.identity;
    const std::optional<Message>& message = mailing.message;
    const auto part = [&message](std::string Message::* field) {
        return message ? Value{(*message).*field} : Value{};
    };
    const std::int64_t now = to_micros(transaction.now());
    const auto inserted = transaction.execute(
        "INSERT INTO mailings (uuid, tenant_id, filename, content_key, content_sha256, "
        "content_bytes, "
        "storage_url, status, assunto, remetente, texto, html, incerteza, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)",
        {mailing.uuid,
         identity.tenant_id.text(),
         identity.filename,
         identity.is_by_content ? identity.content_sha256 : std::string{},
         identity.content_sha256,
         mailing.content_bytes,
         mailing.storage_url,
         std::string{to_text(status)},
         part(&Message::assunto),
         part(&Message::remetente),
         part(&Message::texto),
         part(&Message::html),
         std::string{to_text(mailing.incerteza)},
         now}
    );
    if (!inserted) return std::unexpected(inserted.error());
    return {};
}

}  // namespace

Result<std::optional<Uploaded>> find_uploaded(
    Transaction& transaction, const UploadIdentity& identity
)
{
    std::string sql{select_mailing_head};
    sql += "WHERE tenant_id = $1 AND filename = $2";
    Values parameters{identity.tenant_id.text(), identity.filename};
    if (identity.is_by_content) {
        sql += " AND content_sha256 = $3";
        parameters.emplace_back(identity.content_sha256);
    }
    sql += " ORDER BY id DESC LIMIT 1";
    const auto found = modules::only_row(transaction.query(sql, parameters), to_mailing);
    if (!found) return std::unexpected(found.error());
    if (!*found) return std::nullopt;
    const Mailing& mailing = **found;
    return Uploaded{
        .uuid = mailing.uuid,
        .status = mailing.status,
        .filename = mailing.filename,
        .created = false,
        .content_differs = mailing.content_sha256 != identity.content_sha256,
    };
}

Result<Uploaded> find_or_create(
    Transaction& transaction, const NewMailing& mailing, const AppendMessage& append
)
{
    if (auto taken = take_name(transaction, mailing.identity); !taken)
        return std::unexpected(taken.error());
    auto found = find_uploaded(transaction, mailing.identity);
    if (!found) return std::unexpected(found.error());
    if (*found) return **std::move(found);

    const Status status = mailing.message ? Status::queued : Status::draft;
    if (auto inserted = insert(transaction, mailing, status); !inserted)
        return std::unexpected(inserted.error());
    if (mailing.message) {
        const auto wake_up = wake_up_of(mailing.identity.tenant_id, mailing.uuid);
        if (auto appended = append(transaction, wake_up); !appended)
            return std::unexpected(appended.error());
    }
    return Uploaded{
        .uuid = mailing.uuid,
        .status = status,
        .filename = mailing.identity.filename,
        .created = true,
        .content_differs = false,
    };
}

std::string to_json(const Uploaded& uploaded)
{
    JsonObject json;
    json.raw("mailingId", to_json_text(uploaded.uuid));
    json.raw("status", to_json_text(to_text(uploaded.status)));
    json.raw("created", uploaded.created ? "true" : "false");
    json.raw("filename", to_json_text(uploaded.filename));
    if (uploaded.content_differs) json.raw("contentDiffers", "true");
    return json.str();
}

}  // namespace umavez::mailing
