#include "modules/fiscal/input.hpp"

#include "base/utf8.hpp"
#include "key_protocol/translated.hpp"
#include "modules/fiscal/ids/dps_id.hpp"
#include "modules/fiscal/ids/inscricao.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace umavez::fiscal {
namespace {

using http::Language;
using key_protocol::BodyFields;
using modules::checked;

constexpr std::size_t word_max = 20;
constexpr std::size_t inscricao_max = 20;  // with punctuation
constexpr std::size_t serie_max = 5;
constexpr std::size_t municipio_max = 7;
constexpr char32_t latin_max = 0xff;  // what the schemas of authorities allow

void refuse_word(BodyFields& fields, const char* name, const std::vector<std::string>& words)
{
    const std::string list = fmt::format("{}", fmt::join(words, ", "));
    fields.refuse(
        name, {fmt::format("must be one of {}", list), fmt::format("deve ser um entre {}", list)}
    );
}

std::optional<Tipo> read_tipo(BodyFields& fields)
{
    const auto tipo = parse_tipo(fields.text("tipo", word_max));
    if (!tipo) refuse_word(fields, "tipo", tipo_words());
    return tipo;
}

// Many lines, so it is no text as the others are.
std::string read_xml(BodyFields& fields, const JsonTree* body)
{
    const auto xml = body != nullptr ? body->root().find("xml") : std::nullopt;
    if (!xml || xml->kind() != JsonKind::string || xml->string().empty()) {
        fields.refuse(
            "xml", {"must be the signed XML, as text", "deve ser o XML assinado, em texto"}
        );
        return {};
    }
    if (xml->string().size() > xml_bytes_max) {
        fields.refuse(
            "xml",
            {fmt::format("has more than {} bytes", xml_bytes_max),
             fmt::format("tem mais de {} bytes", xml_bytes_max)}
        );
        return {};
    }
    return std::string{xml->string()};
}

void refuse_other(BodyFields& fields, const char* name, std::string_view in_xml)
{
    fields.refuse(
        name,
        {fmt::format("is not what the XML says, {}", in_xml),
         fmt::format("não é o que diz o XML, {}", in_xml)}
    );
}

std::string_view without_zeros(std::string_view digits)
{
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    return digits;
}

// Where the natural key has it. Nullopt: it does not.
std::optional<std::string> municipio_of(const Identidade& identidade)
{
    if (identidade.tipo != Tipo::nfse_nacional || !identidade.id_autoridade) return std::nullopt;
    const auto id = DpsId::parse(*identidade.id_autoridade);
    if (!id) return std::nullopt;
    return std::string{id->municipio()};
}

// What the body says beside the XML must be the same.
void compare(BodyFields& fields, const Identidade& identidade)
{
    if (const auto ambiente = fields.find_text("ambiente", word_max)) {
        const auto parsed = parse_ambiente(*ambiente);
        if (!parsed) refuse_word(fields, "ambiente", ambiente_words());
        if (parsed && *parsed != identidade.ambiente) {
            refuse_other(fields, "ambiente", to_text(identidade.ambiente));
        }
    }
    if (const auto emitente = fields.find_text("emitente", inscricao_max)) {
        if (normalise_inscricao(*emitente) != identidade.emitente) {
            refuse_other(fields, "emitente", identidade.emitente);
        }
    }
    if (const auto serie = fields.find_text("serie", serie_max)) {
        if (without_zeros(*serie) != without_zeros(identidade.serie)) {
            refuse_other(fields, "serie", identidade.serie);
        }
    }
    if (const auto numero = fields.find_integer("numero")) {
        if (*numero != identidade.numero) {
            refuse_other(fields, "numero", std::to_string(identidade.numero));
        }
    }
    const auto municipio = fields.find_text("municipio", municipio_max);
    const auto in_xml = municipio_of(identidade);
    if (municipio && in_xml && *municipio != *in_xml) refuse_other(fields, "municipio", *in_xml);
}

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::string take_justificativa(BodyFields& fields)
{
    std::string text{trimmed(fields.text("justificativa", justificativa_max))};
    std::size_t characters = 0;
    bool is_latin = true;
    for (std::string_view rest = text; !rest.empty(); ++characters) {
        const char32_t character = take_character(rest);
        is_latin = is_latin && character <= latin_max && !is_control(character);
    }
    if (!is_latin) {
        fields.refuse(
            "justificativa",
            {"may have letters, digits and signs of Latin-1, on one line",
             "pode ter letras, algarismos e sinais do Latin-1, em uma linha"}
        );
    } else if (characters < justificativa_min) {
        fields.refuse(
            "justificativa",
            {fmt::format("must have {} to {} characters", justificativa_min, justificativa_max),
             fmt::format("deve ter de {} a {} caracteres", justificativa_min, justificativa_max)}
        );
    }
    return text;
}

void refuse_issuer(BodyFields& fields)
{
    fields.refuse(
        "emitente",
        {"is not an issuer of this account; whoever runs the server adds it (fiscal.emitente)",
         "não é um emitente desta conta; quem opera o servidor o cadastra (fiscal.emitente)"}
    );
}

}  // namespace

