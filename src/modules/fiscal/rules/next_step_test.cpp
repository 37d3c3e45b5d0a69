// Every state, act, word and circumstance: what must never happen, and the tables as a person would write
// them.

#include "modules/fiscal/rules/next_step.hpp"

#include "modules/fiscal/rules/retry_rule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace umavez::fiscal {
namespace {

constexpr std::array acts = {
    Act::emit, Act::consult, Act::cancel, Act::consult_cancel, Act::void_number
};
constexpr auto words_count = static_cast<int>(Word::unknown) + 1;

struct Case {
    Estado from;
    Act act;
    Word word;
    Circumstance circumstance;
    NextStep step;
};

std::string shown_case(const Case& one)
{
    std::string text;
    text += std::string{to_text(one.from)} + " " + std::string{to_text(one.act)} + " ";
    text += std::string{to_text(one.word)} + ", before " +
            std::string{to_text(one.circumstance.before)} + " → ";
    text += std::string{to_text(one.step.to)} + " " + std::string{to_text(one.step.then)};
    return text;
}

template <typename Check>
void for_every_case(Check check)
{
    for (const Estado from : all_estados()) {
        for (const Act act : acts) {
            for (int word = 0; word < words_count; ++word) {
                for (const Estado before : all_estados()) {
                    for (int bits = 0; bits < 192; ++bits) {
                        Circumstance circumstance{
                            .before = before,
                            .may_try_again = (bits & 1) != 0,
                            .is_settled = (bits & 2) != 0,
                            .has_code = (bits & 4) != 0,
                            .was_unclear = (bits & 8) != 0,
                            .was_refused = (bits & 16) != 0,
                            .is_replaced = bits >= 96,
                        };
                        if (bits / 32 % 3 > 0) circumstance.is_ours = bits / 32 % 3 == 1;
                        const auto said = static_cast<Word>(word);
                        const Case one{
                            from, act, said, circumstance, next_step(from, act, said, circumstance)
                        };
                        check(one);
                        if (testing::Test::HasFailure()) {
                            FAIL() << shown_case(one);
                        }
                    }
                }
            }
        }
    }
}

bool is_question(Act act)
{
    return act == Act::consult || act == Act::consult_cancel;
}

bool is_emission_in_doubt(Estado estado)
{
    return estado == Estado::transmitido || estado == Estado::indeterminado;
}

TEST(NextStep, LeadsToNoForbiddenState)
{
    for_every_case([](const Case& one) {
        if (one.step.to != one.from) {
            EXPECT_TRUE(may_become(one.from, one.step.to));
        }
    });
}

TEST(NextStep, NothingLeadsOutOfAFinalState)
{
    for_every_case([](const Case& one) {
        if (!is_final(one.from)) return;
        EXPECT_EQ(one.step.to, one.from);
        EXPECT_EQ(one.step.then, Then::finish);
    });
}

TEST(NextStep, AutorizadoIsLeftByNothingButACancellationOrSubstitution)
{
    for_every_case([](const Case& one) {
        if (one.from != Estado::autorizado || one.step.to == Estado::autorizado) return;
        const bool begins_pending =
            one.act == Act::cancel && one.step.to == Estado::cancelamento_pendente;
        const bool is_told =
            (one.word == Word::cancelled && one.step.to == Estado::cancelado) ||
            (one.word == Word::substituted && one.step.to == Estado::substituido) ||
            (one.word == Word::under_analysis && one.step.to == Estado::cancelamento_em_analise);
        EXPECT_TRUE(begins_pending || is_told);
    });
}

TEST(NextStep, NothingIsAuthorisedButByTheAuthoritysWord)
{
    for_every_case([](const Case& one) {
        if (one.step.to != Estado::autorizado || one.from == Estado::autorizado) return;
        const bool was_authorised = one.from == Estado::cancelamento_pendente ||
                                    one.from == Estado::cancelamento_em_analise;
        EXPECT_TRUE(was_authorised || one.word == Word::authorised);
        // And not while the cancellation may have been registered.
        if (one.from == Estado::cancelamento_pendente) {
            const bool is_back = one.act == Act::cancel && effect_of(one.word) == Effect::none;
            const bool has_no_event =
                is_question(one.act) && one.word == Word::authorised &&
                one.circumstance.is_settled &&
                (one.circumstance.was_unclear || one.circumstance.was_refused);
            EXPECT_TRUE(is_back || has_no_event);
            if (is_back && one.word == Word::refused) {
                EXPECT_NE(one.circumstance.before, Estado::cancelamento_pendente);
            } else if (is_back) {
                EXPECT_EQ(one.circumstance.before, Estado::autorizado);
            }
        }
        const bool is_strange = one.circumstance.is_ours == false && is_emission_in_doubt(one.from);
        EXPECT_FALSE(is_strange);
    });
}

TEST(NextStep, TheSameBytesGoOutAgainOnlyAfterABelievedAbsence)
{
    for_every_case([](const Case& one) {
        if (one.step.then != Then::resend_same_bytes) return;
        EXPECT_TRUE(is_question(one.act));
        EXPECT_TRUE(one.circumstance.is_settled);
        EXPECT_FALSE(one.circumstance.was_unclear);
        EXPECT_FALSE(one.circumstance.was_refused);
        // Of the document; or of the event, of a document that is there.
        const bool is_absent = is_emission_in_doubt(one.from) && one.word == Word::absent;
        const bool has_no_event =
            one.from == Estado::cancelamento_pendente && one.word == Word::authorised;
        EXPECT_TRUE(is_absent || has_no_event);
    });
}

TEST(NextStep, ACallIsRepeatedOnlyWhereTheRetryRuleAllows)
{
    for_every_case([](const Case& one) {
        if (one.step.then != Then::wait) return;
        EXPECT_TRUE(one.circumstance.may_try_again);
        // An absence that is not believed yet is asked about again.
        const bool is_unsettled = is_question(one.act) && !one.circumstance.is_settled;
        const bool is_put_off = one.word == Word::later || one.word == Word::unreached;
        const bool is_unanswered = is_question(one.act) && one.word == Word::unknown;
        EXPECT_TRUE(is_put_off || is_unanswered || is_unsettled) << to_text(one.word);
        if (!is_question(one.act)) {
            EXPECT_EQ(effect_of(one.word), Effect::none);
        }
    });
}

TEST(NextStep, DoubtIsNeverLeftByAnAnswerThatTellsNothing)
{
    for_every_case([](const Case& one) {
        // A question is answered by an absence, and by a refusal that a receipt brings.
        const bool tells_nothing = one.word == Word::unknown || one.word == Word::exists ||
                                   (is_question(one.act) && effect_of(one.word) == Effect::none &&
                                    one.word != Word::absent && one.word != Word::refused);
        const bool is_pending = one.from == Estado::cancelamento_pendente;
        if (!tells_nothing || !(is_pending || is_emission_in_doubt(one.from))) return;
        if (one.act == Act::cancel && !is_pending) return;
        if (one.act == Act::emit && is_pending) return;
        if (one.act == Act::void_number) {
            EXPECT_EQ(one.step.to, one.from);
            return;
        }
        EXPECT_EQ(one.step.to, is_pending ? Estado::cancelamento_pendente : Estado::indeterminado);
        EXPECT_NE(one.step.then, Then::finish);
        EXPECT_NE(one.step.then, Then::let_go);
    });
}

TEST(NextStep, AKeyIsLetGoOnlyWhenNothingOfTheActIsThere)
{
    for_every_case([](const Case& one) {
        if (one.step.then != Then::let_go) return;
        const bool has_no_event = is_question(one.act) && one.word == Word::authorised &&
                                  (one.from == Estado::cancelamento_em_analise ||
                                   one.from == Estado::cancelamento_pendente);
        // A number that is said to be in use is not voided.
        const bool is_no_voiding =
            one.from == Estado::inutilizacao_pendente && one.circumstance.is_ours == false;
        EXPECT_TRUE(effect_of(one.word) == Effect::none || has_no_event || is_no_voiding);
        // Not even an earlier call, unless it was asked about once it could not arrive any more.
        if (is_emission_in_doubt(one.from) && is_question(one.act)) {
            EXPECT_TRUE(one.circumstance.is_settled);
        } else if (is_emission_in_doubt(one.from)) {
            EXPECT_FALSE(is_emission_in_doubt(one.circumstance.before));
        }
        if (one.act == Act::cancel && one.from == Estado::cancelamento_pendente) {
            EXPECT_NE(one.circumstance.before, Estado::cancelamento_pendente);
        }
    });
}

TEST(NextStep, AQuestionIsNotAnsweredByTheSameQuestionAtOnce)
{
    for_every_case([](const Case& one) {
        if (is_question(one.act)) {
            EXPECT_NE(one.step.then, Then::consult);
        }
    });
}

TEST(NextStep, AnUnlistedCodeIsAConcernWhereverItIsInDoubt)
{
    for_every_case([](const Case& one) {
        if (one.word != Word::unknown || !one.circumstance.has_code) return;
        if (is_emission_in_doubt(one.from) && (one.act == Act::emit || is_question(one.act))) {
            EXPECT_EQ(one.step.concern, Concern::unlisted_code);
        }
    });
}

std::string text_of(const NextStep& step)
{
    std::string text = std::string{to_text(step.to)} + " " + std::string{to_text(step.then)};
    if (step.concern) text += " " + std::string{to_text(*step.concern)};
    return text;
}

using Table = std::map<std::string_view, std::string>;

void expect_table(Estado from, Act act, const Circumstance& circumstance, const Table& table)
{
    ASSERT_EQ(table.size(), static_cast<std::size_t>(words_count));
    for (const auto& [word, expected] : table) {
        const auto parsed = parse_word(word);
        ASSERT_TRUE(parsed) << word;
        EXPECT_EQ(text_of(next_step(from, act, *parsed, circumstance)), expected) << word;
    }
}

TEST(NextStepTable, AFirstEmissionWithoutFurtherAttempts)
{
    expect_table(
        Estado::transmitido,
        Act::emit,
        {.before = Estado::reservado, .is_settled = true},
        {
            {"authorised", "AUTORIZADO finish"},
            {"cancelled", "INDETERMINADO consult unexpected_word"},
            {"substituted", "INDETERMINADO consult unexpected_word"},
            {"under_analysis", "INDETERMINADO consult unexpected_word"},
            {"denied", "DENEGADO finish"},
            {"voided", "INDETERMINADO consult unexpected_word"},
            {"refused", "REJEITADO let_go"},
            {"exists", "INDETERMINADO consult"},
            {"absent", "INDETERMINADO consult unexpected_word"},
            {"later", "RESERVADO let_go"},
            {"throttled", "RESERVADO let_go"},
            {"unreached", "RESERVADO let_go"},
            {"unknown", "INDETERMINADO consult"},
        }
    );
}

TEST(NextStepTable, AnEmissionThatMayBeTriedAgain)
{
    const Circumstance circumstance{.before = Estado::rejeitado, .may_try_again = true};
    const auto after = [&](Word word) {
        return text_of(next_step(Estado::transmitido, Act::emit, word, circumstance));
    };
    EXPECT_EQ(after(Word::later), "TRANSMITIDO wait");
    EXPECT_EQ(after(Word::unreached), "TRANSMITIDO wait");
    // Who is told to stay away stays away.
    EXPECT_EQ(after(Word::throttled), "REJEITADO let_go");
    // Never blindly.
    EXPECT_EQ(after(Word::unknown), "INDETERMINADO consult");
}

TEST(NextStepTable, AnEmissionAfterADoubtStaysInDoubt)
{
    for (const Estado before : {Estado::transmitido, Estado::indeterminado}) {
        for (const Word word : {Word::later, Word::throttled, Word::unreached}) {
            EXPECT_EQ(
                text_of(next_step(Estado::transmitido, Act::emit, word, {.before = before})),
                "INDETERMINADO give_up_for_now"
            );
        }
    }
}

TEST(NextStepTable, ARefusalWhileAnEarlierCopyIsInDoubtIsAskedAbout)
{
    for (const Estado before : {Estado::transmitido, Estado::indeterminado}) {
        EXPECT_EQ(
            text_of(next_step(Estado::transmitido, Act::emit, Word::refused, {.before = before})),
            "INDETERMINADO consult"
        );
    }
    EXPECT_EQ(
        text_of(next_step(
            Estado::cancelamento_pendente,
            Act::cancel,
            Word::refused,
            {.before = Estado::cancelamento_pendente}
        )),
        "CANCELAMENTO_PENDENTE consult"
    );
}

TEST(NextStepTable, ARefusalHoldsOnceNothingEarlierIsUnderWay)
{
    const auto after = [](Estado from, Act act, Word word, bool is_settled) {
        return text_of(next_step(from, act, word, {.is_settled = is_settled, .was_refused = true}));
    };
    EXPECT_EQ(
        after(Estado::indeterminado, Act::consult, Word::absent, false),
        "INDETERMINADO give_up_for_now"
    );
    EXPECT_EQ(after(Estado::indeterminado, Act::consult, Word::absent, true), "REJEITADO let_go");
    EXPECT_EQ(
        after(Estado::indeterminado, Act::consult, Word::authorised, false), "AUTORIZADO finish"
    );
    const Estado pending = Estado::cancelamento_pendente;
    EXPECT_EQ(
        after(pending, Act::consult_cancel, Word::authorised, false),
        "CANCELAMENTO_PENDENTE give_up_for_now"
    );
    EXPECT_EQ(after(pending, Act::consult_cancel, Word::authorised, true), "AUTORIZADO let_go");
    EXPECT_EQ(after(pending, Act::consult_cancel, Word::cancelled, false), "CANCELADO finish");
}

TEST(NextStepTable, AConsultThatIsBelieved)
{
    for (const Estado from : {Estado::transmitido, Estado::indeterminado}) {
        expect_table(
            from,
            Act::consult,
            {.is_settled = true},
            {
                {"authorised", "AUTORIZADO finish"},
                {"cancelled", "CANCELADO finish done_elsewhere"},
                {"substituted", "SUBSTITUIDO finish done_elsewhere"},
                {"under_analysis", "CANCELAMENTO_EM_ANALISE finish done_elsewhere"},
                {"denied", "DENEGADO finish"},
                {"voided", "INDETERMINADO give_up_for_now unexpected_word"},
                {"refused", "REJEITADO let_go"},
                {"exists", "INDETERMINADO give_up_for_now unexpected_word"},
                {"absent", "TRANSMITIDO resend_same_bytes"},
                {"later", "INDETERMINADO give_up_for_now"},
                {"throttled", "INDETERMINADO give_up_for_now"},
                {"unreached", "INDETERMINADO give_up_for_now"},
                {"unknown", "INDETERMINADO give_up_for_now"},
            }
        );
    }
}

TEST(NextStepTable, AnAbsenceTooEarlyIsAskedAboutAgain)
{
    const auto after = [](bool may_try_again) {
        return text_of(next_step(
            Estado::indeterminado, Act::consult, Word::absent, {.may_try_again = may_try_again}
        ));
    };
    EXPECT_EQ(after(true), "INDETERMINADO wait");
    EXPECT_EQ(after(false), "INDETERMINADO give_up_for_now");
}

TEST(NextStepTable, WhatWasAnsweredUnclearlyAndIsNotThereWasRefused)
{
    const Circumstance circumstance{.is_settled = true, .was_unclear = true};
    EXPECT_EQ(
        text_of(next_step(Estado::indeterminado, Act::consult, Word::absent, circumstance)),
        "REJEITADO let_go unlisted_code"
    );
    EXPECT_EQ(
        text_of(next_step(
            Estado::cancelamento_pendente, Act::consult_cancel, Word::authorised, circumstance
        )),
        "AUTORIZADO let_go unlisted_code"
    );
    // It may still be on its way.
    EXPECT_EQ(
        text_of(next_step(Estado::indeterminado, Act::consult, Word::absent, {.was_unclear = true})
        ),
        "INDETERMINADO give_up_for_now"
    );
}

TEST(NextStepTable, AnotherDocumentUnderOurNumberIsForAPerson)
{
    EXPECT_EQ(
        text_of(next_step(Estado::indeterminado, Act::consult, Word::authorised, {.is_ours = false})
        ),
        "INDETERMINADO give_up_for_now not_ours"
    );
}

TEST(NextStepTable, ACancellation)
{
    expect_table(
        Estado::cancelamento_pendente,
        Act::cancel,
        {.before = Estado::autorizado},
        {
            {"authorised", "CANCELAMENTO_PENDENTE consult unexpected_word"},
            {"cancelled", "CANCELADO finish"},
            {"substituted", "SUBSTITUIDO finish"},
            {"under_analysis", "CANCELAMENTO_EM_ANALISE give_up_for_now"},
            {"denied", "CANCELAMENTO_PENDENTE consult unexpected_word"},
            {"voided", "CANCELAMENTO_PENDENTE consult unexpected_word"},
            {"refused", "AUTORIZADO let_go"},
            {"exists", "CANCELAMENTO_PENDENTE consult"},
            {"absent", "CANCELAMENTO_PENDENTE consult unexpected_word"},
            {"later", "AUTORIZADO let_go"},
            {"throttled", "AUTORIZADO let_go"},
            {"unreached", "AUTORIZADO let_go"},
            {"unknown", "CANCELAMENTO_PENDENTE consult"},
        }
    );
    EXPECT_EQ(
        text_of(next_step(
            Estado::cancelamento_pendente,
            Act::cancel,
            Word::later,
            {.before = Estado::cancelamento_pendente}
        )),
        "CANCELAMENTO_PENDENTE give_up_for_now"
    );
}

TEST(NextStepTable, AConsultAboutACancellation)
{
    expect_table(
        Estado::cancelamento_pendente,
        Act::consult_cancel,
        {.is_settled = true},
        {
            {"authorised", "CANCELAMENTO_PENDENTE resend_same_bytes"},
            {"cancelled", "CANCELADO finish"},
            {"substituted", "SUBSTITUIDO finish"},
            {"under_analysis", "CANCELAMENTO_EM_ANALISE give_up_for_now"},
            {"denied", "CANCELAMENTO_PENDENTE give_up_for_now contradiction"},
            {"voided", "CANCELAMENTO_PENDENTE give_up_for_now unexpected_word"},
            {"refused", "CANCELAMENTO_PENDENTE give_up_for_now unexpected_word"},
            {"exists", "CANCELAMENTO_PENDENTE give_up_for_now unexpected_word"},
            {"absent", "CANCELAMENTO_PENDENTE give_up_for_now contradiction"},
            {"later", "CANCELAMENTO_PENDENTE give_up_for_now"},
            {"throttled", "CANCELAMENTO_PENDENTE give_up_for_now"},
            {"unreached", "CANCELAMENTO_PENDENTE give_up_for_now"},
            {"unknown", "CANCELAMENTO_PENDENTE give_up_for_now"},
        }
    );
    // 15 seconds are not over: it may still arrive.
    EXPECT_EQ(
        text_of(next_step(Estado::cancelamento_pendente, Act::consult_cancel, Word::authorised, {})
        ),
        "CANCELAMENTO_PENDENTE give_up_for_now"
    );
    // The tax office said no.
    EXPECT_EQ(
        text_of(
            next_step(Estado::cancelamento_em_analise, Act::consult_cancel, Word::authorised, {})
        ),
        "AUTORIZADO let_go"
    );
}

TEST(NextStepTable, AnEnquiryAboutAnAuthorisedDocument)
{
    expect_table(
        Estado::autorizado,
        Act::consult,
        {.is_settled = true},
        {
            {"authorised", "AUTORIZADO finish"},
            {"cancelled", "CANCELADO finish done_elsewhere"},
            {"substituted", "SUBSTITUIDO finish done_elsewhere"},
            {"under_analysis", "CANCELAMENTO_EM_ANALISE finish done_elsewhere"},
            {"denied", "AUTORIZADO finish contradiction"},
            {"voided", "AUTORIZADO give_up_for_now unexpected_word"},
            {"refused", "AUTORIZADO give_up_for_now unexpected_word"},
            {"exists", "AUTORIZADO give_up_for_now unexpected_word"},
            {"absent", "AUTORIZADO finish contradiction"},
            {"later", "AUTORIZADO give_up_for_now"},
            {"throttled", "AUTORIZADO give_up_for_now"},
            {"unreached", "AUTORIZADO give_up_for_now"},
            {"unknown", "AUTORIZADO give_up_for_now"},
        }
    );
}

TEST(NextStepTable, AnEnquiryAboutADocumentThatWasNotSent)
{
    for (const Estado from : {Estado::reservado, Estado::rejeitado}) {
        const auto after = [&](Word word) { return next_step(from, Act::consult, word, {}); };
        EXPECT_EQ(after(Word::absent), (NextStep{from, Then::finish}));
        EXPECT_EQ(
            after(Word::authorised),
            (NextStep{Estado::autorizado, Then::finish, Concern::done_elsewhere})
        );
        EXPECT_EQ(after(Word::unknown), (NextStep{from, Then::give_up_for_now}));
    }
}

TEST(NextStepTable, AVoiding)
{
    for (const Estado before : {Estado::reservado, Estado::rejeitado}) {
        const std::string back{to_text(before)};
        expect_table(
            Estado::inutilizacao_pendente,
            Act::void_number,
            {.before = before},
            {
                {"authorised", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
                {"cancelled", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
                {"substituted", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
                {"under_analysis", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
                {"denied", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
                {"voided", "INUTILIZADO finish"},
                {"refused", back + " let_go"},
                {"exists", "INUTILIZACAO_PENDENTE consult"},
                {"absent", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
                {"later", back + " let_go"},
                {"throttled", back + " let_go"},
                {"unreached", back + " let_go"},
                {"unknown", "INUTILIZACAO_PENDENTE give_up_for_now"},
            }
        );
    }
    const auto in_doubt = [](Word word) {
        return text_of(next_step(
            Estado::inutilizacao_pendente,
            Act::void_number,
            word,
            {.before = Estado::inutilizacao_pendente}
        ));
    };
    EXPECT_EQ(in_doubt(Word::refused), "RESERVADO let_go");
    for (const Word word : {Word::later, Word::throttled, Word::unreached}) {
        EXPECT_EQ(in_doubt(word), "INUTILIZACAO_PENDENTE give_up_for_now") << to_text(word);
    }
}

TEST(NextStepTable, AConsultAboutANumberThatCouldNotBeVoided)
{
    expect_table(
        Estado::inutilizacao_pendente,
        Act::consult,
        {.is_settled = true},
        {
            {"authorised", "AUTORIZADO finish done_elsewhere"},
            {"cancelled", "CANCELADO finish done_elsewhere"},
            {"substituted", "SUBSTITUIDO finish done_elsewhere"},
            {"under_analysis", "CANCELAMENTO_EM_ANALISE finish done_elsewhere"},
            {"denied", "DENEGADO finish done_elsewhere"},
            {"voided", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
            {"refused", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
            {"exists", "INUTILIZACAO_PENDENTE give_up_for_now unexpected_word"},
            {"absent", "INUTILIZACAO_PENDENTE give_up_for_now contradiction"},
            {"later", "INUTILIZACAO_PENDENTE give_up_for_now"},
            {"throttled", "INUTILIZACAO_PENDENTE give_up_for_now"},
            {"unreached", "INUTILIZACAO_PENDENTE give_up_for_now"},
            {"unknown", "INUTILIZACAO_PENDENTE give_up_for_now"},
        }
    );
    EXPECT_EQ(
        text_of(next_step(
            Estado::inutilizacao_pendente, Act::consult, Word::authorised, {.is_ours = false}
        )),
        "RESERVADO let_go not_ours"
    );
}

TEST(NextStepTable, WhatAnotherDocumentTookThePlaceOfIsNeverSentAgain)
{
    const Circumstance replaced{.is_settled = true, .is_replaced = true};
    const auto after = [&](Word word) {
        return text_of(next_step(Estado::indeterminado, Act::consult, word, replaced));
    };
    EXPECT_EQ(after(Word::absent), "REJEITADO let_go");
    EXPECT_EQ(after(Word::authorised), "AUTORIZADO finish replaced");
}

TEST(NextStepTable, FinalStatesNoticeAContradiction)
{
    EXPECT_EQ(
        text_of(next_step(Estado::cancelado, Act::consult, Word::authorised, {})),
        "CANCELADO finish contradiction"
    );
    EXPECT_EQ(
        text_of(next_step(Estado::cancelado, Act::cancel, Word::exists, {})), "CANCELADO finish"
    );
    EXPECT_EQ(
        text_of(next_step(Estado::inutilizado, Act::consult, Word::absent, {})),
        "INUTILIZADO finish"
    );
}

TEST(NextStep, EveryConcernHasASentence)
{
    for (int i = 0; i <= static_cast<int>(Concern::certificate_refused); ++i) {
        EXPECT_FALSE(to_text(static_cast<Concern>(i)).empty());
        EXPECT_FALSE(describe(static_cast<Concern>(i)).empty());
    }
}

}  // namespace
}  // namespace umavez::fiscal
