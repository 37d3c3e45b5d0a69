#include "modules/fiscal/ids/id_idempotencia.hpp"

#include <fmt/format.h>

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

}  // namespace umavez::fiscal
