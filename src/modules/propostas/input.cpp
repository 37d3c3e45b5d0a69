#include "modules/propostas/input.hpp"

#include "base/char_set.hpp"
#include "base/utf8.hpp"

#include <algorithm>

namespace umavez::propostas {
namespace {

using http::Language;
using key_protocol::BodyFields;
using modules::checked;

constexpr std::size_t nome_max = 255;
constexpr std::size_t email_max = 255;
constexpr std::size_t documento_max = 20;

std::string read_email(BodyFields& fields)
{
    std::string email = fields.text("email", email_max);
    // An empty one was refused already.
    if (!email.empty() && !is_email(email)) {
        fields.refuse(
            "email",
            {"must be an address such as maria@example.com",
             "deve ser um endereço como maria@example.com"}
        );
    }
    return email;
}

bool is_dotted(std::string_view part)
{
    return !part.empty() && !part.starts_with('.') && !part.ends_with('.') &&
           part.find("..") == std::string_view::npos;
}

constexpr CharSet mailbox_chars{[](unsigned char byte) {
    return is_visible(byte) && !is_among("\"(),:;<>@[\\]", byte);
}};

bool has_forbidden(std::string_view text)
{
    while (!text.empty()) {
        text.remove_prefix(mailbox_chars.count_first(text));
        if (text.empty()) break;
        const char32_t character = take_character(text);
        if (character < 0x80 || is_control(character) || is_blank(character)) return true;
    }
    return false;
}

}  // namespace

Read<NovoCliente> read_novo_cliente(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"nome", "email", "documento"}};
    NovoCliente novo;
    novo.nome = fields.text("nome", nome_max);
    novo.email = read_email(fields);
    novo.documento = fields.find_text("documento", documento_max);
    return checked(std::move(novo), fields, language);
}

Read<ClienteChanges> read_cliente_changes(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"nome", "email", "documento"}};
    ClienteChanges changes;
    if (fields.has("nome")) changes.nome = fields.text("nome", nome_max);
    if (fields.has("email")) changes.email = read_email(fields);
    if (fields.has("documento")) changes.documento = fields.find_text("documento", documento_max);
    if (!changes.nome && !changes.email && !changes.documento) {
        fields.refuse(
            "",
            {"send at least one of nome, email, documento",
             "envie ao menos um entre nome, email, documento"}
        );
    }
    return checked(std::move(changes), fields, language);
}

Read<NovaProposta> read_nova_proposta(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"cliente_id", "valor"}};
    const NovaProposta nova{fields.integer("cliente_id"), fields.money("valor")};
    return checked(nova, fields, language);
}

Read<PropostaChanges> read_proposta_changes(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"valor", "versao"}};
    const PropostaChanges changes{fields.money("valor"), fields.find_integer("versao")};
    return checked(changes, fields, language);
}

bool is_email(std::string_view text) noexcept
{
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return false;
    const std::string_view local = text.substr(0, at);
    const std::string_view domain = text.substr(at + 1);
    return is_dotted(local) && is_dotted(domain) && !has_forbidden(local) && !has_forbidden(domain);
}

}  // namespace umavez::propostas
