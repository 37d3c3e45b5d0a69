#pragma once

// The documents of SEFAZ 4.00: what is read of a batch with a note, of an event and of a voiding, and the
// access key in all of them. Pure, thread-safe.

#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

// An access key: UF 2, year and month 4, CNPJ or CPF 14, model 2, series 3, number 9, tpEmis 1, cNF 8, check
// digit 1. Letters are those of a CNPJ.
bool is_chave_nfe(std::string_view text) noexcept;
bool has_right_check_digit(std::string_view chave) noexcept;

// What SEFAZ finds duplicates by: "NFe", UF, CNPJ or CPF of 14, model, series, number; of an NFC-e tpEmis
// besides. Neither month nor cNF. `chave` is one.
std::string natural_key(std::string_view chave);

// enviNFe with one NFe in it.
struct Nfe {
    std::string id;  // of infNFe, as it stands: "NFe" and the key
    std::string sinc;
    std::string ambiente;
    std::string modelo;
    std::string digest;           // empty: it is not signed
    std::string chave_of_fields;  // with the check digit that the document says it has
};
// Nullopt: no such batch, or one without what is needed here.
std::optional<Nfe> read_nfe(std::string_view envi_nfe);

// envEvento with one evento in it.
struct Evento {
    std::string lote;
    std::string id;
    std::string orgao;
    std::string ambiente;
    std::string autor;  // CNPJ or CPF
    std::string chave;
    std::string tipo;
    std::string sequencia;
    std::string protocolo;   // of the note
    std::string motivo;      // xJust
    std::string substituta;  // chNFeRef
    std::string id_of_fields() const;
};
std::optional<Evento> read_evento(std::string_view env_evento);

struct Inutilizacao {
    std::string id;
    std::string ambiente;
    std::string uf;
    std::string ano;
    std::string inscricao;
    std::string modelo;
    std::string serie;
    std::string primeiro;
    std::string ultimo;
    std::string motivo;
    std::string id_of_fields() const;
};
std::optional<Inutilizacao> read_inutilizacao(std::string_view inut_nfe);
bool is_id_of_range(std::string_view text) noexcept;  // "ID" and 41 positions

}  // namespace umavez::fiscal::simulator
