#pragma once

// The answers of SEFAZ on the wire: XML 4.00 in SOAP 1.2, with the words of the manual. `odd` are forms that
// states use instead, one after the other by `turn`: other prefixes, a Header, a result named after the
// method, line breaks, a 204 that brings the protocol of the note. Pure, thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/sefaz_office.hpp"
#include "modules/fiscal/simulator/shapes.hpp"

#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

http::Response to_soap(const SefazAnswer& answer, Call call, const Wording& wording);

// Of an envelope that is none.
http::Response soap_fault(std::string_view reason);

// xMotivo of a cStat.
std::string_view words_of(std::string_view cstat) noexcept;

}  // namespace umavez::fiscal::simulator
