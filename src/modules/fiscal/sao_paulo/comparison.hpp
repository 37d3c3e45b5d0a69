#pragma once

// Whether an NFS-e of the city was made of the RPS that we sent. The city does not give back what it got, so
// they are compared by what both of them say: key, date and amount, service and taker. Two RPS that differ in
// nothing but their description cannot be told apart. Pure, thread-safe.

#include "xml/document.hpp"

#include <optional>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

// `note` is an element NFe, `sent` the bytes of a PedidoEnvioRPS. False: they contradict each other. Nullopt:
// they do not, but the note does not tell key, date and amount.
std::optional<bool> is_made_of_rps(const xml::Element& note, std::string_view sent);

}  // namespace umavez::fiscal::sao_paulo
