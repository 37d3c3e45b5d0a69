#include "modules/fiscal/tentativas_table.hpp"

#include "base/json_object.hpp"
#include "base/shown.hpp"
#include "modules/parts/answers.hpp"
#include "modules/parts/columns.hpp"

namespace umavez::fiscal {
namespace {

constexpr std::string_view select =
    "SELECT id, operacao, tentativa, xml_sha256, palavra, mensagens, http_status, duracao_ms, "
    "detalhe, em "
    "FROM documentos_tentativas ";

std::optional<std::int64_t> integer_at(const Row& row, std::size_t column)
{
    return row.is_null(column) ? std::nullopt : std::optional{row.integer(column)};
}

Result<Tentativa> to_tentativa(const Row& row)
{
    return Tentativa{
        .id = row.integer(0),
        .operacao = row.text(1),
        .tentativa = row.integer(2),
        .xml_sha256 = modules::text_at(row, 3),
        .palavra = modules::text_at(row, 4),
        .mensagens = row.text(5),
        .http_status = integer_at(row, 6),
        .duracao_ms = integer_at(row, 7),
        .detalhe = modules::text_at(row, 8),
        .em = from_micros(row.integer(9)),
    };
}

constexpr modules::EntityRows<Tentativa> rows_of{select, to_tentativa};

std::string number_or_null(std::optional<std::int64_t> number)
{
    return number ? std::to_string(*number) : "null";
}

}  // namespace

std::string_view to_text(Operacao operacao) noexcept
{
    switch (operacao) {
        case Operacao::emitir: return "emitir";
        case Operacao::consultar: return "consultar";
        case Operacao::cancelar: return "cancelar";
        case Operacao::consultar_cancelamento: return "consultar-cancelamento";
        case Operacao::inutilizar: return "inutilizar";
    }
    return "";
}

std::string to_json(const Tentativa& tentativa)
{
    using modules::text_or_null;
    return JsonObject{}
        .number("id", tentativa.id)
        .text("operacao", tentativa.operacao)
        .number("tentativa", tentativa.tentativa)
        .raw("xml_sha256", text_or_null(tentativa.xml_sha256))
        .raw("palavra", text_or_null(tentativa.palavra))
        .raw("mensagens", tentativa.mensagens)
        .raw("http_status", number_or_null(tentativa.http_status))
        .raw("duracao_ms", number_or_null(tentativa.duracao_ms))
        .raw("detalhe", text_or_null(tentativa.detalhe))
        .instant("em", tentativa.em)
        .str();
}

Result<void> begin_tentativa(
    Transaction& transaction,
    const Documento& documento,
    Operacao operacao,
    const std::optional<std::string>& xml_sha256,
    std::optional<std::int64_t>& id
)
{
    const std::string name{to_text(operacao)};
    if (id) {
        const auto found = transaction.query(
            "SELECT 1 FROM documentos_tentativas "
            "WHERE id = $1 AND documento_id = $2 AND operacao = $3",
            {*id, documento.id, name}
        );
        if (!found) return std::unexpected(found.error());
        if (!found->empty()) return {};
    }
    const auto counted = transaction.query(
        "SELECT count(*) FROM documentos_tentativas WHERE documento_id = $1 AND operacao = $2",
        {documento.id, name}
    );
    if (!counted) return std::unexpected(counted.error());
    const auto inserted = transaction.insert(
        "INSERT INTO documentos_tentativas (tenant_id, documento_id, operacao, tentativa, "
        "xml_sha256, "
        "mensagens, em) VALUES ($1, $2, $3, $4, $5, '[]', $6)",
        {documento.tenant_id.text(),
         documento.id,
         name,
         counted->front().integer(0) + 1,
         modules::to_value(xml_sha256),
         to_micros(transaction.now())}
    );
    if (!inserted) return std::unexpected(inserted.error());
    id = *inserted;
    return {};
}

Result<void> end_tentativa(
    Transaction& transaction, std::int64_t tentativa_id, const Said& said, Duration took
)
{
    const auto changed = transaction.execute(
        "UPDATE documentos_tentativas SET palavra = $1, mensagens = $2, http_status = $3, "
        "duracao_ms = $4, detalhe = $5 WHERE id = $6",
        {std::string{to_text(said.word)},
         to_json(said.mensagens),
         said.http_status == 0 ? Value{} : Value{std::int64_t{said.http_status}},
         std::chrono::duration_cast<std::chrono::milliseconds>(took).count(),
         said.detail.empty() ? Value{} : Value{shown(said.detail)},
         tentativa_id}
    );
    if (!changed) return std::unexpected(changed.error());
    return {};
}

Result<std::vector<std::string>> sent_versions(
    Transaction& transaction, std::int64_t documento_id, Operacao operacao
)
{
    const auto to_digest = [](const Row& row) -> Result<std::string> { return row.text(0); };
    return modules::all_rows(
        transaction.query(
            "SELECT xml_sha256, max(id) FROM documentos_tentativas "
            "WHERE documento_id = $1 AND operacao = $2 AND xml_sha256 IS NOT NULL "
            "GROUP BY xml_sha256 ORDER BY 2 DESC",
            {documento_id, std::string{to_text(operacao)}}
        ),
        to_digest
    );
}

Result<std::optional<LastSaid>> find_last_said(
    Transaction& transaction, std::int64_t documento_id, Operacao operacao
)
{
    const auto rows = transaction.query(
        "SELECT palavra, mensagens FROM documentos_tentativas "
        "WHERE documento_id = $1 AND operacao = $2 ORDER BY id DESC LIMIT 1",
        {documento_id, std::string{to_text(operacao)}}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty() || rows->front().is_null(0)) return std::nullopt;
    const auto word = parse_word(rows->front().text(0));
    return LastSaid{word.value_or(Word::unknown), rows->front().text(1)};
}

Result<std::vector<Instant>> enquiries_since(
    Transaction& transaction, std::int64_t documento_id, Instant since
)
{
    const auto to_instant = [](const Row& row) -> Result<Instant> {
        return from_micros(row.integer(0));
    };
    return modules::all_rows(
        transaction.query(
            "SELECT em FROM documentos_tentativas WHERE documento_id = $1 AND em >= $2 "
            "AND (operacao = $3 OR operacao = $4) AND palavra <> $5 ORDER BY id",
            {documento_id,
             to_micros(since),
             std::string{to_text(Operacao::consultar)},
             std::string{to_text(Operacao::consultar_cancelamento)},
             std::string{to_text(Word::unreached)}}
        ),
        to_instant
    );
}

Result<std::int64_t> count_refusals(
    Transaction& transaction,
    std::int64_t documento_id,
    const std::string& xml_sha256,
    Instant since
)
{
    const auto counted = transaction.query(
        "SELECT count(*) FROM documentos_tentativas WHERE documento_id = $1 AND operacao = $2 "
        "AND xml_sha256 = $3 AND palavra = $4 AND em >= $5",
        {documento_id,
         std::string{to_text(Operacao::emitir)},
         xml_sha256,
         std::string{to_text(Word::refused)},
         to_micros(since)}
    );
    if (!counted) return std::unexpected(counted.error());
    return counted->front().integer(0);
}

Result<modules::Listed<Tentativa>> list_tentativas(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t documento_id,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    conditions.add("documento_id", documento_id);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::fiscal
