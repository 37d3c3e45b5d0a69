#include "modules/mailing/unsubscribe.hpp"

#include "base/digest.hpp"
#include "http/html.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace umavez::mailing {
namespace {

using http::Language;
using http::Text;

constexpr std::string_view style =
    ":root{color-scheme:light dark}"
    "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1.5rem}"
    "h1{font-size:1.5rem}"
    "button{font:inherit;padding:.6rem 1.4rem;border-radius:.4rem;border:1px solid;cursor:pointer}";

struct Words {
    int status;
    Text title;
    Text sentence;
    Text button;  // empty: none
};

const Words& words_of(UnsubscribePage page)
{
    static const Words ask{
        200,
        {"Unsubscribe", "Cancelar inscrição"},
        {"Press the button to get no more messages from this sender.",
         "Aperte o botão para não receber mais mensagens deste remetente."},
        {"Unsubscribe", "Cancelar inscrição"},
    };
    static const Words done{
        200,
        {"You are unsubscribed", "Inscrição cancelada"},
        {"This sender will send you nothing more. A message that is on its way already may still "
         "arrive.",
         "Este remetente não enviará mais nada a você. Uma mensagem que já está a caminho ainda "
         "pode "
         "chegar."},
        {},
    };
    static const Words unknown{
        404,
        {"This link does not work", "Este link não funciona"},
        {"It may have been cut on its way. Open it again from the message itself.",
         "Ele pode ter sido cortado no caminho. Abra-o de novo a partir da própria mensagem."},
        {},
    };
    switch (page) {
        case UnsubscribePage::ask: return ask;
        case UnsubscribePage::done: return done;
        case UnsubscribePage::unknown: return unknown;
    }
    return unknown;
}

// To the address of the page itself, with what a mail program sends (RFC 8058).
std::string to_form(const std::string& button)
{
    if (button.empty()) return {};
    return fmt::format(
        "<form method=\"post\"><input type=\"hidden\" name=\"List-Unsubscribe\" "
        "value=\"One-Click\"><button>{}</button></form>\n",
        http::escaped(button)
    );
}

}  // namespace

std::optional<UnsubscribeToken> parse_unsubscribe_token(std::string_view text) noexcept
{
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    UnsubscribeToken parsed{.token = text.substr(dash + 1)};
    const char* const end = text.data() + dash;
    const auto [rest, error] = std::from_chars(text.data(), end, parsed.entry_id);
    if (error != std::errc{} || rest != end || parsed.entry_id < 1) return std::nullopt;
    return parsed.token.empty() ? std::nullopt : std::optional{parsed};
}

bool is_same_token(std::string_view left, std::string_view right)
{
    // Digests have one length, and where they differ tells nothing of where the texts do.
    return sha256(left) == sha256(right);
}

http::Response show_unsubscribe_page(UnsubscribePage page, Language language)
{
    const Words& words = words_of(page);
    const std::string title = http::escaped(words.title.in(language));
    http::Response response{.status = words.status, .headers = {}, .body = {}};
    response.headers = {
        {"Content-Type", "text/html; charset=utf-8"},
        {"Content-Language", std::string{http::to_tag(language)}},
        {"Content-Security-Policy",
         "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
         "frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Robots-Tag", "noindex, nofollow"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
        {"Vary", "Accept-Language"},
    };
    response.body = fmt::format(
        "<!doctype html>\n"
        "<html lang=\"{}\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"robots\" content=\"noindex\">\n"
        "<title>{}</title>\n"
        "<style>{}</style>\n"
        "</head>\n"
        "<body>\n"
        "<h1>{}</h1>\n"
        "<p>{}</p>\n"
        "{}"
        "</body>\n"
        "</html>\n",
        http::to_tag(language),
        title,
        style,
        title,
        http::escaped(words.sentence.in(language)),
        to_form(words.button.in(language))
    );
    return response;
}

}  // namespace umavez::mailing
