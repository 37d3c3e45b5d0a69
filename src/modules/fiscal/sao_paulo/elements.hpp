#pragma once

// Elements of an answer by their names. The schemas have them without a namespace, below a root that has one;
// whether a gateway on the way leaves that so is nothing to stumble over. Pure, thread-safe.

#include "modules/fiscal/ids/sp_rps.hpp"
#include "xml/document.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::sao_paulo {

std::vector<xml::Element> find_all(const xml::Element& parent, std::string_view name);

// Nullopt: there is none, or there are several.
std::optional<xml::Element> find_one(const xml::Element& parent, std::string_view name);

// Its text, without blanks around it; "" where find_one() finds nothing.
std::string find_text(const xml::Element& parent, std::string_view name);

// Of an element ChaveRPS. Nullopt: it is none.
std::optional<SpRpsKey> read_chave_rps(const xml::Element& chave_rps);

}  // namespace umavez::fiscal::sao_paulo
