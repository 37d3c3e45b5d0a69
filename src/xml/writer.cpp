#include "xml/writer.hpp"

#include "base/assert.hpp"
#include "base/utf8.hpp"

namespace umavez::xml {
namespace {

constexpr bool is_control_byte(char c) noexcept
{
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

}  // namespace

bool is_sayable(std::string_view text) noexcept
{
    if (!is_utf8(text)) return false;
    while (!text.empty()) {
        const char32_t character = take_character(text);
        if (character < 0x20 && character != '\t' && character != '\n' && character != '\r')
            return false;
        if (character == 0xfffe || character == 0xffff) return false;
    }
    return true;
}

std::string escape(std::string_view text)
{
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            case '\r': escaped += "&#13;"; break;
            default:
                if (!is_control_byte(c)) escaped += c;
        }
    }
    return escaped;
}

Writer& Writer::open(std::string_view name, Attributes attributes)
{
    text_ += '<';
    text_ += name;
    for (const auto& [attribute, value] : attributes) {
        text_ += ' ';
        text_ += attribute;
        text_ += "=\"";
        text_ += escape(value);
        text_ += '"';
    }
    text_ += '>';
    open_.emplace_back(name);
    return *this;
}

Writer& Writer::close()
{
    UMAVEZ_ASSERT(!open_.empty());
    text_ += "</" + open_.back() + ">";
    open_.pop_back();
    return *this;
}

Writer& Writer::element(std::string_view name, std::string_view text)
{
    open(name);
    text_ += escape(text);
    return close();
}

std::string Writer::finish() &&
{
    while (!open_.empty()) close();
    return std::move(text_);
}

}  // namespace umavez::xml
