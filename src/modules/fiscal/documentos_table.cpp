#include "modules/fiscal/documentos_table.hpp"

#include "base/digest.hpp"
#include "base/random.hpp"
#include "base/uuid.hpp"
#include "modules/parts/columns.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal {
namespace {

constexpr std::string_view select =
    "SELECT id, tenant_id, tipo, ambiente, emitente, serie, numero, id_autoridade, "
    "id_idempotencia, "
    "idempotencia_key, estado, versao, marca, xml_sha256, chave_acesso, protocolo, "
    "autorizado_sha256, "
    "justificativa, pedido_sha256, protocolo_cancelamento, evento_sha256, mensagens, tentativas, "
    "conciliacoes, enviado_ate, conciliar_em, alerta, prazo_inutilizacao, reservado_em, "
    "autorizado_em, "
    "cancelado_em, created_at, updated_at, pista, "
    "substituto_id FROM documentos_fiscais ";

using modules::text_at;
using modules::to_value;

std::optional<Instant> instant_at(const Row& row, std::size_t column)
{
    return row.is_null(column) ? std::nullopt : std::optional{from_micros(row.integer(column))};
}

Value to_value(std::optional<Instant> instant)
{
    return instant ? Value{to_micros(*instant)} : Value{};
}

Result<Documento> to_documento(const Row& row)
{
    const auto tenant_id = TenantId::parse(row.text(1));
    const auto tipo = parse_tipo(row.text(2));
    const auto ambiente = parse_ambiente(row.text(3));
    const auto estado = parse_estado(row.text(10));
    if (!tenant_id || !tipo || !ambiente || !estado) {
        return fail(
            Errc::corrupt_record,
            fmt::format(
                "tenant_id, tipo, ambiente or estado of documento fiscal {} cannot be read",
                row.integer(0)
            )
        );
    }
    return Documento{
        .id = row.integer(0),
        .tenant_id = *tenant_id,
        .identidade =
            {
                .tipo = *tipo,
                .ambiente = *ambiente,
                .emitente = row.text(4),
                .serie = row.text(5),
                .numero = row.integer(6),
                .id_idempotencia = row.text(8),
                .id_autoridade = text_at(row, 7),
            },
        .idempotencia_key = text_at(row, 9),
        .estado = *estado,
        .versao = row.integer(11),
        .marca = row.text(12),
        .xml_sha256 = text_at(row, 13),
        .chave_acesso = text_at(row, 14),
        .pista = text_at(row, 33),
        .protocolo = text_at(row, 15),
        .autorizado_sha256 = text_at(row, 16),
        .justificativa = text_at(row, 17),
        .pedido_sha256 = text_at(row, 18),
        .protocolo_cancelamento = text_at(row, 19),
        .evento_sha256 = text_at(row, 20),
        .mensagens = row.text(21),
        .tentativas = row.integer(22),
        .conciliacoes = row.integer(23),
        .enviado_ate = instant_at(row, 24),
        .conciliar_em = instant_at(row, 25),
        .alerta = text_at(row, 26),
        .prazo_inutilizacao = text_at(row, 27),
        .reservado_em = instant_at(row, 28),
        .autorizado_em = instant_at(row, 29),
        .cancelado_em = instant_at(row, 30),
        .created_at = from_micros(row.integer(31)),
        .updated_at = from_micros(row.integer(32)),
        .substituto_id = row.is_null(34) ? std::nullopt : std::optional{row.integer(34)},
    };
}

constexpr modules::EntityRows<Documento> rows_of{select, to_documento};

// What may change, in the order of both statements below, from $1 on.
Values changing_values(const Documento& documento)
{
    return {
        to_value(documento.identidade.id_autoridade),
        to_value(documento.idempotencia_key),
        std::string{to_text(documento.estado)},
        documento.versao,
        documento.marca,
        to_value(documento.xml_sha256),
        to_value(documento.chave_acesso),
        to_value(documento.protocolo),
        to_value(documento.autorizado_sha256),
        to_value(documento.justificativa),
        to_value(documento.pedido_sha256),
        to_value(documento.protocolo_cancelamento),
        to_value(documento.evento_sha256),
        documento.mensagens,
        documento.tentativas,
        documento.conciliacoes,
        to_value(documento.enviado_ate),
        to_value(documento.conciliar_em),
        to_value(documento.alerta),
        to_value(documento.prazo_inutilizacao),
        to_value(documento.reservado_em),
        to_value(documento.autorizado_em),
        to_value(documento.cancelado_em),
        to_micros(documento.updated_at),
        to_value(documento.pista),
        documento.substituto_id ? Value{*documento.substituto_id} : Value{},
    };
}

}  // namespace

std::string make_marca()
{
    return make_uuid7(system_clock().realtime(), system_random());
}

