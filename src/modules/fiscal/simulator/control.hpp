#pragma once

// Control: faults and questions for whoever plays with the simulator, as plain HTTP on loopback.
//
//     POST   /faults   {"fault", "call"?, "id_dps"?, "times"?}   the next requests that fit get it
//     GET    /faults   what is still to come
//     DELETE /faults
//     POST   /cancel   {"chave"}            cancelled, behind the client's back
//     POST   /events   {"chave", "tipo"}    any event: 105102 substituted, 101103 under analysis …
//     GET    /ledger   ?id_dps=             per DPS: authorisations, chave, sha256, cancelled, requests
//     GET    /stats
//
// Thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/simulator.hpp"

namespace umavez::fiscal::simulator {

http::Response answer_control(Simulator& simulator, const http::Request& request);

}  // namespace umavez::fiscal::simulator
