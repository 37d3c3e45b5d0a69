#pragma once

// Answers that speak of fiscal documents, and the problems only this module knows. Pure, thread-safe.
//
// Every answer says where it comes from: `emissao` is the authority's answer to this very call, `cache` our
// table, `conciliacao` what the authority said when it was asked what became of it.

#include "http/message.hpp"
#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "modules/fiscal/drive.hpp"
#include "modules/fiscal/entities.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::fiscal {

enum class Origem : std::uint8_t { emissao, cache, conciliacao };
std::string_view to_text(Origem origem) noexcept;
std::vector<std::string> origem_words();

// 200 or 201: it is so, which is a success where it was authorised. 201 with its Location, `cache` with
// Idempotent-Replayed.
http::Response settled_response(int status, const Documento& documento, Origem origem);

// 202: nobody knows yet; Retry-After until the next look.
http::Response pending_response(const Documento& documento, Origem origem, Instant now);

http::Problem rejected(const Documento& documento, Origem origem);  // documento-rejeitado
http::Problem refused_so_often(const Documento& documento);  // the same: it was not sent again
http::Problem cancellation_refused(
    const Documento& documento, Origem origem
);  // cancelamento-recusado
// estado-nao-permite. `origem`: whether it was so before, or was found out now.
http::Problem wrong_state(const Documento& documento, Origem origem = Origem::cache);
http::Problem in_doubt(const Documento& documento);  // documento-em-duvida
// autoridade-bloqueada or autoridade-indisponivel, autoridade-nao-configurada where it is the certificate:
// nothing was stored by the authority.
http::Problem not_taken(const std::optional<Documento>& documento, const Ended& ended);
// The same where something was only asked about, and is as it was.
http::Problem not_asked(const Documento& documento, const Ended& ended);
http::Problem not_configured(std::string cause);  // autoridade-nao-configurada
http::Problem no_voiding(Tipo tipo);              // inutilizacao-nao-oferecida
// numeros-nao-inutilizaveis: those of `documentos` whose state does not allow it, and numbers without one.
http::Problem not_voidable(
    const std::vector<Documento>& documentos, const std::vector<std::int64_t>& unknown
);
// inutilizacao-recusada. `effect`: applied where others of the range were voided.
http::Problem voiding_refused(const std::vector<Documento>& documentos, Effect effect);
// 200 where all are voided; else 202, because nobody knows, or because only a part was done.
http::Response voiding_response(
    const std::vector<Documento>& documentos,
    Origem origem,
    std::optional<Duration> retry_after = {}
);
// estado-nao-permite: whoever takes its place comes first.
http::Problem substitute_not_ready(const Documento& documento);
http::Problem number_in_use(const Documento& documento);  // numero-em-uso: of another natural key
http::Problem no_substitution(std::int64_t id, http::Text why);  // substituicao-impossivel
http::Problem key_reused(const Documento& documento
);                                             // idempotency-key-reused: it named another document
http::Problem crowded();                       // unavailable: too many wait already
http::Problem busy(Duration lease_remaining);  // idempotency-in-progress

std::vector<http::ProblemKind> problem_kinds();

}  // namespace umavez::fiscal