Result<std::optional<Documento>> insert_documento(Transaction& transaction, Documento documento)
{
    documento.versao = 1;
    documento.created_at = transaction.now();
    documento.updated_at = transaction.now();
    if (documento.marca.empty()) documento.marca = make_marca();
    const Identidade& identidade = documento.identidade;
    Values values = changing_values(documento);
    const Values fixed{
        documento.tenant_id.text(),
        std::string{to_text(identidade.tipo)},
        std::string{to_text(identidade.ambiente)},
        identidade.emitente,
        identidade.serie,
        identidade.numero,
        identidade.id_idempotencia,
        to_micros(documento.created_at),
    };
    values.insert(values.end(), fixed.begin(), fixed.end());
    const auto id = transaction.insert(
        "INSERT INTO documentos_fiscais (id_autoridade, idempotencia_key, estado, versao, marca, "
        "xml_sha256, chave_acesso, protocolo, autorizado_sha256, justificativa, pedido_sha256, "
        "protocolo_cancelamento, evento_sha256, mensagens, tentativas, conciliacoes, enviado_ate, "
        "conciliar_em, alerta, prazo_inutilizacao, reservado_em, autorizado_em, cancelado_em, "
        "updated_at, pista, substituto_id, tenant_id, tipo, ambiente, emitente, serie, numero, "
        "id_idempotencia, "
        "created_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
        "$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34) "
        "ON CONFLICT DO NOTHING",
        values
    );
    if (!id) return std::unexpected(id.error());
    if (!*id) return std::nullopt;
    documento.id = **id;
    return documento;
}

Result<std::optional<Documento>> insert_reserved(
    Transaction& transaction, const TenantId& tenant_id, const Reserva& reserva
)
{
    return insert_documento(
        transaction,
        {
            .tenant_id = tenant_id,
            .identidade = reserva.identidade,
            .estado = Estado::reservado,
            .prazo_inutilizacao = reserva.prazo_inutilizacao,
            .reservado_em = transaction.now(),
        }
    );
}

Result<Documento> change_estado(Transaction& transaction, const Documento& seen, Documento next)
{
    if (seen.estado != next.estado && !may_become(seen.estado, next.estado)) {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "documento fiscal {} cannot become {} from {}",
                seen.id,
                to_text(next.estado),
                to_text(seen.estado)
            )
        );
    }
    next.versao = seen.versao + 1;
    next.updated_at = transaction.now();
    Values values = changing_values(next);
    values.emplace_back(seen.id);
    values.emplace_back(seen.versao);
    const auto changed = transaction.execute(
        "UPDATE documentos_fiscais SET id_autoridade = $1, idempotencia_key = $2, estado = $3, "
        "versao = $4, marca = $5, xml_sha256 = $6, chave_acesso = $7, protocolo = $8, "
        "autorizado_sha256 = $9, justificativa = $10, pedido_sha256 = $11, "
        "protocolo_cancelamento = $12, evento_sha256 = $13, mensagens = $14, tentativas = $15, "
        "conciliacoes = $16, enviado_ate = $17, conciliar_em = $18, alerta = $19, "
        "prazo_inutilizacao = $20, reservado_em = $21, autorizado_em = $22, cancelado_em = $23, "
        "updated_at = $24, pista = $25, substituto_id = $26 "
        "WHERE id = $27 AND versao = $28",
        values
    );
    if (!changed) return std::unexpected(changed.error());
    if (*changed == 1) return next;
    // An earlier run of the same write may have been committed although nobody told us.
    const auto found = rows_of.find_by_id(transaction, seen.id);
    if (!found) return std::unexpected(found.error());
    if (*found && (*found)->versao == next.versao && (*found)->marca == next.marca) return **found;
    return fail(
        Errc::lease_lost, fmt::format("documento fiscal {} was changed by somebody else", seen.id)
    );
}

Result<std::optional<Documento>> find_documento(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Documento>> find_by_id_idempotencia(
    Transaction& transaction, const TenantId& tenant_id, std::string_view id_idempotencia
)
{
    return rows_of.only(
        transaction,
        "WHERE tenant_id = $1 AND id_idempotencia = $2",
        {tenant_id.text(), std::string{id_idempotencia}}
    );
}

Result<std::optional<Documento>> find_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
)
{
    return rows_of.only(
        transaction,
        "WHERE id = (SELECT documento_id FROM documentos_keys "
        "WHERE tenant_id = $1 AND idempotencia_key = $2)",
        {tenant_id.text(), key.text()}
    );
}

Result<std::vector<Documento>> find_numbers(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Identidade& serie,
    std::int64_t first,
    std::int64_t last
)
{
    std::string sql{select};
    sql +=
        "WHERE tenant_id = $1 AND emitente = $2 AND tipo = $3 AND serie = $4 AND ambiente = $5 "
        "AND numero BETWEEN $6 AND $7 ORDER BY numero, id";
    return modules::all_rows(
        transaction.query(
            sql,
            {tenant_id.text(),
             serie.emitente,
             std::string{to_text(serie.tipo)},
             serie.serie,
             std::string{to_text(serie.ambiente)},
             first,
             last}
        ),
        to_documento
    );
}

