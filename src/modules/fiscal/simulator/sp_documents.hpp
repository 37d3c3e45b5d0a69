#pragma once

// The messages of the city of São Paulo: what is read of an RPS, of a query and of a cancellation. Pure,
// thread-safe.

#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

struct ChaveRps {
    std::string inscricao;  // municipal, of who renders the service
    std::string serie;
    std::string numero;
    // "RPS31000000-OL03-1": as it is written, without zeros in front.
    std::string natural_key() const;
};

struct ChaveNota {
    std::string inscricao;
    std::string numero;
    std::string chave() const;  // "SP31000000-12"
};

// PedidoEnvioRPS
struct Rps {
    ChaveRps chave;
    std::string data;
    std::string tipo;
    std::string valor;
    std::string assinatura;
};
// Nullopt: no such message, or one without what is needed here.
std::optional<Rps> read_rps(std::string_view xml);

// PedidoConsultaNFe, of one note: by one of the two.
struct Consulta {
    std::optional<ChaveRps> rps;
    std::optional<ChaveNota> nota;
};
std::optional<Consulta> read_consulta(std::string_view xml);

// PedidoCancelamentoNFe, of one note.
struct Cancelamento {
    ChaveNota nota;
    std::string assinatura;
};
std::optional<Cancelamento> read_cancelamento(std::string_view xml);

}  // namespace umavez::fiscal::simulator
