#pragma once

// The documents of Sefin Nacional: what is read of a DPS and of the request of an event, and the NFS-e and
// the event that are made of them. Pure, thread-safe.

#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

struct Dps {
    std::string id;  // as it stands in the document
    std::string ambiente;
    std::string serie;
    std::string numero;
    std::string municipio;
    std::string inscricao;  // CNPJ or CPF of who renders the service
    bool is_cpf = false;
    std::string substitui = {};  // the key of the note that it replaces

    // What the id has to be (E0004): 1 is CPF, 2 is CNPJ.
    std::string id_of_fields() const;
    std::string inscricao_of_14() const;
};

// Nullopt: no DPS, or one without what is needed here.
std::optional<Dps> read_dps(std::string_view xml);

// A request to register an event (pedRegEvento).
struct Pedido {
    std::string id;
    std::string ambiente;
    std::string chave;
    std::string tipo;    // "101101"
    std::string motivo;  // xMotivo
};
std::optional<Pedido> read_pedido(std::string_view xml);

// Whether the Signature, where there is one, is that of the element that is read, "infDPS" under the root.
// Who signed it is not asked.
bool is_signature_good(std::string_view xml, std::string_view path);

// 50 positions: municipality 7, generated nationally 2, kind of inscription 1, inscription 14, number 13,
// year and month 4, chance 9, check digit.
std::string make_chave(const Dps& dps, std::uint64_t numero, Instant at, std::uint64_t chance);
char check_digit(std::string_view positions) noexcept;  // modulo 11, letters as ASCII less 48

// "DPS" and 42 positions; whether it belongs to anything is another question.
bool is_id_dps(std::string_view text) noexcept;

// "2026-03-03T12:17:37-03:00": Brasília, where it is three hours earlier all year.
std::string to_brasilia(Instant at);

struct Authorship {
    std::string_view chave;
    std::uint64_t numero = 0;
    Instant at;
};
// The authorised note, around the DPS as it was sent.
std::string make_nfse(std::string_view dps_xml, const Authorship& authorship);

struct Registration {
    std::string_view chave;
    std::string_view tipo;
    Instant at;
};
// The registered event, around its request; where there is none, around one that the office wrote itself.
std::string make_evento(std::string_view pedido_xml, const Registration& registration);

}  // namespace umavez::fiscal::simulator
