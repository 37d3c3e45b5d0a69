#include "modules/mailing/letters.hpp"

#include "json/tree.hpp"
#include "mail/mime.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

namespace umavez::mailing {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

std::expected<Names, std::string> read_fields(const MarkedEntry& entry)
{
    Names names;
    if (!entry.fields) return names;
    const auto tree = JsonTree::parse(*entry.fields);
    if (!tree || tree->root().kind() != JsonKind::object) {
        return std::unexpected("as colunas desta linha não podem ser lidas");
    }
    for (const JsonMember member : tree->root().members()) {
        const JsonValue value = member.value();
        if (value.kind() != JsonKind::string) continue;
        names.emplace(mail::to_field_name(member.name().string()), value.string());
    }
    return names;
}

}  // namespace

Letters::Letters(
    std::string uuid,
    std::string public_url,
    std::string from,
    mail::Mailbox mailbox,
    mail::Template subject,
    mail::Template text,
    mail::Template html
)
    : uuid_(std::move(uuid)),
      public_url_(std::move(public_url)),
      from_(std::move(from)),
      mailbox_(std::move(mailbox)),
      subject_(std::move(subject)),
      text_(std::move(text)),
      html_(std::move(html))
{
}

Result<Letters> Letters::parse(const Mailing& mailing, std::string public_url)
{
    if (!mailing.message) return fail(Errc::invalid_argument, "a mensagem não foi informada");
    const Message& message = *mailing.message;
    auto mailbox = mail::parse_mailbox(message.remetente);
    if (!mailbox) {
        return fail(Errc::invalid_argument, fmt::format("remetente: {}", mailbox.error()));
    }
    auto subject = mail::Template::parse(message.assunto);
    if (!subject) return std::unexpected(subject.error());
    auto text = mail::Template::parse(message.texto);
    if (!text) return std::unexpected(text.error());
    auto html = mail::Template::parse(message.html);
    if (!html) return std::unexpected(html.error());
    while (public_url.ends_with('/')) public_url.pop_back();
    return Letters{
        mailing.uuid,
        std::move(public_url),
        message.remetente,
        *std::move(mailbox),
        *std::move(subject),
        *std::move(text),
        *std::move(html)
    };
}

std::expected<Letter, std::string> Letters::write(const MarkedEntry& entry, Instant date) const
{
    const auto fields = read_fields(entry);
    if (!fields) return std::unexpected(fields.error());
    const std::string unsubscribe =
        public_url_.empty() ? std::string{} : unsubscribe_url(public_url_, entry);
    const auto lookup = [&](std::string_view name) -> std::string_view {
        if (name == "email") return entry.email;
        if (name == "descadastro") return unsubscribe;
        const auto found = fields->find(name);
        return found == fields->end() ? std::string_view{} : std::string_view{found->second};
    };
    mail::Content content{
        .from = from_,
        .to = entry.email,
        .subject = subject_.render(lookup, mail::Escaping::none),
        .text = text_.render(lookup, mail::Escaping::none),
        .html = html_.render(lookup, mail::Escaping::html),
        .message_id = mail::make_message_id(uuid_, entry.email, mail::domain_of(mailbox_.address)),
        .date = date,
    };
    if (!unsubscribe.empty()) {
        content.headers.emplace_back("List-Unsubscribe", fmt::format("<{}>", unsubscribe));
        content.headers.emplace_back("List-Unsubscribe-Post", "List-Unsubscribe=One-Click");
    }
    return Letter{{.from = mailbox_.address, .to = entry.email}, mail::to_mime(content)};
}

std::string unsubscribe_url(const std::string& public_url, const MarkedEntry& entry)
{
    return fmt::format("{}/u/{}-{}", public_url, entry.id, entry.token);
}

}  // namespace umavez::mailing
