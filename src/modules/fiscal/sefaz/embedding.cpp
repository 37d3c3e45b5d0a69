#include "modules/fiscal/sefaz/embedding.hpp"

#include "base/char_set.hpp"

namespace umavez::fiscal::sefaz {
namespace {

constexpr CharSet blanks{[](unsigned char byte) { return umavez::is_among(" \t\r\n", byte); }};
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view declaration_end = "?>";

}  // namespace

std::string_view root_text(std::string_view xml) noexcept
{
    if (xml.starts_with(byte_order_mark)) xml.remove_prefix(byte_order_mark.size());
    if (xml.starts_with("<?xml") && xml.size() > 5 && blanks.has(xml[5])) {
        const std::size_t end = xml.find(declaration_end);
        xml.remove_prefix(end == std::string_view::npos ? 0 : end + declaration_end.size());
    }
    xml.remove_prefix(blanks.count_first(xml));
    while (!xml.empty() && blanks.has(xml.back())) xml.remove_suffix(1);
    return xml;
}

bool is_root_alone(std::string_view xml) noexcept
{
    const std::string_view root = root_text(xml);
    return !root.starts_with("<!") && !root.starts_with("<?") && !root.ends_with("-->") &&
           !root.ends_with("?>");
}

std::string without_blanks(std::string text)
{
    std::erase_if(text, [](char c) { return blanks.has(c); });
    return text;
}

}  // namespace umavez::fiscal::sefaz
