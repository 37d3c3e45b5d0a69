#include "modules/fiscal/cancellation.hpp"

#include "base/digest.hpp"
#include "modules/parts/read.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal {
namespace {

bool is_over(Estado estado) noexcept
{
    return estado == Estado::cancelado || estado == Estado::substituido;
}

// What is sent: kept before, and the same every time.
struct Pedido {
    std::string justificativa;
    std::string bytes;
    std::string sha256;
};

struct Loaded {
    Pedido pedido;
    std::string xml;                           // what the document was authorised by
    std::optional<Documento> substituto = {};  // the document that took its place
};

// Of the document that took its place, once it is authorised.
std::string chave_substituta(const Loaded& loaded)
{
    return loaded.substituto ? loaded.substituto->chave_acesso.value_or("") : "";
}

Result<Loaded> load(Database& database, const Documento& documento)
{
    return modules::read(database, [&](Transaction& transaction) -> Result<Loaded> {
        Loaded loaded;
        loaded.pedido.justificativa = documento.justificativa.value_or("");
        if (documento.xml_sha256) {
            auto xml = get_xml(transaction, documento.id, *documento.xml_sha256);
            if (!xml) return std::unexpected(xml.error());
            loaded.xml = *std::move(xml);
        }
        if (documento.pedido_sha256) {
            auto bytes = get_xml(transaction, documento.id, *documento.pedido_sha256);
            if (!bytes) return std::unexpected(bytes.error());
            loaded.pedido.bytes = *std::move(bytes);
            loaded.pedido.sha256 = *documento.pedido_sha256;
        }
        if (documento.substituto_id) {
            auto substituto =
                find_documento(transaction, documento.tenant_id, *documento.substituto_id);
            if (!substituto) return std::unexpected(substituto.error());
            // One that came to nothing takes no place.
            const bool is_there = *substituto && !is_final((*substituto)->estado);
            if (is_there) loaded.substituto = *std::move(substituto);
        }
        return loaded;
    });
}

Result<std::string> make_request(
    const Authority& authority,
    const Documento& row,
    const Loaded& loaded,
    const std::string& justificativa,
    Instant now
)
{
    const Subject subject = subject_of(row, loaded.xml);
    if (!loaded.substituto) return authority.make_cancellation(subject, justificativa, now);
    const std::string chave = chave_substituta(loaded);
    if (loaded.substituto->estado != Estado::autorizado || chave.empty()) {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "document {} takes its place and is not authorised yet", loaded.substituto->id
            )
        );
    }
    return authority.make_substitution(subject, justificativa, chave, now);
}

Result<Called> send(Course& course, const Loaded& loaded)
{
    const Pedido& pedido = loaded.pedido;
    const Settings& settings = course.settings();
    Documento sent = *course.row();
    sent.estado = Estado::cancelamento_pendente;
    sent.justificativa = pedido.justificativa;
    sent.pedido_sha256 = pedido.sha256;
    sent.mensagens = "[]";
    sent.conciliar_em = course.now() + settings.lease + settings.settle;
    const Subject subject = subject_of(sent, loaded.xml);
    const Cancelamento cancelamento{pedido.justificativa, pedido.bytes, chave_substituta(loaded)};
    return course.change(
        subject,
        {
            .operacao = Operacao::cancelar,
            .sent = sent,
            .xml_sha256 = pedido.sha256,
            .limit = settings.cancel_limit,
            .more = [&](Transaction& transaction, const Documento& written) -> Result<void> {
                const auto kept = keep_xml(transaction, written.id, pedido.bytes);
                if (!kept) return std::unexpected(kept.error());
                return {};
            },
        },
        [&](const std::stop_token& stop) {
            return course.authority().cancel(subject, cancelamento, settings.cancel_limit, stop);
        }
    );
}

