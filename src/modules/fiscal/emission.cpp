#include "modules/fiscal/emission.hpp"

#include "base/digest.hpp"
#include "modules/parts/read.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal {
namespace {

// The bytes of a document and their digest.
struct Bytes {
    std::string xml;
    std::string sha256;
};

Result<Bytes> get_bytes(Transaction& transaction, std::int64_t documento_id, std::string sha256)
{
    auto xml = get_xml(transaction, documento_id, sha256);
    if (!xml) return std::unexpected(xml.error());
    return Bytes{*std::move(xml), std::move(sha256)};
}

// Of a document that was sent before.
Result<Bytes> load_sent(Database& database, const Documento& documento)
{
    if (!documento.xml_sha256) return Bytes{};
    return modules::read(database, [&](Transaction& transaction) {
        return get_bytes(transaction, documento.id, *documento.xml_sha256);
    });
}

// The version among those that were sent, other than the last, that the authority's document is made of.
Result<std::optional<Bytes>> find_version(
    Module& module, const Course& course, const std::string& given, const Bytes& last
)
{
    using Found = std::optional<Bytes>;
    const std::int64_t id = course.row()->id;
    return modules::read(module.database(), [&](Transaction& transaction) -> Result<Found> {
        const auto versions = sent_versions(transaction, id, Operacao::emitir);
        if (!versions) return std::unexpected(versions.error());
        for (const std::string& sha256 : *versions) {
            if (sha256 == last.sha256) continue;
            auto version = get_bytes(transaction, id, sha256);
            if (!version) return std::unexpected(version.error());
            const auto is_it = course.authority().is_made_of(given, version->xml);
            if (is_it == true) return Found{*std::move(version)};
        }
        return Found{};
    });
}

// Asks what became of it. The authority may hold any version that was sent: that it holds none of ours is
// told only when all were compared. `bytes` are those of the version that it holds, if it does.
Result<Called> consult_versions(Module& module, Course& course, Bytes& bytes)
{
    auto called = course.consult(Operacao::consultar, subject_of(*course.row(), bytes.xml));
    auto* const said = called ? std::get_if<Said>(&*called) : nullptr;
    const bool is_strange =
        said != nullptr && said->word == Word::authorised && said->is_ours == false;
    if (!is_strange) return called;
    auto version = find_version(module, course, said->xml, bytes);
    if (!version) return std::unexpected(version.error());
    if (*version) {
        bytes = **std::move(version);
        said->is_ours = true;
    }
    return called;
}

Documento first_row(const TenantId& tenant_id, const Nova& nova)
{
    Documento documento{.tenant_id = tenant_id, .identidade = nova.identidade};
    if (nova.key) documento.idempotencia_key = nova.key->text();
    return documento;
}

// What a document needs: a number that is free, where it has no row yet, a key that means no other document,
// and the place that it takes. The same was looked at before; now nobody can come in between.
Result<void> admit(
    Module& module, Transaction& transaction, const Documento& sent, const Nova& nova, bool is_first
)
{
    if (is_first && module.needs().check_number) {
        const auto problem = module.needs().check_number(
            transaction, sent.tenant_id, sent.identidade, NumberCheck::before_use
        );
        if (!problem) return std::unexpected(problem.error());
        if (*problem) return fail(Errc::lease_lost, "somebody else took the number");
    }
    if (nova.key) {
        const auto is_kept = keep_key(transaction, sent, nova.key->text());
        if (!is_kept) return std::unexpected(is_kept.error());
        if (!*is_kept) return fail(Errc::lease_lost, "somebody else took the key");
    }
    if (nova.substitui) return replace(transaction, sent, *nova.substitui);
    return {};
}

// Sends the bytes after the row that says so is committed.
Result<Called> send(
    Module& module, Course& course, const TenantId& tenant_id, const Nova* nova, const Bytes& bytes
)
{
    const bool is_first = !course.row();
    Documento sent = course.row() ? *course.row() : first_row(tenant_id, *nova);
    if (nova != nullptr) {
        sent.identidade.id_autoridade = nova->identidade.id_autoridade;
        if (!sent.idempotencia_key && nova->key) sent.idempotencia_key = nova->key->text();
    }
    const Settings& settings = course.settings();
    sent.estado = Estado::transmitido;
    sent.xml_sha256 = bytes.sha256;
    ++sent.tentativas;
    sent.mensagens = "[]";
    sent.alerta = std::nullopt;
    sent.conciliar_em = course.now() + settings.lease + settings.settle;
    Subject subject = subject_of(sent, bytes.xml);
    subject.was_sent = sent.tentativas > 1;
    return course.change(
        subject,
        {
            .operacao = Operacao::emitir,
            .sent = sent,
            .xml_sha256 = bytes.sha256,
            .limit = settings.emit_limit,
            .more = [&](Transaction& transaction, const Documento& written) -> Result<void> {
                if (nova != nullptr) {
                    auto admitted = admit(module, transaction, written, *nova, is_first);
                    if (!admitted) return admitted;
                }
                const auto kept = keep_xml(transaction, written.id, bytes.xml);
                if (!kept) return std::unexpected(kept.error());
                return {};
            },
        },
        [&](const std::stop_token& stop) {
            return course.authority().emit(subject, settings.emit_limit, stop);
        }
    );
}

bool is_void(Estado estado) noexcept
{
    return estado == Estado::inutilizacao_pendente || estado == Estado::inutilizado;
}

Plan plan_of(Module& module, const Authority& authority)
{
    return {
        .change = Act::emit,
        .enquiry = Act::consult,
        .settle = authority.absence_settles_after(),
        .attempts = module.settings().retry.attempts,
    };
}

}  // namespace

