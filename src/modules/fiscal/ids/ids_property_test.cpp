// Whatever is built is read back; one changed character is found where the rule promises it; and no text
// makes two documents of one, or one of two.

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/dps_id.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"

#include <umavez/names.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace umavez::fiscal {
namespace {

constexpr std::string_view figures = "0123456789";
constexpr std::string_view figures_and_capitals = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string any_of(std::string_view set, std::size_t length)
{
    std::string text;
    while (text.size() < length) text += set[*rc::gen::inRange<std::size_t>(0, set.size())];
    return text;
}

// By the definition of the rule, independent of ours: the rest of the weighted sum.
int rest_of(std::string_view text, int weight_max)
{
    int sum = 0;
    for (std::size_t from_right = 0; from_right < text.size(); ++from_right) {
        const int weight = 2 + static_cast<int>(from_right) % (weight_max - 1);
        sum += (text[text.size() - 1 - from_right] - '0') * weight;
    }
    return sum % 11;
}

char digit_for(int rest)
{
    constexpr std::string_view by_rest = "00987654321";
    return by_rest[static_cast<std::size_t>(rest)];
}

Inscricao any_inscricao()
{
    const bool is_cpf = *rc::gen::arbitrary<bool>();
    const bool has_letters = *rc::gen::arbitrary<bool>();
    const int weight_max = is_cpf ? 11 : 9;
    std::string text =
        any_of(!is_cpf && has_letters ? figures_and_capitals : figures, is_cpf ? 9 : 12);
    text += digit_for(rest_of(text, weight_max));
    text += digit_for(rest_of(text, weight_max));
    const auto parsed = Inscricao::parse(text);
    RC_PRE(parsed.has_value());  // not all equal
    return *parsed;
}

std::string any_aamm()
{
    return any_of(figures, 2) + zero_padded(*rc::gen::inRange<std::int64_t>(1, 13), 2);
}

std::int64_t up_to(std::int64_t first, std::int64_t last)
{
    // The ends more often than by chance.
    if (*rc::gen::inRange(0, 10) == 0) return *rc::gen::element(first, last);
    return *rc::gen::inRange(first, last + 1);
}

AccessKeyFields any_access_key()
{
    const std::array<std::string, 4> ufs = {"11", "35", "43", "53"};
    return {
        .natural =
            {.tipo = *rc::gen::element(Tipo::nfe, Tipo::nfce),
             .uf = *rc::gen::elementOf(ufs),
             .inscricao = any_inscricao().padded(),
             .serie = up_to(0, 999),
             .numero = up_to(1, 999'999'999),
             .tp_emis = *rc::gen::inRange(0, 10)},
        .aamm = any_aamm(),
        .c_nf = any_of(figures, 8),
    };
}

DpsIdFields any_dps()
{
    return {
        .municipio = any_of(figures, 7),
        .inscricao = any_inscricao(),
        .serie = up_to(0, 99'999),
        .numero = up_to(1, 999'999'999'999'999),
    };
}

NfseKeyFields any_nfse_key()
{
    return {
        .municipio = any_of(figures, 7),
        .amb_ger = *rc::gen::inRange(1, 3),
        .inscricao = any_inscricao(),
        .numero = up_to(0, 9'999'999'999'999),
        .aamm = any_aamm(),
        .aleatorio = any_of(figures, 9),
    };
}

SpRpsKey any_rps()
{
    const auto serie = any_of("0123456789ABCXYZ_-./", *rc::gen::inRange<std::size_t>(0, 6));
    const auto key = SpRpsKey::make(
        any_of(figures, *rc::gen::inRange<std::size_t>(1, 13)), serie, up_to(1, 999'999'999'999)
    );
    RC_PRE(key.has_value());  // the registration not all zeros
    return *key;
}

// `text` with one character, at `position`, exchanged for another of the same kind.
std::string with_one_changed(std::string text, std::size_t position)
{
    const bool is_figure = figures.contains(text[position]);
    const std::string_view set =
        is_figure && *rc::gen::arbitrary<bool>() ? figures : figures_and_capitals;
    const std::size_t before = set.find(text[position]);
    const auto step = *rc::gen::inRange<std::size_t>(1, set.size());
    text[position] = set[(before + step) % set.size()];
    return text;
}

RC_GTEST_PROP(FiscalIdsProperty, WhatIsBuiltIsReadBack, ())
{
    const auto access = any_access_key();
    const auto key = AccessKey::build(access);
    RC_ASSERT(key.has_value());
    RC_ASSERT(key->fields() == access);
    RC_ASSERT(AccessKey::parse(key->text()).value() == *key);

    const auto dps = any_dps();
    const auto id = DpsId::build(dps);
    RC_ASSERT(id.has_value());
    RC_ASSERT(id->fields() == dps);
    RC_ASSERT(DpsId::parse(id->text()).value() == *id);

    const auto nfse = any_nfse_key();
    const auto chave = NfseKey::build(nfse);
    RC_ASSERT(chave.has_value());
    RC_ASSERT(chave->fields() == nfse);
    RC_ASSERT(NfseKey::parse(chave->text()).value() == *chave);

    const auto event = NfseEventId::build(*chave, any_of(figures, 6));
    RC_ASSERT(event.has_value());
    RC_ASSERT(NfseEventId::parse(event->text()).value() == *event);

    const SpRpsKey rps = any_rps();
    RC_ASSERT(SpRpsKey::parse(rps.text()).value() == rps);
}

// Rests of 0 and 1 have the same digit, and letters whose values are 11 apart weigh the same: the rule
// promises to find every change but those, and every change of the digit itself.
RC_GTEST_PROP(FiscalIdsProperty, OneChangedCharacterOfAKeyIsFoundWhereTheDigitTells, ())
{
    const std::string text = *rc::gen::arbitrary<bool>()
                                 ? AccessKey::build(any_access_key())->text()
                                 : NfseKey::build(any_nfse_key())->text();
    const auto position = *rc::gen::inRange<std::size_t>(0, text.size());
    const std::string changed = with_one_changed(text, position);
    const std::string_view body = std::string_view{changed}.substr(0, changed.size() - 1);
    const bool is_told = digit_for(rest_of(body, 9)) != changed.back();

    const bool is_accepted = changed.size() == AccessKey::length
                                 ? AccessKey::parse(changed).has_value()
                                 : NfseKey::parse(changed).has_value();

    RC_CLASSIFY(is_told);
    if (is_told) RC_ASSERT(!is_accepted);
    if (position == text.size() - 1) RC_ASSERT(!is_accepted);
}

// Two digits tell nearly everything; what one lets through, the other mostly does not.
RC_GTEST_PROP(FiscalIdsProperty, OneChangedCharacterOfAnInscriptionIsFoundWhereTheDigitsTell, ())
{
    const Inscricao inscricao = any_inscricao();
    const std::string& text = inscricao.text();
    const int weight_max = inscricao.kind() == InscricaoKind::cpf ? 11 : 9;
    const auto position = *rc::gen::inRange<std::size_t>(0, text.size());
    const std::string changed = with_one_changed(text, position);
    const std::string_view all = changed;
    const bool is_right =
        digit_for(rest_of(all.substr(0, all.size() - 2), weight_max)) == all[all.size() - 2] &&
        digit_for(rest_of(all.substr(0, all.size() - 1), weight_max)) == all.back();

    const bool is_accepted = Inscricao::parse(changed).has_value();

    RC_CLASSIFY(!is_right);
    if (!is_right) RC_ASSERT(!is_accepted);
    if (position >= text.size() - 2) RC_ASSERT(!is_accepted);
}

RC_GTEST_PROP(FiscalIdsProperty, TheTextOfADocumentIsAKeyAndNamesItAlone, ())
{
    const auto one = any_access_key();
    auto other = one;
    const Ambiente ambiente = *rc::gen::element(Ambiente::producao, Ambiente::homologacao);

    // What the authority does not tell two documents apart by.
    other.aamm = any_aamm();
    other.c_nf = any_of(figures, 8);
    if (one.natural.tipo == Tipo::nfe) other.natural.tp_emis = *rc::gen::inRange(0, 10);
    const auto text = id_idempotencia(ambiente, AccessKey::build(one)->natural_key());
    RC_ASSERT(text == id_idempotencia(ambiente, AccessKey::build(other)->natural_key()));
    RC_ASSERT(Key::parse(text).has_value());

    // And what it does.
    other.natural.numero = up_to(1, 999'999'999);
    RC_ASSERT(
        (other.natural.numero == one.natural.numero) ==
        (text == id_idempotencia(ambiente, AccessKey::build(other)->natural_key()))
    );

    const SpRpsKey first = any_rps();
    const SpRpsKey second = any_rps();
    RC_ASSERT((first == second) == (first.text() == second.text()));
    RC_ASSERT(Key::parse(id_idempotencia(ambiente, first)).has_value());
}

}  // namespace
}  // namespace umavez::fiscal
