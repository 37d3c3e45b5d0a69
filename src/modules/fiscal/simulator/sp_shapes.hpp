#pragma once

// The answers of the city of São Paulo on the wire: an XML text in RetornoXML, in the SOAP that was asked in.
// `odd`: the text as CDATA, and by `turn` its elements in the namespace that the schema leaves them out of.
// Pure, thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/shapes.hpp"
#include "modules/fiscal/simulator/sp_office.hpp"

#include <string_view>

namespace umavez::fiscal::simulator {

http::Response to_sp_soap(const SpAnswer& answer, const Asked& asked, const Wording& wording);

// Of an envelope that is none, or a service that is not there.
http::Response sp_fault(std::string_view envelope, std::string_view reason);

}  // namespace umavez::fiscal::simulator
