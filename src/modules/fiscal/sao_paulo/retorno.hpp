#pragma once

// Retorno: what all answers of the city have in common: HTTP around SOAP around a text of XML with a success,
// alerts and errors. For answers.cpp. Pure, thread-safe.

#include "modules/fiscal/authority/code_meaning.hpp"
#include "modules/fiscal/authority/http_answer.hpp"
#include "modules/fiscal/sao_paulo/soap.hpp"

#include <optional>
#include <string>
#include <vector>

namespace umavez::fiscal::sao_paulo {

// Alerta or Erro.
struct Evento {
    bool is_erro = false;
    std::string codigo;
    std::optional<xml::Element> chave_rps = {};  // what it is about, if it tells
    std::optional<xml::Element> chave_nfe = {};
};

struct Retorno {
    Said said;  // with all messages; the whole of the answer where there is no document
    std::optional<xml::Document> document = {};
    std::optional<bool> sucesso = {};
    std::vector<Evento> eventos = {};

    bool has_erro() const noexcept;
};

// Under any other status than 200 nothing of the body counts. 429 is throttled. 403 and 426 come from the
// door, which did not like our certificate or our TLS: no document was looked at, so that a call which
// changes something is `later`. Everything else is unknown.
Retorno open_retorno(const HttpAnswer& answer, Method method);

// The word in which all codes agree (authority/sao_paulo_codes.hpp). Where they do not: exists if one of
// them says so, else unknown. An alert that is in no table says nothing. Nullopt: nothing says anything.
std::optional<Word> word_of(const std::vector<Evento>& eventos, Call call);

}  // namespace umavez::fiscal::sao_paulo
