#include "modules/fiscal/voiding.hpp"

#include "base/digest.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"
#include "modules/parts/read.hpp"

#include <charconv>
#include <utility>

namespace umavez::fiscal {
namespace {

Inutilizacao inutilizacao_of(const Documento& documento, Instant asked_at)
{
    const Identidade& identidade = documento.identidade;
    std::int64_t serie = 0;
    std::from_chars(
        identidade.serie.data(), identidade.serie.data() + identidade.serie.size(), serie
    );
    return {
        .tipo = identidade.tipo,
        .ambiente = identidade.ambiente,
        .emitente = identidade.emitente,
        .uf = std::string{uf_of(identidade.id_idempotencia)},
        .ano = static_cast<int>(local_date(asked_at).year()),
        .serie = serie,
        .primeiro = identidade.numero,
        .ultimo = identidade.numero,
        .justificativa = documento.justificativa.value_or(""),
    };
}

// How long a request may still be on its way.
Duration left_under_way(const Documento& documento, const Settings& settings, Instant now)
{
    if (!documento.enviado_ate) return Duration{0};
    return *documento.enviado_ate + settings.settle - now;
}

// What is sent: kept before, and the same every time.
struct Pedido {
    Inutilizacao inutilizacao;
    std::string bytes;
    std::string sha256;
};

Result<std::string> load_bytes(Database& database, const Documento& documento)
{
    return modules::read(database, [&](Transaction& transaction) -> Result<std::string> {
        if (!documento.pedido_sha256) return std::string{};
        return get_xml(transaction, documento.id, *documento.pedido_sha256);
    });
}

Result<Called> send(Course& course, const Pedido& pedido)
{
    const Settings& settings = course.settings();
    Documento sent = *course.row();
    sent.estado = Estado::inutilizacao_pendente;
    sent.justificativa = pedido.inutilizacao.justificativa;
    sent.pedido_sha256 = pedido.sha256;
    sent.mensagens = "[]";
    sent.conciliar_em = course.now() + settings.lease + settings.settle;
    return course.change(
        subject_of(sent),
        {
            .operacao = Operacao::inutilizar,
            .sent = sent,
            .xml_sha256 = pedido.sha256,
            .limit = settings.void_limit,
            .more = [&](Transaction& transaction, const Documento& written) -> Result<void> {
                const auto kept = keep_xml(transaction, written.id, pedido.bytes);
                if (!kept) return std::unexpected(kept.error());
                return {};
            },
        },
        [&](const std::stop_token& stop) {
            return course.authority().void_numbers(
                pedido.inutilizacao, pedido.bytes, settings.void_limit, stop
            );
        }
    );
}

// Of a number that is said to be in use. One that was never sent by us has no name there to be asked by.
Result<Called> consult(Course& course)
{
    if (course.row()->identidade.id_autoridade) {
        return course.consult(Operacao::consultar, subject_of(*course.row()));
    }
    return Said{
        .word = Word::authorised,
        .detail = "the number is in use by a document that was not sent from here",
        .is_ours = false,
    };
}

}  // namespace

Ended run_voiding(Module& module, Lease& lease, const std::string* justificativa)
{
    auto seen = look(module.database(), lease.id().tenant_id, lease.id().key.text());
    if (!seen) return trouble(seen.error());
    if (!seen->documento) return {.how = How::gave_up};
    Documento row = *seen->documento;
    if (row.estado == Estado::inutilizado) return close_key(module, lease, row);
    const bool begins = is_unused(row.estado) && justificativa != nullptr;
    if (!begins && row.estado != Estado::inutilizacao_pendente) return {.how = How::gave_up};
    const TipoParts* const parts = module.find_tipo(row.identidade.tipo);
    if (parts == nullptr) {
        return {.how = begins ? How::gave_up : How::open, .detail = "no authority for this type"};
    }
    Course course{module.course_parts(), *parts->authority, *std::move(seen), lease.lost()};
    Pedido pedido;
    if (begins) {
        row.justificativa = *justificativa;
        pedido.inutilizacao = inutilizacao_of(row, course.now());
        auto bytes = parts->authority->make_voiding(pedido.inutilizacao);
        if (!bytes) return {.how = How::gave_up, .detail = bytes.error().detail};
        pedido.bytes = *std::move(bytes);
    } else {
        const Duration left = left_under_way(row, module.settings(), course.now());
        if (left > Duration{0}) return {.how = How::open, .retry_after = left};
        // The bytes that are kept count, and the year in them.
        pedido.inutilizacao = inutilizacao_of(row, row.updated_at);
        auto bytes = load_bytes(module.database(), row);
        if (!bytes) return trouble(bytes.error());
        pedido.bytes = *std::move(bytes);
    }
    pedido.sha256 = to_hex(sha256(pedido.bytes));
    Plan plan{
        .change = Act::void_number,
        .enquiry = Act::consult,
        .send = [&](Course& on) { return send(on, pedido); },
        .consult = consult,
        // A request that was not registered is forgotten.
        .amend =
            [](Documento& next) {
                if (!is_unused(next.estado)) return;
                next.justificativa = std::nullopt;
                next.pedido_sha256 = std::nullopt;
            },
        .on_final = [&](Transaction& transaction, const Documento& written
                    ) { return lease.finish(transaction, kept_response(written)); },
        .settle = module.settings().settle,
        .attempts = module.settings().retry.attempts,
    };
    return drive(course, plan);
}

Result<Driven> void_number(
    Module& module,
    const TenantId& tenant_id,
    const std::string& id_idempotencia,
    const std::string* justificativa,
    When when
)
{
    return drive_under_lease(
        module,
        request_of(inutilizar_operation, tenant_id, id_idempotencia),
        when,
        [&](Lease& lease) { return run_voiding(module, lease, justificativa); }
    );
}

Reconciliation reconcile_voiding(Module& module, const Enquiry& enquiry)
{
    const auto seen = look(module.database(), enquiry.id.tenant_id, enquiry.id.key.text());
    if (!seen) return still_unknown(seen.error());
    const std::optional<Documento>& row = seen->documento;
    if (row && row->estado == Estado::inutilizado) return Happened{kept_response(*row)};
    if (!row || row->estado != Estado::inutilizacao_pendente) return DidNotHappen{};
    const Duration left = left_under_way(*row, module.settings(), seen->now);
    if (left > Duration{0}) return StillUnknown{left, "the request may still be on its way"};
    return DidNotHappen{};
}

}  // namespace umavez::fiscal
