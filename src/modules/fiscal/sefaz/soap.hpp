#pragma once

// SOAP 1.2 as SEFAZ 4.00 speaks it: no header, one message in `nfeDadosMsg`, one answer in `nfeResultMsg`.
// Pure, thread-safe.
//
// What we write declares no prefix at all: Canonical XML takes every declaration around a signed element into
// its form, and a signature must hold whether the authority cuts the message out before it checks it or not.

#include "modules/fiscal/sefaz/service.hpp"
#include "xml/document.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

inline constexpr std::size_t soap_bytes_max = 2 * 1024 * 1024;

// `message` is an element as text; it stands in the envelope as it is.
std::string make_envelope(Service service, std::string_view message);

// With the action, which SOAP 1.2 has there.
std::string content_type_of(Service service);

struct SoapAnswer {
    xml::Document document;
    xml::Element message;  // in the document
};

// The only element of this name, in the namespace of NF-e, anywhere in the body of an envelope of SOAP 1.2 or
// 1.1: what states put around it differs. invalid_argument: no XML, no envelope, a fault (with what it says),
// no such element, or several.
Result<SoapAnswer> read_envelope(std::string_view text, std::string_view message_name);

}  // namespace umavez::fiscal::sefaz
