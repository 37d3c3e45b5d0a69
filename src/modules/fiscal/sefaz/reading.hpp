#pragma once

// What all answers of SEFAZ have in common: HTTP around SOAP around a message with a code. For the files that
// read them. Pure, thread-safe.

#include "modules/fiscal/authority/cstat_codes.hpp"
#include "modules/fiscal/authority/http_answer.hpp"
#include "modules/fiscal/sefaz/soap.hpp"

#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

// An answer whose message, `message_name`, was read; or what is said where there is none: unknown, or
// throttled by 429. SEFAZ refuses with HTTP 200: under any other status nothing of the body counts.
struct Opened {
    Said said;
    std::optional<SoapAnswer> answer;
};
Opened open_answer(const HttpAnswer& answer, std::string_view message_name);

// cStat and xMotivo of an element; empty where it has none.
Mensagem mensagem_of(const xml::Element& element);

// The word of the code in the table, its wait, and the sentence about it. Where the word leaves everything
// open by the nature of the call (an absence, an envelope), the code is no message for anybody.
Said judge(
    Said said, const Mensagem& mensagem, Call call, HasProtocol has_protocol = HasProtocol::no
);

// Whether it speaks of this environment; one that is not told is no contradiction.
bool is_of(const xml::Element& element, Ambiente ambiente);

// Whether the child of this name says this, or is not there.
bool agrees(const xml::Element& element, std::string_view name, std::string_view expected);

// A protocol's number, "" where it is absent or has another form.
std::string protocolo_of(const xml::Element& element);

// The element alone, with the namespaces that it needs.
std::string text_of(const xml::Element& element);

}  // namespace umavez::fiscal::sefaz
