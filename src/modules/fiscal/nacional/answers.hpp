#pragma once

// What an answer of Sefin Nacional means, call by call.
//
// Production does not answer as its manual says: errors stand in `erros` or in `erro`, which is an object,
// an array, an empty array beside a result, or the text of a proxy; events come in two envelopes. One rule
// holds: only a rejection (400, 403, 422) with a code is final, a 2xx without the member that it owes is
// unknown, and so is all the rest. The word of a code is in authority/nacional_codes.hpp.
//
// Whoever stands in front of it may take a certificate in the handshake and refuse it with a page of its own.
// That proves nothing about what was sent, but is_certificate_refused is set. Pure, thread-safe.

#include "modules/fiscal/authority/http_answer.hpp"

#include <string_view>

namespace umavez::fiscal::nacional {

// POST /nfse of the DPS `id_dps`: authorised, exists, refused, later, throttled, unknown.
Said read_emission(const HttpAnswer& answer, std::string_view id_dps);

// GET or HEAD /dps/{id}: exists, with the key where it is told; absent, throttled, unknown. 404 is the only
// answer that says absent: 400, 401, 403 and 5xx prove nothing. To those who are no actors of the note GET
// says 401 or 403 as well: only where HEAD, which is for everybody, says it too, the certificate is refused.
Said read_dps_answer(const HttpAnswer& answer, std::string_view id_dps);

// GET /nfse/{chave}: exists, with the XML; throttled, unknown. Not absent: the key came from the authority.
Said read_nfse_answer(const HttpAnswer& answer, std::string_view chave);

// GET /nfse/{chave}/eventos/{evento}/{n}: exists, with the XML of the event; absent, throttled, unknown.
Said read_event_answer(const HttpAnswer& answer, std::string_view chave, std::string_view evento);

// POST /nfse/{chave}/eventos of a cancellation: cancelled, exists, refused, later, throttled, unknown.
Said read_cancellation(const HttpAnswer& answer, std::string_view chave);

}  // namespace umavez::fiscal::nacional
