#include "modules/cobranca/input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace umavez::cobranca {
namespace {

using http::Language;
using key_protocol::BodyFields;
using modules::checked;

constexpr std::size_t word_max = 20;         // longer than every word there is
constexpr std::size_t competencia_size = 7;  // "2026-01"

Money read_amount(BodyFields& fields)
{
    const Money valor = fields.money("valor");
    // What cannot be read was refused already, and a second remark on a field is not kept.
    if (valor.cents() == 0) {
        fields.refuse("valor", {"must be at least 0.01", "deve ser no mínimo 0.01"});
    }
    return valor;
}

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

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

}  // namespace

Read<NovaAssinatura> read_nova_assinatura(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"cliente", "plano", "valor", "ciclo"}};
    std::string cliente = fields.text("cliente", cliente_max);
    std::string plano = fields.text("plano", plano_max);
    const Money valor = read_amount(fields);
    const auto ciclo = read_word(fields, "ciclo", parse_ciclo, ciclo_words());
    NovaAssinatura nova{std::move(cliente), std::move(plano), valor, ciclo.value_or(Ciclo::mensal)};
    return checked(std::move(nova), fields, language);
}

Read<AssinaturaChanges> read_assinatura_changes(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"plano", "valor", "estado", "versao"}};
    AssinaturaChanges changes;
    if (fields.has("plano")) changes.plano = fields.text("plano", plano_max);
    if (fields.has("valor")) changes.valor = read_amount(fields);
    if (fields.has("estado")) {
        changes.estado =
            read_word(fields, "estado", parse_estado_assinatura, estado_assinatura_words());
    }
    changes.versao = fields.find_integer("versao");
    if (!fields.has("plano") && !fields.has("valor") && !fields.has("estado")) {
        fields.refuse(
            "",
            {"send at least one of plano, valor, estado",
             "envie ao menos um entre plano, valor, estado"}
        );
    }
    return checked(std::move(changes), fields, language);
}

Read<NovaFatura> read_nova_fatura(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"assinatura_id", "competencia"}};
    NovaFatura nova{fields.integer("assinatura_id"), fields.text("competencia", competencia_size)};
    if (!is_competencia(nova.competencia)) {
        fields.refuse(
            "competencia",
            {"must be a month such as \"2026-01\"", "deve ser um mês como \"2026-01\""}
        );
    }
    return checked(std::move(nova), fields, language);
}

Read<PagamentoBody> read_pagamento(const JsonTree* body, Language language)
{
    BodyFields fields{body, {"fatura_id", "valor", "meio"}};
    const std::int64_t fatura_id = fields.integer("fatura_id");
    const Money valor = read_amount(fields);
    PagamentoBody pagamento{fatura_id, valor, fields.text("meio", meio_max)};
    return checked(std::move(pagamento), fields, language);
}

bool is_competencia(std::string_view text) noexcept
{
    if (text.size() != competencia_size || text[4] != '-') return false;
    const std::string_view year = text.substr(0, 4);
    const std::string_view month = text.substr(5);
    return std::ranges::all_of(year, is_digit) && std::ranges::all_of(month, is_digit) &&
           year >= "1900" && month >= "01" && month <= "12";
}

}  // namespace umavez::cobranca