Ended run_emission(Module& module, Lease& lease, const Nova* nova)
{
    const TenantId& tenant_id = lease.id().tenant_id;
    auto seen = look(module.database(), tenant_id, lease.id().key.text());
    if (!seen) return trouble(seen.error());
    const std::optional<Documento>& row = seen->documento;
    const bool is_new = !row || is_unused(row->estado);
    if ((is_new && nova == nullptr) || (row && is_void(row->estado))) return {.how = How::gave_up};
    if (is_new && row && row->substituto_id) return {.how = How::gave_up};
    // Emitted it is, whatever became of it since.
    if (row && !is_new && !is_in_doubt(row->estado)) return close_key(module, lease, *row);

    const Tipo tipo = row ? row->identidade.tipo : nova->identidade.tipo;
    const TipoParts* const parts = module.find_tipo(tipo);
    if (parts == nullptr) {
        return {
            .how = is_new ? How::gave_up : How::open,
            .detail = fmt::format("this program knows no authority for {}", to_text(tipo)),
        };
    }
    Bytes bytes;
    Plan plan = plan_of(module, *parts->authority);
    if (is_new) {
        bytes = {nova->xml, to_hex(sha256(nova->xml))};
    } else {
        auto stored = load_sent(module.database(), *row);
        if (!stored) return trouble(stored.error());
        bytes = *std::move(stored);
        plan.sends_first = module.take_absence(lease.token(), row->versao);
        nova = nullptr;  // its bytes are compared when the answer is made
    }
    Course course{module.course_parts(), *parts->authority, *std::move(seen), lease.lost()};
    plan.send = [&](Course& on) { return send(module, on, tenant_id, nova, bytes); };
    plan.consult = [&](Course& on) { return consult_versions(module, on, bytes); };
    plan.amend = [&](Documento& next) { next.xml_sha256 = bytes.sha256; };
    plan.on_final = [&](Transaction& transaction, const Documento& written) {
        return lease.finish(transaction, kept_response(written));
    };
    return drive(course, plan);
}

Result<Driven> emit(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const Nova* nova,
    When when
)
{
    return drive_under_lease(
        module,
        request_of(emitir_operation, tenant_id, id_idempotencia),
        when,
        [&](Lease& lease) { return run_emission(module, lease, nova); }
    );
}

Reconciliation reconcile_emission(Module& module, const Enquiry& enquiry)
{
    auto seen = look(module.database(), enquiry.id.tenant_id, enquiry.id.key.text());
    if (!seen) return still_unknown(seen.error());
    const std::optional<Documento> row = seen->documento;
    if (!row || is_unused(row->estado) || is_void(row->estado)) return DidNotHappen{};
    if (!is_in_doubt(row->estado)) return Happened{kept_response(*row)};
    const TipoParts* const parts = module.find_tipo(row->identidade.tipo);
    if (parts == nullptr) {
        return StillUnknown{module.settings().reconcile_longest, "no authority for this type"};
    }
    auto sent = load_sent(module.database(), *row);
    if (!sent) return still_unknown(sent.error());
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *parts->authority);
    plan.sends_first = false;
    plan.attempts = 1;
    plan.consult = [&](Course& on) { return consult_versions(module, on, *sent); };
    plan.amend = [&](Documento& next) { next.xml_sha256 = sent->sha256; };
    return to_reconciliation(module, enquiry, course, drive(course, plan));
}

Ended ask_about(Module& module, const Documento& documento, const Nova* nova)
{
    const TipoParts* const parts = module.find_tipo(documento.identidade.tipo);
    if (parts == nullptr) return {.how = How::open, .detail = "no authority for this type"};
    auto seen = look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return trouble(seen.error());
    if (!seen->documento || seen->documento->versao != documento.versao) return {.how = How::lost};
    auto bytes = load_sent(module.database(), documento);
    if (!bytes) return trouble(bytes.error());
    if (nova != nullptr) *bytes = {nova->xml, to_hex(sha256(nova->xml))};
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *parts->authority);
    plan.sends_first = false;
    plan.attempts = 1;
    plan.consult = [&](Course& on) { return consult_versions(module, on, *bytes); };
    plan.amend = [&](Documento& next) {
        if (!bytes->xml.empty() && next.estado == Estado::autorizado) {
            next.xml_sha256 = bytes->sha256;
        }
    };
    plan.on_final = [&](Transaction& transaction, const Documento& written) -> Result<void> {
        if (bytes->xml.empty()) return {};
        const auto kept = keep_xml(transaction, written.id, bytes->xml);
        if (!kept) return std::unexpected(kept.error());
        return {};
    };
    return is_in_doubt(documento.estado) ? drive(course, plan) : verify(course, plan);
}

}  // namespace umavez::fiscal
