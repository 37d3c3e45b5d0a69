#include "engine/known_answers.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

constexpr StateMark state{1, 2, 3};
const Instant t0 = from_micros(1'700'000'000'000'000);

RecordId id(std::string_view key)
{
    return {*TenantId::parse("acme"), *Operation::parse("pedidos.criar"), *Key::parse(key)};
}

KnownAnswers::Known known(std::string_view key, std::string body = "answer")
{
    Replayed answer;
    answer.response.body = std::move(body);
    return {id(key), Record{}, answer, t0};
}

std::string look(KnownAnswers& answers, const StateMark& in, std::string_view key, Instant now = t0)
{
    std::string found = "nothing";
    answers.look(in, id(key), now, [&](const KnownAnswers::Known& one) {
        found = one.answer.response.body;
    });
    return found;
}

TEST(KnownAnswers, AreKnownInTheirStateAlone)
{
    KnownAnswers answers;
    answers.keep(state, known("k1"));

    EXPECT_EQ(look(answers, state, "k1"), "answer");
    EXPECT_EQ(look(answers, StateMark{1, 2, 4}, "k1"), "nothing");
    EXPECT_EQ(look(answers, state, "k2"), "nothing");
}

TEST(KnownAnswers, OfAnEarlierStateAreGoneOnceThereIsOneOfTheNext)
{
    KnownAnswers answers;
    constexpr StateMark next{2, 2, 3};
    answers.keep(state, known("k1", "old"));
    answers.keep(next, known("k1", "new"));

    EXPECT_EQ(look(answers, state, "k1"), "nothing");
    EXPECT_EQ(look(answers, next, "k1"), "new");
}

// What an entity shows may depend on the time.
TEST(KnownAnswers, AreForgottenAfterASecond)
{
    KnownAnswers answers;
    answers.keep(state, known("k1"));

    EXPECT_EQ(look(answers, state, "k1", t0 + std::chrono::seconds{1}), "answer");
    EXPECT_EQ(look(answers, state, "k1", t0 + std::chrono::milliseconds{1001}), "nothing");
    EXPECT_EQ(look(answers, state, "k1", t0 - Duration{1}), "nothing");
}

TEST(KnownAnswers, LargeOnesAreNotKept)
{
    KnownAnswers answers;
    answers.keep(state, known("small", std::string(4096, 'x')));
    answers.keep(state, known("large", std::string(4097, 'x')));

    EXPECT_NE(look(answers, state, "small"), "nothing");
    EXPECT_EQ(look(answers, state, "large"), "nothing");
}

TEST(KnownAnswers, ForgetInsteadOfGrowing)
{
    KnownAnswers answers;
    constexpr int many = 100'000;
    for (int i = 0; i < many; ++i) answers.keep(state, known("k" + std::to_string(i)));

    int count = 0;
    for (int i = 0; i < many; ++i)
        count += look(answers, state, "k" + std::to_string(i)) == "answer";

    EXPECT_GT(count, 0);
    EXPECT_LE(count, 4096);
}

}  // namespace
}  // namespace umavez
