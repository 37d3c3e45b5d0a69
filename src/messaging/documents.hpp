#pragma once

// Destinations and deliveries as JSON: in the words of tenants, and in those of operators. Pure,
// thread-safe.

#include "messaging/deliveries_table.hpp"
#include "messaging/destinations_table.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::messaging {

// {"id","url","eventos","created_at"}, and `segredo` where it is to be shown.
std::string to_destino(const Destination& destination, const std::string* secret = nullptr);

// {"id","mensagem_id","agregado","tipo","estado","tentativas","proximo_em","ultimo_erro","created_at"}
std::string to_entrega(const Delivery& delivery);

// {"id","tenant","destination","url","message_id","aggregate","type","state","attempts",…}
std::string to_delivery_json(const Delivery& delivery);

// pendente, entregue, morta, cancelada, for the states of the table.
std::string_view to_estado(std::string_view state);
std::optional<std::string> parse_estado(std::string_view estado);
std::vector<std::string> estado_words();

}  // namespace umavez::messaging