Result<bool> keep_key(Transaction& transaction, const Documento& documento, const std::string& key)
{
    const auto kept = transaction.execute(
        "INSERT INTO documentos_keys (tenant_id, idempotencia_key, documento_id) "
        "VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        {documento.tenant_id.text(), key, documento.id}
    );
    if (!kept) return std::unexpected(kept.error());
    const auto ours = transaction.query(
        "SELECT 1 FROM documentos_keys "
        "WHERE tenant_id = $1 AND idempotencia_key = $2 AND documento_id = $3",
        {documento.tenant_id.text(), key, documento.id}
    );
    if (!ours) return std::unexpected(ours.error());
    return !ours->empty();
}

Result<bool> has_free_place(Transaction& transaction, const Documento& documento)
{
    if (!documento.substituto_id) return true;
    const auto taken = rows_of.find_by_id(transaction, *documento.substituto_id);
    if (!taken) return std::unexpected(taken.error());
    return !*taken || is_final((*taken)->estado);
}

Result<void> replace(
    Transaction& transaction, const Documento& substituto, std::int64_t substituido_id
)
{
    const auto found = find_documento(transaction, substituto.tenant_id, substituido_id);
    if (!found) return std::unexpected(found.error());
    if (*found && (*found)->substituto_id == substituto.id) return {};
    const auto self = rows_of.find_by_id(transaction, substituto.id);
    if (!self) return std::unexpected(self.error());
    const bool is_replaced = *self && (*self)->substituto_id;
    const auto is_free = *found ? has_free_place(transaction, **found) : Result<bool>{false};
    if (!is_free) return std::unexpected(is_free.error());
    if (is_replaced || !*is_free) {
        return fail(Errc::lease_lost, "the document has no place that could be taken");
    }
    Documento next = **found;
    next.substituto_id = substituto.id;
    next.marca = make_marca();
    const auto changed = change_estado(transaction, **found, std::move(next));
    if (!changed) return std::unexpected(changed.error());
    return {};
}

Result<modules::Listed<Documento>> list_documentos(
    Transaction& transaction,
    const TenantId& tenant_id,
    const DocumentoFilter& filter,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (filter.estado) conditions.add("estado", std::string{to_text(*filter.estado)});
    if (filter.tipo) conditions.add("tipo", std::string{to_text(*filter.tipo)});
    if (filter.emitente) conditions.add("emitente", *filter.emitente);
    if (filter.chave_acesso) conditions.add("chave_acesso", *filter.chave_acesso);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

Result<std::vector<Documento>> take_due(
    Transaction& transaction, Duration hidden, std::size_t limit
)
{
    const Instant now = transaction.now();
    std::string sql{select};
    sql += "WHERE conciliar_em <= $1 ORDER BY conciliar_em LIMIT $2";
    if (transaction.dialect() == Dialect::postgres) sql += " FOR UPDATE SKIP LOCKED";
    auto due = modules::all_rows(
        transaction.query(sql, {to_micros(now), static_cast<std::int64_t>(limit)}), to_documento
    );
    if (!due) return std::unexpected(due.error());
    for (const Documento& documento : *due) {
        const auto put_off = set_conciliar_em(transaction, documento, now + hidden);
        if (!put_off) return std::unexpected(put_off.error());
    }
    return due;
}

Result<void> set_conciliar_em(Transaction& transaction, const Documento& seen, Instant at)
{
    const auto changed = transaction.execute(
        "UPDATE documentos_fiscais SET conciliar_em = $1 "
        "WHERE id = $2 AND versao = $3 AND conciliar_em IS NOT NULL",
        {to_micros(at), seen.id, seen.versao}
    );
    if (!changed) return std::unexpected(changed.error());
    return {};
}

Result<std::string> keep_xml(
    Transaction& transaction, std::int64_t documento_id, const std::string& xml
)
{
    std::string digest = to_hex(sha256(xml));
    const auto id = transaction.insert(
        "INSERT INTO documentos_xml (documento_id, sha256, xml, created_at) VALUES ($1, $2, $3, "
        "$4) "
        "ON CONFLICT DO NOTHING",
        {documento_id, digest, Blob{xml}, to_micros(transaction.now())}
    );
    if (!id) return std::unexpected(id.error());
    return digest;
}

Result<std::string> get_xml(
    Transaction& transaction, std::int64_t documento_id, const std::string& sha256
)
{
    const auto rows = transaction.query(
        "SELECT xml FROM documentos_xml WHERE documento_id = $1 AND sha256 = $2",
        {documento_id, sha256}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty() || to_hex(umavez::sha256(rows->front().blob(0))) != sha256) {
        return fail(
            Errc::corrupt_record,
            fmt::format(
                "the bytes {} of documento fiscal {} are missing or damaged", sha256, documento_id
            )
        );
    }
    return rows->front().blob(0);
}

}  // namespace umavez::fiscal
