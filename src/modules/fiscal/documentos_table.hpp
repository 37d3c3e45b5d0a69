#pragma once

// The rows of fiscal documents and their bytes. Functions run inside the caller's transaction; the tenant is
// part of every look-up a client can make. Confined to the thread of the transaction.
//
// A row is written over the version that was read, by a writer with a mark of its own (`marca`): a writer
// whose COMMIT got no answer does the same again, and finds what it wrote.

#include "modules/fiscal/entities.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

// A mark nobody else has.
std::string make_marca();

// The document as it is given: version 1, times of now. Nullopt: there is one with this natural key, and
// nothing was written.
Result<std::optional<Documento>> insert_documento(Transaction& transaction, Documento documento);

// In RESERVADO, number taken and nothing sent. For numbering.
struct Reserva {
    Identidade identidade;
    std::optional<std::string> prazo_inutilizacao;
};
Result<std::optional<Documento>> insert_reserved(
    Transaction& transaction, const TenantId& tenant_id, const Reserva& reserva
);

// Writes `next` over `seen`: the next version, if the table of states leads from one to the other, or the
// state is the same.
// `next.marca` tells whose write it is. lease_lost: the row is at another version, written by somebody else;
// nothing was written. invalid_argument: the states do not follow each other.
Result<Documento> change_estado(Transaction& transaction, const Documento& seen, Documento next);

Result<std::optional<Documento>> find_documento(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
Result<std::optional<Documento>> find_by_id_idempotencia(
    Transaction& transaction, const TenantId& tenant_id, std::string_view id_idempotencia
);
Result<std::optional<Documento>> find_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
);

// Those with a number from `first` to `last` of the series that `serie` is of, in the order of their numbers.
Result<std::vector<Documento>> find_numbers(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Identidade& serie,
    std::int64_t first,
    std::int64_t last
);

// One more Idempotency-Key that means this document, for ever. False: it means another one, and nothing was
// written.
Result<bool> keep_key(Transaction& transaction, const Documento& documento, const std::string& key);

// Whether nobody has taken its place, or whoever did came to nothing.
Result<bool> has_free_place(Transaction& transaction, const Documento& documento);

// `substituto` takes the place of the other document, which is never sent again. lease_lost: the other one is
// not there, has another in its place, or is changed by somebody at this moment; or the place of `substituto`
// itself is taken, so that two would wait for each other. Nothing was written.
Result<void> replace(
    Transaction& transaction, const Documento& substituto, std::int64_t substituido_id
);

struct DocumentoFilter {
    std::optional<Estado> estado;
    std::optional<Tipo> tipo;
    std::optional<std::string> emitente;
    std::optional<std::string> chave_acesso;
};

// In the order of their ids.
Result<modules::Listed<Documento>> list_documentos(
    Transaction& transaction,
    const TenantId& tenant_id,
    const DocumentoFilter& filter,
    const modules::Page& page
);

// Up to `limit` documents whose time has come, the longest due first. They are put off by `hidden`, so that
// other workers look elsewhere: that saves work and protects nothing, the lease does.
Result<std::vector<Documento>> take_due(
    Transaction& transaction, Duration hidden, std::size_t limit
);

// A worker comes not before `at`. No new version: nothing was learnt. Where the document is not at the
// version that was seen any more, whoever changed it knows better.
Result<void> set_conciliar_em(Transaction& transaction, const Documento& seen, Instant at);

// Keeps bytes of a document by their digest, which is given back; the same bytes are kept once.
Result<std::string> keep_xml(
    Transaction& transaction, std::int64_t documento_id, const std::string& xml
);
// corrupt_record: they are not there, or are not what they were.
Result<std::string> get_xml(
    Transaction& transaction, std::int64_t documento_id, const std::string& sha256
);

}  // namespace umavez::fiscal
