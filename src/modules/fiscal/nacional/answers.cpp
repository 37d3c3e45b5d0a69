#include "modules/fiscal/nacional/answers.hpp"

#include "base/char_set.hpp"
#include "base/shown.hpp"
#include "json/tree.hpp"
#include "modules/fiscal/authority/nacional_codes.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"
#include "modules/fiscal/nacional/dps.hpp"
#include "modules/fiscal/nacional/messages.hpp"
#include "modules/fiscal/nacional/packing.hpp"
#include "xml/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace umavez::fiscal::nacional {
namespace {

constexpr CharSet key_chars{[](unsigned char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z');
}};

bool is_success(int status) noexcept
{
    return status >= 200 && status < 300;
}

// By form alone: how a key with letters gets its check digit is the authority's business.
bool is_key(std::string_view text) noexcept
{
    return text.size() == NfseKey::length && key_chars.has_all(text);
}

// An answer as JSON, if it is an object.
class Body {
public:
    explicit Body(std::string_view text)
    {
        if (auto tree = JsonTree::parse(text)) tree_ = *std::move(tree);
        is_object_ = tree_ && tree_->root().kind() == JsonKind::object;
    }
    bool is_object() const noexcept { return is_object_; }
    JsonValue root() const { return tree_->root(); }
    std::string text(std::string_view name) const
    {
        return is_object_ ? text_of(root(), name) : std::string{};
    }
    // Of the authority itself, in whatever shape.
    bool has_errors() const
    {
        if (!is_object_) return false;
        constexpr std::array names = {"erros", "erro", "Erros", "Erro"};
        return std::ranges::any_of(names, [this](const char* name) {
            return root().find(name).has_value();
        });
    }
    std::vector<Mensagem> mensagens() const
    {
        return is_object_ ? find_mensagens(root()) : std::vector<Mensagem>{};
    }

private:
    std::optional<JsonTree> tree_;
    bool is_object_ = false;
};

Said begin(const HttpAnswer& answer, const Body& body)
{
    Said said{
        .mensagens = body.mensagens(), .wait = answer.retry_after, .http_status = answer.status
    };
    if (answer.status == 429) said.word = Word::throttled;
    return said;
}

// In English or Portuguese.
bool speaks_of_certificate(std::string_view text)
{
    const auto is_same = [](char left, char right) {
        return left == right || (left >= 'A' && left <= 'Z' && left - 'A' + 'a' == right);
    };
    using namespace std::string_view_literals;
    return std::ranges::any_of(std::array{"certificate"sv, "certificado"sv}, [&](auto word) {
        return !std::ranges::search(text, word, is_same).empty();
    });
}

// Not the authority, but a front: nginx has two statuses for it, or says it under 400; others under 401 and
// 403. What the authority says of certificates in errors of its own is about signatures, or about actors.
bool refuses_certificate(int status, const Body& body, std::string_view text)
{
    if (status == 495 || status == 496) return true;
    const bool may_refuse = status == 400 || status == 401 || status == 403;
    return may_refuse && !body.has_errors() && speaks_of_certificate(text);
}

// What nobody has agreed on: told as it came.
Said unread(Said said, const Body& body, std::string_view text)
{
    said.is_certificate_refused = refuses_certificate(said.http_status, body, text);
    const std::string why =
        fmt::format("HTTP {}: {}", said.http_status, text.empty() ? "no body" : shown(text));
    return unknown(std::move(said), why);
}

// To those who are no actors of the note it is forbidden, whatever certificate they have.
Said unread_note(Said said, const Body& body, std::string_view text)
{
    const bool is_forbidden = said.http_status == 401 || said.http_status == 403;
    Said open = unread(std::move(said), body, text);
    open.is_certificate_refused = open.is_certificate_refused && !is_forbidden;
    return open;
}

// Of several codes the word that promises least decides.
constexpr std::array caution = {
    Word::exists,
    Word::unknown,
    Word::throttled,
    Word::later,
    Word::denied,
    Word::refused,
};

std::size_t rank_of(Word word) noexcept
{
    return static_cast<std::size_t>(std::ranges::find(caution, word) - caution.begin());
}

// The statuses of a rejection that the authority itself has made. With any other a code proves nothing: a
// gateway numbers its errors too, and a server that failed half way may have stored what it was given.
bool is_rejection(int status) noexcept
{
    return status == 400 || status == 403 || status == 422;
}

Said reject(Said said, Call call)
{
    std::optional<CodeMeaning> worst;
    for (const Mensagem& mensagem : said.mensagens) {
        const CodeMeaning meaning = nacional_meaning(mensagem.codigo, call);
        if (!worst || rank_of(meaning.word) < rank_of(worst->word)) worst = meaning;
    }
    said.word = worst->word;
    const bool is_final = said.word == Word::refused || said.word == Word::denied;
    if (is_final && !is_rejection(said.http_status)) said.word = Word::unknown;
    if (!said.wait) said.wait = worst->wait;
    const Mensagem& first = said.mensagens.front();
    said.detail = fmt::format(
        "HTTP {}: {}: {}", said.http_status, shown(first.codigo), shown(first.descricao)
    );
    return said;
}

// The text of an element anywhere below, by its name.
std::string find_anywhere(const xml::Element& element, std::string_view name)
{
    if (element.name() == name && element.space() == nfse_namespace) return element.text();
    for (const xml::Element& child : element.children()) {
        if (auto found = find_anywhere(child, name); !found.empty()) return found;
    }
    return {};
}

// The XML inside of a member, if it can be unpacked and read.
struct Packed {
    std::string text;
    std::optional<xml::Document> document;
};

Packed open_packed(std::string_view packed)
{
    Packed opened;
    auto text = unpack(packed);
    if (!text) return opened;
    if (auto document = xml::Document::parse(*text, {.bytes_max = unpacked_bytes_max})) {
        opened.text = *std::move(text);
        opened.document = *std::move(document);
    }
    return opened;
}

// Whether the XML of an event is of this kind and of this NFS-e: by its Id, or by what it repeats of the
// request.
bool is_event(const xml::Document& document, std::string_view chave, std::string_view evento)
{
    const auto inf = document.root().find("infEvento");
    if (!inf) return false;
    const std::string id = inf->attribute("Id").value_or("");
    if (id.starts_with(fmt::format("EVT{}{}", chave, evento))) return true;
    const auto request = inf->find("pedRegEvento/infPedReg");
    return request && request->find_text("chNFSe") == chave &&
           request->find(fmt::format("e{}", evento)).has_value();
}

bool take_event(
    Said& said, std::string_view packed, std::string_view chave, std::string_view evento
)
{
    Packed opened = open_packed(packed);
    if (!opened.document || !is_event(*opened.document, chave, evento)) return false;
    said.chave = chave;
    said.protocolo = find_anywhere(opened.document->root(), "nDFSe");
    said.xml = std::move(opened.text);
    return true;
}

bool take_nfse(Said& said, std::string_view packed, std::string_view chave)
{
    Packed opened = open_packed(packed);
    if (!opened.document) return false;
    const auto inf = opened.document->root().find("infNFSe");
    if (!inf || inf->attribute("Id") != fmt::format("NFS{}", chave)) return false;
    said.chave = chave;
    said.protocolo = inf->find_text("nDFSe").value_or("");
    said.xml = std::move(opened.text);
    return true;
}

// The id under either spelling; one that is not told is no contradiction.
bool is_about(const Body& body, std::string_view id_dps)
{
    for (const std::string_view name : {"idDps", "idDPS"}) {
        const std::string told = body.text(name);
        if (!told.empty() && told != id_dps) return false;
    }
    return true;
}

// A page of whoever stands in between is no answer of the authority, 404 or not.
bool is_absent(const HttpAnswer& answer, const Body& body)
{
    return answer.status == 404 && (answer.body.empty() || body.is_object());
}

}  // namespace

