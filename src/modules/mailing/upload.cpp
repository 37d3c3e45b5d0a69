#include "modules/mailing/upload.hpp"

#include "base/uuid.hpp"

namespace umavez::mailing {
namespace {

Result<std::optional<Uploaded>> find_earlier(Database& database, const UploadIdentity& identity)
{
    std::optional<Uploaded> found;
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        auto uploaded = find_uploaded(transaction, identity);
        if (!uploaded) return std::unexpected(uploaded.error());
        found = *std::move(uploaded);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return found;
}

Result<Uploaded> commit(const UploadNeeds& needs, const NewMailing& mailing)
{
    std::optional<Uploaded> uploaded;
    const auto done = needs.database.transact([&](Transaction& transaction) -> Result<void> {
        auto made = find_or_create(transaction, mailing, needs.append);
        if (!made) return std::unexpected(made.error());
        uploaded = *std::move(made);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return *std::move(uploaded);
}

}  // namespace

Result<key_protocol::OrProblem<Uploaded>> take_upload(
    const UploadNeeds& needs,
    const TenantId& tenant_id,
    const UploadInput& input,
    const std::shared_ptr<const http::SpooledBody>& body,
    http::Language language
)
{
    const auto staged = needs.storage.stage(body, input.range);
    if (!staged) return std::unexpected(staged.error());
    NewMailing mailing{
        .identity =
            {.tenant_id = tenant_id,
             .filename = input.filename,
             .content_sha256 = staged->sha256,
             .is_by_content = input.dedupes_by_content.value_or(needs.dedupes_by_content)},
        .uuid = make_uuid7(needs.clock.realtime(), needs.random),
        .content_bytes = static_cast<std::int64_t>(input.range.bytes),
        .storage_url = {},
        .message = input.message,
        .incerteza = input.incerteza,
    };
    // A retry needs no second file, and is answered as before even if its message would be refused by now.
    auto earlier = find_earlier(needs.database, mailing.identity);
    if (!earlier) return std::unexpected(earlier.error());
    if (*earlier) return **std::move(earlier);

    if (input.message && needs.check_message) {
        const auto errors = needs.check_message(*input.message, staged->content->path());
        if (!errors) return std::unexpected(errors.error());
        if (!errors->empty()) {
            return key_protocol::OrProblem<Uploaded>{
                std::unexpected(http::validation_problem(*errors, language))
            };
        }
    }
    auto url = needs.storage.keep(*staged, tenant_id, mailing.uuid);
    if (!url) return std::unexpected(url.error());
    mailing.storage_url = *url;
    auto uploaded = commit(needs, mailing);
    const bool is_ours =
        uploaded ? uploaded->created : effect_of(uploaded.error().code) != Effect::none;
    // What stays behind where this fails is an orphan.
    if (!is_ours) static_cast<void>(needs.storage.remove(*url));
    if (!uploaded) return std::unexpected(uploaded.error());
    if (uploaded->created && input.message && needs.wake) needs.wake();
    return *std::move(uploaded);
}

}  // namespace umavez::mailing
