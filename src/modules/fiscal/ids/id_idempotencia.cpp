#include "modules/fiscal/ids/id_idempotencia.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::fiscal {
namespace {

std::string join(Tipo tipo, Ambiente ambiente, std::string_view natural)
{
    return fmt::format("{}:{}:{}", to_text(tipo), static_cast<int>(ambiente), natural);
}

}  // namespace

std::string id_idempotencia(Ambiente ambiente, const NaturalKey& key)
{
    return join(key.tipo(), ambiente, key.text());
}

std::string id_idempotencia(Ambiente ambiente, const DpsId& id)
{
    return join(Tipo::nfse_nacional, ambiente, id.natural_text());
}

std::string id_idempotencia(Ambiente ambiente, const SpRpsKey& key)
{
    return join(Tipo::nfse_sp, ambiente, key.text());
}

std::string_view uf_of(std::string_view id_idempotencia) noexcept
{
    constexpr std::size_t model_length = 3;  // "55_"
    const std::string_view tipo = id_idempotencia.substr(0, id_idempotencia.find(':'));
    if (tipo != to_text(Tipo::nfe) && tipo != to_text(Tipo::nfce)) return {};
    const std::string_view natural = id_idempotencia.substr(id_idempotencia.rfind(':') + 1);
    const std::string_view uf = natural.substr(std::min(model_length, natural.size()), 2);
    return is_uf(uf) ? uf : std::string_view{};
}

}  // namespace umavez::fiscal