// What was loaded outlives the plan.
Plan plan_of(const Module& module, const Loaded& loaded)
{
    return {
        .change = Act::cancel,
        .enquiry = Act::consult_cancel,
        .consult =
            [&loaded](Course& course) {
                return course.consult(
                    Operacao::consultar_cancelamento, subject_of(*course.row(), loaded.xml)
                );
            },
        // A request that was not registered is forgotten: another one may have another reason.
        .amend =
            [](Documento& next) {
                if (next.estado != Estado::autorizado) return;
                next.justificativa = std::nullopt;
                next.pedido_sha256 = std::nullopt;
            },
        .settle = module.settings().settle,
        .attempts = module.settings().retry.attempts,
    };
}

}  // namespace

Ended run_cancellation(Module& module, Lease& lease, const std::string* justificativa)
{
    auto seen = look(module.database(), lease.id().tenant_id, lease.id().key.text());
    if (!seen) return trouble(seen.error());
    if (!seen->documento) return {.how = How::gave_up};
    const Documento row = *seen->documento;
    if (is_over(row.estado)) return close_key(module, lease, row);
    const bool begins = row.estado == Estado::autorizado && justificativa != nullptr;
    if (!begins && !is_cancelling(row.estado)) return {.how = How::gave_up};
    const TipoParts* const parts = module.find_tipo(row.identidade.tipo);
    if (parts == nullptr) {
        return {.how = begins ? How::gave_up : How::open, .detail = "no authority for this type"};
    }
    auto loaded = load(module.database(), row);
    if (!loaded) return trouble(loaded.error());
    Course course{module.course_parts(), *parts->authority, *std::move(seen), lease.lost()};
    Plan plan = plan_of(module, *loaded);
    if (begins) {
        auto bytes = make_request(*parts->authority, row, *loaded, *justificativa, course.now());
        if (!bytes) return {.how = How::gave_up, .detail = bytes.error().detail};
        loaded->pedido = {*justificativa, *bytes, to_hex(sha256(*bytes))};
    } else {
        plan.sends_first = module.take_absence(lease.token(), row.versao);
    }
    // What somebody else asked for is waited for, and never sent by us.
    if (!loaded->pedido.bytes.empty()) {
        plan.send = [&](Course& on) { return send(on, *loaded); };
    }
    plan.on_final = [&](Transaction& transaction, const Documento& written) {
        return lease.finish(transaction, kept_response(written));
    };
    return drive(course, plan);
}

Result<Driven> cancel(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const std::string* justificativa,
    When when
)
{
    return drive_under_lease(
        module,
        request_of(cancelar_operation, tenant_id, id_idempotencia),
        when,
        [&](Lease& lease) { return run_cancellation(module, lease, justificativa); }
    );
}

Reconciliation reconcile_cancellation(Module& module, const Enquiry& enquiry)
{
    auto seen = look(module.database(), enquiry.id.tenant_id, enquiry.id.key.text());
    if (!seen) return still_unknown(seen.error());
    if (!seen->documento) return DidNotHappen{};
    const Documento row = *seen->documento;
    if (is_over(row.estado)) return Happened{kept_response(row)};
    if (!is_cancelling(row.estado)) return DidNotHappen{};
    const TipoParts* const parts = module.find_tipo(row.identidade.tipo);
    if (parts == nullptr) {
        return StillUnknown{module.settings().reconcile_longest, "no authority for this type"};
    }
    auto loaded = load(module.database(), row);
    if (!loaded) return still_unknown(loaded.error());
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *loaded);
    plan.sends_first = false;
    plan.attempts = 1;
    return to_reconciliation(module, enquiry, course, drive(course, plan));
}

Ended ask_about_cancellation(Module& module, const Documento& documento)
{
    const TipoParts* const parts = module.find_tipo(documento.identidade.tipo);
    if (parts == nullptr) return {.how = How::open, .detail = "no authority for this type"};
    auto seen = look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return trouble(seen.error());
    if (!seen->documento || seen->documento->versao != documento.versao) return {.how = How::lost};
    const auto loaded = load(module.database(), documento);
    if (!loaded) return trouble(loaded.error());
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *loaded);
    plan.sends_first = false;
    plan.attempts = 1;
    return drive(course, plan);
}

}  // namespace umavez::fiscal
