#pragma once

// TlsSession: one connection of the door, from the handshake to its end, good or bad. Confined to its thread.

#include "modules/fiscal/simulator/door.hpp"

#include <openssl/ssl.h>

#include <stop_token>

namespace umavez::fiscal::simulator {

// How the owner of the socket is to close it.
enum class Farewell : std::uint8_t { close, reset };

// Serves until the client leaves, a fault ends it or nothing comes for the socket's own time limit.
Farewell serve_connection(
    SSL_CTX& context, int socket, const Serve& serve, const std::stop_token& stop
);

}  // namespace umavez::fiscal::simulator
