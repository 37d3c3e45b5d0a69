#pragma once

// The calls that were made for a document, one row each. Confined to the thread of the transaction.
//
// A call that changes something is written down before it is made, in the transaction that marks its document
// as sent; where its process dies the row stays without a word. Enquiries are written down afterwards.

#include "modules/fiscal/entities.hpp"
#include "modules/parts/page.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

enum class Operacao : std::uint8_t {
    emitir,
    consultar,
    cancelar,
    consultar_cancelamento,
    inutilizar,
};
std::string_view to_text(Operacao operacao) noexcept;  // "consultar-cancelamento"

struct Tentativa {
    std::int64_t id = 0;
    std::string operacao;
    std::int64_t tentativa = 0;             // of its operation, from 1
    std::optional<std::string> xml_sha256;  // what was sent
    std::optional<std::string> palavra;     // nullopt: it runs, or its process died
    std::string mensagens = "[]";
    std::optional<std::int64_t> http_status;
    std::optional<std::int64_t> duracao_ms;
    std::optional<std::string> detalhe;
    Instant em{};
};

std::string to_json(const Tentativa& tentativa);

// `id` is nullopt, or that of an earlier run of the same transaction: then the row is there if that run was
// committed, and is not written again.
Result<void> begin_tentativa(
    Transaction& transaction,
    const Documento& documento,
    Operacao operacao,
    const std::optional<std::string>& xml_sha256,
    std::optional<std::int64_t>& id
);

// What the authority said.
Result<void> end_tentativa(
    Transaction& transaction, std::int64_t tentativa_id, const Said& said, Duration took
);

// The digests of what this operation sent, each once, the newest first.
Result<std::vector<std::string>> sent_versions(
    Transaction& transaction, std::int64_t documento_id, Operacao operacao
);

// What the authority said to the last call of this kind: a call that changes something.
struct LastSaid {
    Word word = Word::unknown;
    std::string mensagens = "[]";
    bool has_code() const { return mensagens != "[]"; }
};
// Nullopt: there was none, or nobody heard the answer.
Result<std::optional<LastSaid>> find_last_said(
    Transaction& transaction, std::int64_t documento_id, Operacao operacao
);

// When the authority was asked about the document, since then; the oldest first.
Result<std::vector<Instant>> enquiries_since(
    Transaction& transaction, std::int64_t documento_id, Instant since
);

// How often these bytes were refused since then.
Result<std::int64_t> count_refusals(
    Transaction& transaction,
    std::int64_t documento_id,
    const std::string& xml_sha256,
    Instant since
);

// A page in the order of their ids.
Result<modules::Listed<Tentativa>> list_tentativas(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t documento_id,
    const modules::Page& page
);

}  // namespace umavez::fiscal
