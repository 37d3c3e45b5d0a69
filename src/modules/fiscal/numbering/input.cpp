#include "modules/fiscal/numbering/input.hpp"

#include "modules/fiscal/ids/inscricao.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace umavez::fiscal {
namespace {

using http::Language;
using key_protocol::BodyFields;
using modules::checked;

constexpr std::size_t word_max = 20;       // longer than every word there is
constexpr std::size_t inscricao_max = 18;  // "12.345.678/0001-95"
constexpr std::size_t place_max = 12;

template <typename Parse>
auto read_word(
    BodyFields& fields, std::string_view name, Parse parse, const std::vector<std::string>& words
)
{
    const auto word = parse(fields.text(name, word_max));
    if (!word) {
        const std::string list = fmt::format("{}", fmt::join(words, ", "));
        fields.refuse(
            std::string{name},
            {fmt::format("must be one of {}", list), fmt::format("deve ser um entre {}", list)}
        );
    }
    return word;
}

void refuse(BodyFields& fields, std::string_view name, IdFault fault)
{
    const FaultText text = describe(fault);
    fields.refuse(std::string{name}, {std::string{text.en}, std::string{text.pt}});
}

Serie read_serie(BodyFields& fields)
{
    Serie serie;
    const auto tipo = read_word(fields, "tipo", parse_tipo, tipo_words());
    const auto ambiente = read_word(fields, "ambiente", parse_ambiente, ambiente_words());
    serie.tipo = tipo.value_or(serie.tipo);
    serie.ambiente = ambiente.value_or(serie.ambiente);
    const auto emitente =
        Inscricao::parse(normalise_inscricao(fields.text("emitente", inscricao_max)));
    if (emitente) {
        serie.emitente = emitente->text();
    } else {
        refuse(fields, "emitente", emitente.error());
    }
    constexpr std::size_t serie_max = 5;
    // In São Paulo an RPS may have no series at all.
    const bool may_be_absent = tipo == Tipo::nfse_sp;
    const std::string text = may_be_absent ? fields.find_text("serie", serie_max).value_or("")
                                           : fields.text("serie", serie_max);
    const auto canonical = canonical_serie(serie.tipo, text);
    if (canonical) {
        serie.serie = *canonical;
    } else if (tipo) {
        refuse(fields, "serie", canonical.error());
    }
    return serie;
}

Lugar read_lugar(BodyFields& fields, const Serie& serie)
{
    const std::string_view needed = lugar_field(serie.tipo);
    Lugar lugar;
    for (const auto& [name, place] :
         {std::pair{std::string_view{"municipio"}, &lugar.municipio},
          std::pair{std::string_view{"uf"}, &lugar.uf},
          std::pair{std::string_view{"inscricao_municipal"}, &lugar.inscricao_municipal}}) {
        if (name == needed) {
            *place = fields.text(name, place_max);
        } else if (fields.has(name)) {
            fields.refuse(
                std::string{name},
                {fmt::format("does not belong to {}: leave it out", to_text(serie.tipo)),
                 fmt::format("não faz parte de {}: omita", to_text(serie.tipo))}
            );
        }
    }
    lugar.tp_emis = fields.find_integer("tp_emis").value_or(1);
    return lugar;
}

}  // namespace

modules::Read<NovaFaixa> read_nova_faixa(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"tipo", "ambiente", "emitente", "serie", "ultimo_numero"}};
    NovaFaixa nova{read_serie(fields), fields.find_integer("ultimo_numero", 0).value_or(0)};
    if (const std::int64_t most = numero_max_of(nova.serie.tipo); nova.ultimo_numero > most) {
        fields.refuse(
            "ultimo_numero",
            {fmt::format("must be at most {}", most), fmt::format("deve ser no máximo {}", most)}
        );
    }
    return checked(std::move(nova), fields, language);
}

modules::Read<FaixaChanges> read_faixa_changes(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"bloqueado", "ultimo_numero", "versao"}};
    FaixaChanges changes;
    if (fields.has("bloqueado")) {
        const auto value = body->root().find("bloqueado");
        if (value->kind() == JsonKind::boolean) {
            changes.bloqueado = value->boolean();
        } else {
            fields.refuse("bloqueado", {"must be true or false", "deve ser true ou false"});
        }
    }
    changes.ultimo_numero = fields.find_integer("ultimo_numero");
    changes.versao = fields.find_integer("versao");
    if (!fields.has("bloqueado") && !fields.has("ultimo_numero")) {
        fields.refuse(
            "",
            {"send at least one of bloqueado, ultimo_numero",
             "envie ao menos um entre bloqueado, ultimo_numero"}
        );
    }
    return checked(changes, fields, language);
}

modules::Read<NovaReserva> read_nova_reserva(const JsonTree* body, Language language)
{
    BodyFields fields{
        body,
        {"tipo",
         "ambiente",
         "emitente",
         "serie",
         "municipio",
         "uf",
         "inscricao_municipal",
         "tp_emis"}
    };
    NovaReserva nova;
    nova.serie = read_serie(fields);
    nova.lugar = read_lugar(fields, nova.serie);
    // Whether the place is one: the first number of a series has a name or none has.
    if (!fields.problem(language)) {
        if (const auto named = name_number(nova.serie, nova.lugar, 1); !named) {
            const bool is_tp_emis = nova.lugar.tp_emis > 9;
            refuse(fields, is_tp_emis ? "tp_emis" : lugar_field(nova.serie.tipo), named.error());
        }
    }
    return checked(std::move(nova), fields, language);
}

}  // namespace umavez::fiscal
