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

// Asks with the bytes of now; where the authority holds others, with those that were sent before them: it
// may hold any of them. That it holds none of ours is told only when all were asked about.
Result<Called> consult_versions(Module& module, Course& course, Bytes& bytes)
{
    const auto is_strange = [](const Said& said) {
        return said.word == Word::authorised && said.is_ours == false;
    };
    auto called = course.consult(Operacao::consultar, subject_of(*course.row(), bytes.xml));
    const auto* const first = called ? std::get_if<Said>(&*called) : nullptr;
    if (first == nullptr || !is_strange(*first)) return called;
    const std::int64_t id = course.row()->id;
    const auto versions = modules::read(module.database(), [id](Transaction& transaction) {
        return sent_versions(transaction, id, Operacao::emitir);
    });
    if (!versions) return std::unexpected(versions.error());
    for (const std::string& sha256 : *versions) {
        if (sha256 == bytes.sha256) continue;
        auto version = modules::read(module.database(), [&](Transaction& transaction) {
            return get_bytes(transaction, id, sha256);
        });
        if (!version) return std::unexpected(version.error());
        auto other = course.consult(Operacao::consultar, subject_of(*course.row(), version->xml));
        const auto* const said = other ? std::get_if<Said>(&*other) : nullptr;
        // An absence now would contradict what was just said, and is no licence to send.
        if (said != nullptr && (is_strange(*said) || said->word == Word::absent)) continue;
        if (said != nullptr && said->word == Word::authorised) bytes = *std::move(version);
        return other;
    }
    return called;
}

Documento first_row(const TenantId& tenant_id, const Nova& nova)
{
    Documento documento{.tenant_id = tenant_id, .identidade = nova.identidade};
    if (nova.key) documento.idempotencia_key = nova.key->text();
    return documento;
}

// Sends the bytes after the row that says so is committed.
Result<Called> send(Course& course, const TenantId& tenant_id, const Nova* nova, const Bytes& bytes)
{
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
    const Subject subject = subject_of(sent, bytes.xml);
    return course.change(
        subject,
        {
            .operacao = Operacao::emitir,
            .sent = sent,
            .xml_sha256 = bytes.sha256,
            .limit = settings.emit_limit,
            .more = [&bytes](Transaction& transaction, const Documento& written) -> Result<void> {
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

bool was_never_sent(Estado estado) noexcept
{
    return estado == Estado::reservado || estado == Estado::rejeitado;
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
    const bool is_new = !row || was_never_sent(row->estado);
    if ((is_new && nova == nullptr) || (row && is_void(row->estado))) return {.how = How::gave_up};
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
    plan.send = [&](Course& on) { return send(on, tenant_id, nova, bytes); };
    plan.consult = [&](Course& on) { return consult_versions(module, on, bytes); };
    plan.amend = [&](Documento& next) { next.xml_sha256 = bytes.sha256; };
    plan.on_final = [&](Transaction& transaction, const Documento& written) {
        return lease.finish(transaction, kept_response(written));
    };
    return drive(course, plan);
}

Result<Driven> emit(
    Module& module, const TenantId& tenant_id, const std::string& id_idempotencia, const Nova* nova
)
{
    return drive_under_lease(
        module,
        emitir_operation,
        tenant_id,
        id_idempotencia,
        [&](Lease& lease) { return run_emission(module, lease, nova); }
    );
}

Reconciliation reconcile_emission(Module& module, const Enquiry& enquiry)
{
    auto seen = look(module.database(), enquiry.id.tenant_id, enquiry.id.key.text());
    if (!seen) return still_unknown(seen.error());
    const std::optional<Documento> row = seen->documento;
    if (!row || was_never_sent(row->estado) || is_void(row->estado)) return DidNotHappen{};
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

Ended ask_about(Module& module, const Documento& documento)
{
    const TipoParts* const parts = module.find_tipo(documento.identidade.tipo);
    if (parts == nullptr) return {.how = How::open, .detail = "no authority for this type"};
    auto seen = look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return trouble(seen.error());
    if (!seen->documento || seen->documento->versao != documento.versao) return {.how = How::lost};
    auto sent = load_sent(module.database(), documento);
    if (!sent) return trouble(sent.error());
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *parts->authority);
    plan.sends_first = false;
    plan.attempts = 1;
    plan.consult = [&](Course& on) { return consult_versions(module, on, *sent); };
    if (!is_in_doubt(documento.estado)) return verify(course, plan);
    plan.amend = [&](Documento& next) { next.xml_sha256 = sent->sha256; };
    Ended ended = drive(course, plan);
    if (ended.how != How::may_send) return ended;
    // Nobody may send it: its key says that it was emitted, or that it never will be.
    Documento next = *course.row();
    next.alerta =
        "the record of this document is closed, and the authority does not know the document: "
        "release the record to have it sent";
    next.conciliar_em = std::nullopt;
    const auto written = course.write(std::move(next));
    if (!written) return {.how = How::lost, .detail = written.error().detail};
    return {.how = How::open};
}

}  // namespace umavez::fiscal
