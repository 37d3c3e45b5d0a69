#pragma once

// What clients of the API may say: bodies read into values whose rules hold. Pure, thread-safe.

#include "base/money.hpp"
#include "json/tree.hpp"
#include "modules/parts/read_body.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::propostas {

struct NovoCliente {
    std::string nome;
    std::string email;
    std::optional<std::string> documento;
};

// What is nullopt stays as it is.
struct ClienteChanges {
    std::optional<std::string> nome;
    std::optional<std::string> email;
    std::optional<std::optional<std::string>> documento;  // null takes it away
};

struct NovaProposta {
    std::int64_t cliente_id = 0;
    Money valor;
};

// `versao` may come by If-Match instead.
struct PropostaChanges {
    Money valor;
    std::optional<std::int64_t> versao;
};

using modules::Read;

// No body is read as an empty object. The problem names every field that is wrong.
Read<NovoCliente> read_novo_cliente(const JsonTree* body, http::Language language);
Read<ClienteChanges> read_cliente_changes(const JsonTree* body, http::Language language);
Read<NovaProposta> read_nova_proposta(const JsonTree* body, http::Language language);
Read<PropostaChanges> read_proposta_changes(const JsonTree* body, http::Language language);

// One "@" with something on both sides; no spaces, quotes, brackets or commas; no part begins or
// ends with a dot, and no two dots stand together. Whether anybody reads mail there, only a mail
// can tell.
bool is_email(std::string_view text) noexcept;

}  // namespace umavez::propostas