Said read_emission(const HttpAnswer& answer, std::string_view id_dps)
{
    const Body body{answer.body};
    Said said = begin(answer, body);
    if (said.word == Word::throttled) return said;
    if (is_success(answer.status)) {
        const std::string chave = body.text("chaveAcesso");
        if (!is_key(chave)) return unread(std::move(said), body, answer.body);
        if (!is_about(body, id_dps))
            return unknown(std::move(said), "the answer speaks of another DPS");
        if (!take_nfse(said, body.text("nfseXmlGZipB64"), chave)) {
            return unknown(std::move(said), "the answer has no NFS-e of its key");
        }
        said.word = Word::authorised;
        return said;
    }
    if (said.mensagens.empty()) return unread(std::move(said), body, answer.body);
    return reject(std::move(said), Call::emit);
}

Said read_dps_answer(const HttpAnswer& answer, std::string_view id_dps)
{
    const Body body{answer.body};
    Said said = begin(answer, body);
    if (said.word == Word::throttled) return said;
    if (is_absent(answer, body)) {
        said.word = Word::absent;
        return said;
    }
    if (answer.status != 200) return unread(std::move(said), body, answer.body);
    said.chave = body.text("chaveAcesso");
    // To HEAD there is no body: it exists, and no more is told.
    if (!answer.body.empty() && (!is_key(said.chave) || !is_about(body, id_dps))) {
        said.chave.clear();
        return unread(std::move(said), body, answer.body);
    }
    said.word = Word::exists;
    return said;
}

Said read_nfse_answer(const HttpAnswer& answer, std::string_view chave)
{
    const Body body{answer.body};
    Said said = begin(answer, body);
    if (said.word == Word::throttled) return said;
    if (answer.status != 200) return unread_note(std::move(said), body, answer.body);
    if (!take_nfse(said, body.text("nfseXmlGZipB64"), chave)) {
        return unknown(std::move(said), "the answer has no NFS-e of its key");
    }
    said.word = Word::exists;
    return said;
}

Said read_event_answer(const HttpAnswer& answer, std::string_view chave, std::string_view evento)
{
    const Body body{answer.body};
    Said said = begin(answer, body);
    if (said.word == Word::throttled) return said;
    if (is_absent(answer, body)) {
        said.word = Word::absent;
        return said;
    }
    if (answer.status != 200 || !body.is_object())
        return unread_note(std::move(said), body, answer.body);
    bool is_found = take_event(said, body.text("eventoXmlGZipB64"), chave, evento);
    const auto eventos = body.root().find("eventos");
    if (!is_found && eventos && eventos->kind() == JsonKind::array) {
        for (const JsonValue item : eventos->elements()) {
            is_found = is_found || take_event(said, text_of(item, "arquivoXml"), chave, evento);
        }
    }
    if (!is_found) return unknown(std::move(said), "the answer has no event that can be read");
    said.word = Word::exists;
    return said;
}

Said read_cancellation(const HttpAnswer& answer, std::string_view chave)
{
    const Body body{answer.body};
    Said said = begin(answer, body);
    if (said.word == Word::throttled) return said;
    if (is_success(answer.status)) {
        if (!take_event(said, body.text("eventoXmlGZipB64"), chave, evento_cancelamento)) {
            return unknown(std::move(said), "the answer has no event that can be read");
        }
        said.word = Word::cancelled;
        return said;
    }
    if (said.mensagens.empty()) return unread(std::move(said), body, answer.body);
    return reject(std::move(said), Call::cancel);
}

}  // namespace umavez::fiscal::nacional
