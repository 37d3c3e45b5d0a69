#pragma once

// Call: what clients ask of Sefin Nacional, read from a request. Pure, thread-safe.

#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

enum class Call : std::uint8_t {
    emitir,            // POST /nfse
    consultar,         // GET and HEAD /dps/{id}
    consultar_nota,    // GET /nfse/{chave}
    cancelar,          // POST /nfse/{chave}/eventos
    consultar_evento,  // GET /nfse/{chave}/eventos/{tipo}/{sequência}
};

// "emitir", "consultar", "consultar-nota", "cancelar", "consultar-evento"
std::string_view to_text(Call call) noexcept;
std::optional<Call> parse_call(std::string_view text) noexcept;
std::vector<std::string> call_words();

struct Asked {
    Call call = Call::emitir;
    bool is_head = false;
    std::string id_dps = {};     // of the path, or of the DPS in the body as far as it can be read
    std::string chave = {};      // of the path
    std::string tipo = {};       // of the event
    std::string sequencia = {};  // of the event
    std::string caller = {};     // CNPJ or CPF of the certificate; empty: it names none

    // Of a body: the XML inside, or the code of what is wrong with its packing.
    std::string xml = {};
    std::string packing_error = {};
};

// Nullopt: there is no such address. With or without /SefinNacional in front.
std::optional<Asked> read_call(const http::Request& request, std::string caller);

}  // namespace umavez::fiscal::simulator
