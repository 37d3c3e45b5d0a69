#include "modules/fiscal/emission.hpp"

#include "base/digest.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace umavez::fiscal {
namespace {

constexpr Duration trouble_delay = std::chrono::seconds{5};

// Every version of the bytes that was ever sent, the newest first: the authority may hold any of them.
Result<std::vector<std::string>> sent_versions(Database& database, std::int64_t documento_id)
{
    std::vector<std::string> versions;
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        versions.clear();
        const auto rows = transaction.query(
            "SELECT xml_sha256, max(id) FROM documentos_tentativas "
            "WHERE documento_id = $1 AND operacao = 'emitir' AND xml_sha256 IS NOT NULL "
            "GROUP BY xml_sha256 ORDER BY 2 DESC LIMIT 10",
            {documento_id}
        );
        if (!rows) return std::unexpected(rows.error());
        for (const Row& row : *rows) versions.push_back(row.text(0));
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return versions;
}

Result<std::string> load_xml(
    Database& database, std::int64_t documento_id, const std::string& sha256
)
{
    std::string xml;
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        auto found = get_xml(transaction, documento_id, sha256);
        if (!found) return std::unexpected(found.error());
        xml = *std::move(found);
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return xml;
}

// The bytes of a document and their digest.
struct Bytes {
    std::string xml;
    std::string sha256;
};

Result<Bytes> stored_bytes(Database& database, const Documento& documento)
{
    if (!documento.xml_sha256) return Bytes{};
    auto xml = load_xml(database, documento.id, *documento.xml_sha256);
    if (!xml) return std::unexpected(xml.error());
    return Bytes{*std::move(xml), *documento.xml_sha256};
}

// Asks with the bytes of now; where the authority holds others, with those that were sent before them.
Result<Called> consult_versions(Module& module, Course& course, Bytes& bytes)
{
    auto called = course.consult(Operacao::consultar, subject_of(*course.row(), bytes.xml));
    const auto is_strange = [](const Result<Called>& answer) {
        const auto* const said = answer ? std::get_if<Said>(&*answer) : nullptr;
        return said != nullptr && said->word == Word::authorised && said->is_ours == false;
    };
    if (!is_strange(called)) return called;
    const auto versions = sent_versions(module.database(), course.row()->id);
    if (!versions) return std::unexpected(versions.error());
    for (const std::string& sha256 : *versions) {
        if (sha256 == bytes.sha256) continue;
        auto xml = load_xml(module.database(), course.row()->id, sha256);
        if (!xml) return std::unexpected(xml.error());
        auto other = course.consult(Operacao::consultar, subject_of(*course.row(), *xml));
        if (!other || is_strange(other)) continue;
        const auto* const said = std::get_if<Said>(&*other);
        if (said == nullptr || said->word != Word::authorised) continue;
        bytes = {*std::move(xml), sha256};
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

bool is_in_doubt(Estado estado) noexcept
{
    return estado == Estado::transmitido || estado == Estado::indeterminado;
}

bool is_void(Estado estado) noexcept
{
    return estado == Estado::inutilizacao_pendente || estado == Estado::inutilizado;
}

Ended trouble(const Error& error)
{
    return {.how = How::trouble, .detail = error.detail};
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

// What is known of a document that is emitted, in whatever state it is now, closes its key.
Ended close(Module& module, Lease& lease, const Documento& documento)
{
    const auto done = module.database().transact([&](Transaction& transaction) {
        return lease.finish(transaction, kept_response(documento));
    });
    if (!done) return trouble(done.error());
    return {.how = How::finished, .was_found = true};
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
    if (row && !is_new && !is_in_doubt(row->estado)) return close(module, lease, *row);

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
        auto stored = stored_bytes(module.database(), *row);
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

Response conclude(Lease& lease, const Ended& ended)
{
    // Where these cannot be written the lease runs out, and the record is reconciled by the row.
    switch (ended.how) {
        case How::finished: return {.status = 200};
        case How::gave_up: static_cast<void>(lease.untouched()); break;
        case How::open:
        case How::may_send: static_cast<void>(lease.doubt(ended.detail)); break;
        case How::lost:
        case How::trouble: break;
    }
    return {.status = 503};
}

Result<Driven> emit(
    Module& module, const TenantId& tenant_id, const std::string& id_idempotencia, const Nova* nova
)
{
    std::optional<Ended> ended;
    auto outcome = module.engine().leased(
        request_of(emitir_operation, tenant_id, id_idempotencia),
        [&](Lease& lease) {
            ended = run_emission(module, lease, nova);
            return conclude(lease, *ended);
        }
    );
    if (!outcome) return std::unexpected(outcome.error());
    return Driven{*std::move(outcome), std::move(ended)};
}

Reconciliation reconcile_emission(Module& module, const Enquiry& enquiry)
{
    auto seen = look(module.database(), enquiry.id.tenant_id, enquiry.id.key.text());
    if (!seen) return StillUnknown{trouble_delay, seen.error().detail};
    const std::optional<Documento> row = seen->documento;
    if (!row || was_never_sent(row->estado) || is_void(row->estado)) return DidNotHappen{};
    if (!is_in_doubt(row->estado)) return Happened{kept_response(*row)};
    const TipoParts* const parts = module.find_tipo(row->identidade.tipo);
    if (parts == nullptr) {
        return StillUnknown{module.settings().reconcile_longest, "no authority for this type"};
    }
    auto bytes = stored_bytes(module.database(), *row);
    if (!bytes) return StillUnknown{trouble_delay, bytes.error().detail};
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *parts->authority);
    plan.sends_first = false;
    plan.attempts = 1;
    plan.consult = [&](Course& on) { return consult_versions(module, on, *bytes); };
    plan.amend = [&](Documento& next) { next.xml_sha256 = bytes->sha256; };
    const Ended ended = drive(course, plan);
    switch (ended.how) {
        case How::finished: return Happened{kept_response(*course.row())};
        case How::may_send:
            module.note_absence(enquiry.token, course.row()->versao);
            return DidNotHappen{};
        case How::gave_up: return DidNotHappen{};  // a refusal turned out to be the last word
        case How::open: return StillUnknown{ended.retry_after, ended.detail};
        case How::lost:
        case How::trouble: break;
    }
    return StillUnknown{trouble_delay, ended.detail};
}

Ended ask_about(Module& module, const Documento& documento)
{
    const TipoParts* const parts = module.find_tipo(documento.identidade.tipo);
    if (parts == nullptr) return {.how = How::open, .detail = "no authority for this type"};
    auto seen = look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    if (!seen) return trouble(seen.error());
    if (!seen->documento || seen->documento->versao != documento.versao) return {.how = How::lost};
    auto bytes = stored_bytes(module.database(), documento);
    if (!bytes) return trouble(bytes.error());
    Course course{module.course_parts(), *parts->authority, *std::move(seen), {}};
    Plan plan = plan_of(module, *parts->authority);
    plan.sends_first = false;
    plan.attempts = 1;
    plan.consult = [&](Course& on) { return consult_versions(module, on, *bytes); };
    if (!is_in_doubt(documento.estado)) return verify(course, plan);
    plan.amend = [&](Documento& next) { next.xml_sha256 = bytes->sha256; };
    Ended ended = drive(course, plan);
    if (ended.how != How::may_send) return ended;
    // Nobody may send it: its key says that it was emitted, or that it never will be.
    Documento next = *course.row();
    next.alerta =
        "the record of this document is closed, and the authority does not know the document: "
        "release "
        "the record to have it sent";
    next.conciliar_em = std::nullopt;
    const auto written = course.write(std::move(next));
    if (!written) return {.how = How::lost, .detail = written.error().detail};
    return {.how = How::open};
}

}  // namespace umavez::fiscal
