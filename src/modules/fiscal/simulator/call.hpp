#pragma once

// Call: what clients ask, and of whom, read from a request. Pure, thread-safe.

#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

// Who is played.
enum class Service : std::uint8_t {
    nacional,   // Sefin Nacional: NFS-e
    sefaz,      // NF-e and NFC-e
    sao_paulo,  // the city: NFS-e
};

// "nacional", "sefaz", "sao-paulo"
std::string_view to_text(Service service) noexcept;
std::optional<Service> parse_service(std::string_view text) noexcept;

enum class Call : std::uint8_t {
    emitir,            // POST /nfse; NFeAutorizacao4; EnvioRPS
    consultar,         // GET and HEAD /dps/{id}; NFeConsultaProtocolo4; ConsultaNFe
    consultar_nota,    // GET /nfse/{chave}
    cancelar,          // POST /nfse/{chave}/eventos; NFeRecepcaoEvento4; CancelamentoNFe
    consultar_evento,  // GET /nfse/{chave}/eventos/{tipo}/{sequência}
    recibo,            // NFeRetAutorizacao4
    inutilizar,        // NFeInutilizacao4
    status,            // NFeStatusServico4
};

// "emitir", "consultar", "consultar-nota", "cancelar", "consultar-evento", "recibo", "inutilizar", "status"
std::string_view to_text(Call call) noexcept;
std::optional<Call> parse_call(std::string_view text) noexcept;
std::vector<std::string> call_words();

struct Asked {
    Service service = Service::nacional;
    Call call = Call::emitir;
    bool is_head = false;
    std::string documento = {};  // its natural key, as far as it can be read
    std::string chave = {};
    std::string tipo = {};       // of the event
    std::string sequencia = {};  // of the event
    std::string recibo = {};     // of a batch
    std::string envelope = {};   // the namespace of that of SOAP
    std::string versao = {};     // of the schema
    std::string caller = {};     // CNPJ or CPF of the certificate; empty: it names none

    // Of a body: the XML inside, the document in it as it was sent, and what is wrong with the packing: a
    // code of Sefin Nacional, or a sentence.
    std::string xml = {};
    std::string sent = {};
    std::string packing_error = {};
};

// Nullopt: there is no such address. With or without /SefinNacional in front.
std::optional<Asked> read_call(const http::Request& request, std::string caller);

}  // namespace umavez::fiscal::simulator
