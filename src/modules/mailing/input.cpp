#include "modules/mailing/input.hpp"

#include "mail/address.hpp"
#include "mail/template.hpp"
#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/message_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace umavez::mailing {
namespace {

using http::Language;
using http::Text;
using key_protocol::BodyFields;
using modules::checked;

std::optional<Text> check_template(std::string_view value)
{
    const auto parsed = mail::Template::parse(value);
    if (parsed) return std::nullopt;
    return Text{
        "is no template: " + parsed.error().detail, "não é um modelo: " + parsed.error().detail
    };
}

std::optional<Text> check_remetente(std::string_view value)
{
    const auto mailbox = mail::parse_mailbox(value);
    if (mailbox) return std::nullopt;
    return Text{
        "is not a sender such as \"Loja <news@loja.example>\"",
        "não é um remetente como \"Loja <news@loja.example>\": " + mailbox.error()
    };
}

// What each part is by itself, whether or not all are there.
std::vector<FieldError> check_parts(const MessageFields& fields)
{
    std::vector<FieldError> errors = check_fields(fields);
    const auto note = [&](const char* field, std::optional<Text> wrong) {
        const bool is_told = std::ranges::any_of(errors, [&](const FieldError& error) {
            return error.field == field;
        });
        if (wrong && !is_told) errors.push_back({field, *std::move(wrong)});
    };
    if (!fields.remetente.empty()) note("remetente", check_remetente(fields.remetente));
    note("assunto", check_template(fields.assunto));
    note("texto", check_template(fields.texto));
    note("html", check_template(fields.html));
    return errors;
}

MessageFields to_fields(const Message& message)
{
    return {message.assunto, message.remetente, message.texto, message.html};
}

Text not_one_of(const std::vector<std::string>& words)
{
    return {
        fmt::format("must be one of {}", fmt::join(words, ", ")),
        fmt::format("deve ser um entre {}", fmt::join(words, ", "))
    };
}

Text unknown_name(std::string_view name, const KnownNames& known)
{
    const std::string columns = fmt::format("{}", fmt::join(known.columns, ", "));
    return {
        fmt::format("{{{{{}}}}} is no column of the file, which has: {}", name, columns),
        fmt::format("{{{{{}}}}} não é uma coluna do arquivo, que tem: {}", name, columns)
    };
}

// The first name of the text that nobody knows.
std::optional<Text> find_unknown_name(std::string_view text, const KnownNames& known)
{
    const auto parsed = mail::Template::parse(text);
    if (!parsed) return check_template(text);
    for (const std::string& name : parsed->names()) {
        if (name == "email") continue;
        const bool is_column = std::ranges::any_of(known.columns, [&](const std::string& column) {
            return column == name;
        });
        if (is_column || (name == "descadastro" && known.has_public_url)) continue;
        if (name != "descadastro") return unknown_name(name, known);
        return Text{
            "{{descadastro}} needs the server's address: set mailing.public_url",
            "{{descadastro}} precisa do endereço do servidor: defina mailing.public_url"
        };
    }
    return std::nullopt;
}

}  // namespace

Read<MessageChanges> read_message_changes(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"assunto", "remetente", "texto", "html", "incerteza"}};
    MessageChanges changes;
    bool has_any = false;
    const auto take = [&](std::string_view name) -> std::optional<std::string> {
        if (!fields.has(name) || fields.is_null(name)) return std::nullopt;
        has_any = true;
        const JsonValue value = *body->root().find(name);
        if (value.kind() == JsonKind::string) return std::string{value.string()};
        fields.refuse(std::string{name}, {"must be a text", "deve ser um texto"});
        return std::nullopt;
    };
    changes.assunto = take("assunto");
    changes.remetente = take("remetente");
    changes.texto = take("texto");
    changes.html = take("html");
    if (const auto word = take("incerteza")) {
        changes.incerteza = parse_incerteza(*word);
        if (!changes.incerteza) fields.refuse("incerteza", not_one_of(incerteza_words()));
    }
    for (FieldError& error : check_parts(to_fields(changed({}, changes)))) {
        fields.refuse(std::move(error.field), std::move(error.message));
    }
    if (!has_any) {
        fields.refuse(
            "",
            {"send at least one of assunto, remetente, texto, html, incerteza",
             "envie ao menos um entre assunto, remetente, texto, html, incerteza"}
        );
    }
    return checked(std::move(changes), fields, language);
}

Message changed(Message message, const MessageChanges& changes)
{
    message.assunto = changes.assunto.value_or(std::move(message.assunto));
    message.remetente = changes.remetente.value_or(std::move(message.remetente));
    message.texto = changes.texto.value_or(std::move(message.texto));
    message.html = changes.html.value_or(std::move(message.html));
    return message;
}

std::vector<FieldError> find_faults(const Message& message, const KnownNames& known)
{
    const MessageFields fields = to_fields(message);
    std::vector<FieldError> faults = missing_fields(fields);
    std::ranges::move(check_parts(fields), std::back_inserter(faults));
    if (!faults.empty()) return faults;
    const std::array<std::pair<const char*, const std::string*>, 3> templates = {
        {{"assunto", &message.assunto}, {"texto", &message.texto}, {"html", &message.html}}
    };
    for (const auto& [field, text] : templates) {
        if (auto wrong = find_unknown_name(*text, known)) {
            faults.push_back({field, *std::move(wrong)});
        }
    }
    return faults;
}

Result<std::vector<FieldError>> check_message(
    const Message& message, const std::string& path, bool has_public_url
)
{
    auto columns = read_header(path);
    if (!columns && columns.error().code == Errc::invalid_argument) {
        return std::vector<FieldError>{{"file", {columns.error().detail, columns.error().detail}}};
    }
    if (!columns) return std::unexpected(columns.error());
    return find_faults(message, {*std::move(columns), has_public_url});
}

Read<bool> read_incertas(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"incertas"}};
    bool incertas = false;
    if (fields.has("incertas") && !fields.is_null("incertas")) {
        const JsonValue value = *body->root().find("incertas");
        if (value.kind() == JsonKind::boolean) {
            incertas = value.boolean();
        } else {
            fields.refuse("incertas", {"must be true or false", "deve ser true ou false"});
        }
    }
    return checked(incertas, fields, language);
}

Read<NovaSupressao> read_nova_supressao(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"email", "motivo"}};
    constexpr std::size_t typed_max = 320;  // before it is trimmed
    NovaSupressao nova{.email = {}, .motivo = {}};
    auto address = mail::normalise_address(fields.text("email", typed_max));
    if (address) {
        nova.email = *std::move(address);
    } else {
        fields.refuse("email", {"is no e-mail address", "não é um endereço: " + address.error()});
    }
    nova.motivo = fields.find_text("motivo", motivo_max).value_or("pedido");
    return checked(std::move(nova), fields, language);
}

}  // namespace umavez::mailing
