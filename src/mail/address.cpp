#include "mail/address.hpp"

#include "base/char_set.hpp"
#include "base/utf8.hpp"

#include <utility>

namespace umavez::mail {
namespace {

constexpr std::size_t label_bytes_max = 63;
constexpr std::string_view not_text = "tem bytes que não são texto (UTF-8)";

constexpr CharSet local_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("!#$%&'*+-/=?^_`{|}~.", byte);
}};
constexpr CharSet label_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || byte == '-';
}};
constexpr CharSet digits{[](unsigned char byte) { return byte >= '0' && byte <= '9'; }};

// `text` is UTF-8.
std::string_view trimmed(std::string_view text)
{
    std::size_t begin = 0;
    std::size_t end = 0;  // behind the last character that is seen
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t at = text.size() - rest.size();
        const bool is_seen = !is_blank(take_character(rest));
        if (is_seen && end == 0) begin = at;
        if (is_seen) end = text.size() - rest.size();
    }
    return text.substr(begin, end - begin);
}

// A reason, or nothing.
std::string_view judge_characters(std::string_view text)
{
    bool is_ascii = true;
    while (!text.empty()) {
        const char32_t character = take_character(text);
        if (is_control(character)) return "tem caracteres de controle";
        if (is_blank(character)) {
            return character == U' ' ? "tem espaço no meio" : "tem um caractere invisível no meio";
        }
        is_ascii = is_ascii && character < 0x80;
    }
    return is_ascii ? "" : "tem letras com acento ou de fora do ASCII";
}

std::string_view judge_local_part(std::string_view local)
{
    if (local.empty()) return "nada antes do @";
    if (local.size() > local_part_bytes_max) return "mais de 64 caracteres antes do @";
    if (!local_chars.has_all(local)) return "caractere que não é aceito antes do @";
    if (local.starts_with('.') || local.ends_with('.') ||
        local.find("..") != std::string_view::npos) {
        return "ponto fora de lugar antes do @";
    }
    return "";
}

std::string_view judge_domain(std::string_view domain)
{
    constexpr std::string_view invalid = "domínio inválido";
    if (domain.empty()) return "sem domínio depois do @";
    if (domain.find('.') == std::string_view::npos) return "domínio sem ponto";
    std::string_view label;
    for (std::string_view rest = domain;;) {
        const std::size_t dot = rest.find('.');
        label = rest.substr(0, dot);
        if (label.empty() || label.size() > label_bytes_max || !label_chars.has_all(label) ||
            label.starts_with('-') || label.ends_with('-')) {
            return invalid;
        }
        if (dot == std::string_view::npos) break;
        rest.remove_prefix(dot + 1);
    }
    return digits.has_all(label) ? invalid : "";  // an IP address, or nothing that exists
}

std::string_view judge(std::string_view address)
{
    if (address.empty()) return "vazio";
    if (address.size() > address_bytes_max) return "mais de 254 caracteres";
    if (const auto reason = judge_characters(address); !reason.empty()) return reason;
    const std::size_t at = address.find('@');
    if (at == std::string_view::npos) return "sem @";
    if (address.find('"') != std::string_view::npos) return "aspas não são aceitas";
    if (address.find('@', at + 1) != std::string_view::npos) return "mais de um @";
    if (const auto reason = judge_local_part(address.substr(0, at)); !reason.empty()) return reason;
    return judge_domain(address.substr(at + 1));
}

// What stands before the "<", without its quotes.
std::expected<std::string, std::string> parse_name(std::string_view text)
{
    constexpr std::string_view misplaced = "nome do remetente com aspas ou < > fora de lugar";
    const bool is_quoted = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
    if (is_quoted) text = text.substr(1, text.size() - 2);
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_quoted && text[i] == '\\') {
            if (++i == text.size()) return std::unexpected(std::string{misplaced});
        } else if (text[i] == '"' || text[i] == '<' || text[i] == '>') {
            return std::unexpected(std::string{misplaced});
        }
        name += text[i];
    }
    for (std::string_view rest = name; !rest.empty();) {
        if (is_control(take_character(rest))) {
            return std::unexpected(std::string{"nome do remetente com caracteres de controle"});
        }
    }
    if (name.size() > mailbox_name_bytes_max) {
        return std::unexpected(std::string{"nome do remetente com mais de 200 caracteres"});
    }
    return name;
}

}  // namespace

std::expected<std::string, std::string> normalise_address(std::string_view text)
{
    if (!is_utf8(text)) return std::unexpected(std::string{not_text});
    std::string address{trimmed(text)};
    if (const auto reason = judge(address); !reason.empty()) {
        return std::unexpected(std::string{reason});
    }
    for (char& c : address) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return address;
}

std::expected<Mailbox, std::string> parse_mailbox(std::string_view text)
{
    if (!is_utf8(text)) return std::unexpected(std::string{not_text});
    text = trimmed(text);
    Mailbox mailbox;
    if (text.ends_with('>')) {
        const std::size_t open = text.rfind('<');
        if (open == std::string_view::npos) return std::unexpected(std::string{"> sem <"});
        auto name = parse_name(trimmed(text.substr(0, open)));
        if (!name) return std::unexpected(std::move(name.error()));
        mailbox.name = *std::move(name);
        text = text.substr(open + 1, text.size() - open - 2);
    }
    auto address = normalise_address(text);
    if (!address) return std::unexpected(std::move(address.error()));
    mailbox.address = *std::move(address);
    return mailbox;
}

std::string domain_of(std::string_view address)
{
    const std::size_t at = address.rfind('@');
    return std::string{at == std::string_view::npos ? "" : address.substr(at + 1)};
}

}  // namespace umavez::mail