Read<Nova> read_nova(
    const Module& module, const JsonTree* body, const TenantId& tenant_id, Language language
)
{
    BodyFields fields{
        body, {"tipo", "ambiente", "emitente", "serie", "numero", "municipio", "substitui", "xml"}
    };
    const auto tipo = read_tipo(fields);
    Nova nova{.identidade = {}, .xml = read_xml(fields, body), .key = {}};
    const TipoParts* const parts = tipo ? module.find_tipo(*tipo) : nullptr;
    if (tipo && parts == nullptr) {
        fields.refuse("tipo", {"is not handled by this server", "não é tratado por este servidor"});
    }
    if (parts != nullptr && !nova.xml.empty()) {
        const auto told = fields.find_text("ambiente", word_max);
        auto read = parts->read(nova.xml, told ? parse_ambiente(*told) : std::nullopt);
        if (!read) {
            fields.refuse("xml", key_protocol::translated(read.error().detail));
        } else {
            nova.identidade = *std::move(read);
            compare(fields, nova.identidade);
            if (!module.is_issuer(tenant_id, nova.identidade.emitente)) refuse_issuer(fields);
        }
    }
    nova.substitui = fields.find_integer("substitui");
    return checked(std::move(nova), fields, language);
}

Read<std::string> read_justificativa(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"justificativa"}};
    std::string text = take_justificativa(fields);
    return checked(std::move(text), fields, language);
}

Read<NovaInutilizacao> read_inutilizacao(
    const Module& module, const JsonTree* body, const TenantId& tenant_id, Language language
)
{
    BodyFields fields{
        body,
        {"tipo", "ambiente", "emitente", "serie", "numero_inicial", "numero_final", "justificativa"}
    };
    NovaInutilizacao nova;
    const auto tipo = read_tipo(fields);
    nova.serie.tipo = tipo.value_or(Tipo::nfse_nacional);
    if (!tipo || !has_voiding(*tipo)) return checked(std::move(nova), fields, language);
    if (module.find_tipo(*tipo) == nullptr) {
        fields.refuse("tipo", {"is not handled by this server", "não é tratado por este servidor"});
    }
    const auto ambiente = parse_ambiente(fields.text("ambiente", word_max));
    if (!ambiente) refuse_word(fields, "ambiente", ambiente_words());
    nova.serie.ambiente = ambiente.value_or(Ambiente::homologacao);
    nova.serie.emitente = normalise_inscricao(fields.text("emitente", inscricao_max));
    if (!module.is_issuer(tenant_id, nova.serie.emitente)) refuse_issuer(fields);
    nova.serie.serie = without_zeros(fields.text("serie", serie_max));
    nova.primeiro = fields.integer("numero_inicial");
    nova.ultimo = fields.find_integer("numero_final").value_or(nova.primeiro);
    if (nova.ultimo < nova.primeiro || nova.ultimo - nova.primeiro >= inutilizacao_max) {
        fields.refuse(
            "numero_final",
            {fmt::format("must be at most {} numbers on", inutilizacao_max - 1),
             fmt::format("deve estar no máximo {} números adiante", inutilizacao_max - 1)}
        );
    }
    nova.justificativa = take_justificativa(fields);
    return checked(std::move(nova), fields, language);
}

}  // namespace umavez::fiscal
