#pragma once

// An XML document inside of another, byte by byte: a signature covers a form of the bytes, and whoever keeps
// them for years compares them. Pure, thread-safe.

#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

// The root element as it is written: without a byte order mark, an XML declaration and blanks around it.
// `xml` is well-formed.
std::string_view root_text(std::string_view xml) noexcept;

// Whether the root element is all there is besides: no comment and no instruction around it, which a document
// around it would take in.
bool is_root_alone(std::string_view xml) noexcept;

// Base64 as one word: the schema lets blanks stand in it, and some who sign break the line.
std::string without_blanks(std::string text);

}  // namespace umavez::fiscal::sefaz
