#include "app/mailing_desk.hpp"

#include "app/mailings.hpp"
#include "base/file.hpp"
#include "base/json_object.hpp"
#include "base/random.hpp"
#include "base/shown.hpp"
#include "base/uuid.hpp"
#include "http/parameters.hpp"
#include "modules/mailing/ingest.hpp"
#include "modules/mailing/wake_up.hpp"
#include "operators/body_fields.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

namespace umavez {
namespace {

using key_protocol::Exchange;
using key_protocol::UploadForm;
using mailing::Locked;
using operators::Answer;
using operators::OperatorNeeds;
using operators::problem_of;

constexpr std::array<const char*, 6> field_names = {
    "assunto", "remetente", "texto", "html", "incerteza", "dedupe"
};

http::Problem wrong(const std::string& field, const std::string& sentence, const Exchange& exchange)
{
    return http::validation_problem({{field, {sentence, sentence}}}, exchange.language);
}

// A copy without a name beside the others: what happens to the file afterwards changes nothing.
Result<std::shared_ptr<const http::SpooledBody>> copy_file(
    const std::string& path, const mailing::Storage& storage, std::uint64_t bytes_max
)
{
    constexpr std::size_t block_bytes = 1024 * 1024;
    const auto source = File::open(path);
    if (!source) return std::unexpected(source.error());
    auto copy = File::make_unnamed(storage.folder());
    if (!copy) return std::unexpected(copy.error());
    std::string block(block_bytes, '\0');
    std::uint64_t bytes = 0;
    for (;;) {
        const auto read = source->read_at(bytes, block);
        if (!read) return std::unexpected(read.error());
        if (*read == 0) break;
        bytes += *read;
        if (bytes > bytes_max) {
            return fail(
                Errc::limit_exceeded,
                "the file is larger than mailing.upload_max; raise it or split the file"
            );
        }
        const auto written = copy->append(std::string_view{block}.substr(0, *read));
        if (!written) return std::unexpected(written.error());
    }
    return std::make_shared<const http::SpooledBody>(*std::move(copy), bytes);
}

// As a form would have sent it: the same rules hold.
UploadForm to_form(const Exchange& exchange, std::uint64_t bytes)
{
    UploadForm form;
    form.files.push_back(
        {.name = "file",
         .filename = operators::find_text(exchange, "filename").value_or(""),
         .content_type = "text/csv",
         .offset = 0,
         .bytes = bytes}
    );
    for (const char* const name : field_names) {
        if (auto text = operators::find_text(exchange, name)) {
            form.fields.emplace_back(name, *std::move(text));
        }
    }
    return form;
}

Answer import_file(
    const OperatorNeeds& needs,
    const Settings& settings,
    const std::function<void()>& on_imported,
    const Exchange& exchange
)
{
    const auto path = operators::find_text(exchange, "path");
    if (!path || !path->starts_with('/')) {
        return std::unexpected(wrong("path", "must be the whole path of a file", exchange));
    }
    const auto tenant = TenantId::parse(operators::find_text(exchange, "tenant").value_or(""));
    if (!tenant) return std::unexpected(wrong("tenant", tenant.error().detail, exchange));
    const auto storage = open_storage(settings, needs.database);
    if (!storage) return std::unexpected(problem_of(storage.error()));
    const auto body = copy_file(*path, *storage, settings.mailing.upload_bytes_max);
    if (!body) return std::unexpected(wrong("path", body.error().detail, exchange));
    const auto input =
        mailing::read_form_upload(to_form(exchange, (*body)->bytes()), {}, exchange.language);
    if (!input) return std::unexpected(input.error());
    const mailing::UploadNeeds upload =
        upload_needs(settings, needs.database, *storage, on_imported);
    const auto uploaded = mailing::take_upload(upload, *tenant, *input, *body, exchange.language);
    if (!uploaded) return std::unexpected(problem_of(uploaded.error()));
    if (!*uploaded) return std::unexpected(uploaded->error());
    return operators::ok(mailing::to_json(**uploaded));
}

// Under a lock that nobody else has.
Result<std::optional<Locked>> lock(
    Database& database, const std::string& uuid, const Settings& settings
)
{
    std::optional<Locked> locked;
    const auto done = database.transact([&](Transaction& transaction) -> Result<void> {
        locked.reset();
        const auto rows = transaction.query(
            "SELECT tenant_id FROM mailings WHERE uuid = $1 AND is_ingested = 0", {uuid}
        );
        if (!rows) return std::unexpected(rows.error());
        if (rows->empty()) return {};
        const auto tenant = TenantId::parse(rows->front().text(0));
        if (!tenant) return std::unexpected(tenant.error());
        auto taken = mailing::try_lock(
            transaction,
            *tenant,
            uuid,
            make_uuid7(system_clock().realtime(), system_random()),
            settings.mailing.lock_timeout
        );
        if (!taken) return std::unexpected(taken.error());
        if (auto* const got = std::get_if<Locked>(&*taken)) locked = std::move(*got);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return locked;
}

// What the mailing is left as.
struct Left {
    mailing::Status status = mailing::Status::queued;
    std::optional<std::string> error;
};

Left left_after(const Result<mailing::Ingested>& ingested)
{
    if (!ingested) return {mailing::Status::queued, ingested.error().detail};
    if (const auto* const unusable = std::get_if<mailing::Unusable>(&*ingested)) {
        return {mailing::Status::failed, unusable->reason};
    }
    return {};
}

Answer ingest_here(const OperatorNeeds& needs, const Settings& settings, const Exchange& exchange)
{
    const std::string uuid{http::get_parameter(exchange.request, "id")};
    const auto locked = lock(needs.database, uuid, settings);
    if (!locked) return std::unexpected(problem_of(locked.error()));
    if (!*locked) {
        return std::unexpected(http::Problem{
            .name = "invalid-transition",
            .detail =
                {"there is nothing to read, or somebody else reads it",
                 "não há o que ler, ou outro já lê"},
        });
    }
    const auto ingested = ingest_file(settings, needs.database, **locked, needs.stopping);
    const Left left = left_after(ingested);
    const auto released = needs.database.transact([&](Transaction& transaction) -> Result<void> {
        const auto given_back =
            mailing::release_lock(transaction, (*locked)->owner, left.status, left.error);
        if (!given_back) return std::unexpected(given_back.error());
        if (!*given_back || left.status != mailing::Status::queued) return {};
        // Whoever was woken by the first one meanwhile came in vain, and waits.
        return mailing::write_wake_up(transaction, (*locked)->mailing.tenant_id, uuid);
    });
    if (!ingested) return std::unexpected(problem_of(ingested.error()));
    if (!released) return std::unexpected(problem_of(released.error()));
    return operators::ok(JsonObject{}.text("status", mailing::to_text(left.status)).str());
}

http::Route declare_import()
{
    http::Route route = operators::declare(
        "POST", "/ops/mailings/import", "ops.mailings.import", "Take a file of this machine"
    );
    route.body = http::Body{.schema = http::any()};
    route.answers.push_back({.status = 200, .description = "what became of it"});
    route.problems.emplace_back("validation");
    return route;
}

http::Route declare_ingest()
{
    http::Route route = operators::declare(
        "POST",
        "/ops/mailings/{id}/ingest",
        "ops.mailings.ingest",
        "Read the file of a mailing here"
    );
    route.answers.push_back({.status = 200, .description = "every line is in"});
    route.problems.emplace_back("invalid-transition");
    return route;
}

}  // namespace

std::vector<key_protocol::CallRoute> local_mailing_routes(
    const OperatorNeeds& needs, const Settings& settings, std::function<void()> on_imported
)
{
    std::vector<key_protocol::CallRoute> routes;
    routes.push_back(
        {.route = declare_import(),
         .role = access::Role::operator_,
         .call = [needs, settings, on_imported = std::move(on_imported)](const Exchange& exchange)
             -> Task<Answer> { co_return import_file(needs, settings, on_imported, exchange); }}
    );
    routes.push_back(
        {.route = declare_ingest(),
         .role = access::Role::operator_,
         .call = [needs, settings](const Exchange& exchange) -> Task<Answer> {
             co_return ingest_here(needs, settings, exchange);
         }}
    );
    return routes;
}

}  // namespace umavez
