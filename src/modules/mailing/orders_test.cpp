// Orders: which lead where, what they write, and that a retry under a key sees the mailing as it is now.

#include "modules/mailing/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::mailing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* message =
    R"({"assunto":"Olá {{ NOME }}","remetente":"Loja <news@loja.example>","texto":"Oi {{email}}"})";

TEST(Orders, EachLeadsWhereTheRulesSayAndIsRefusedElsewhere)
{
    Office office;
    int number = 0;
    for (const std::string& from : status_words()) {
        for (const Order order : {Order::iniciar, Order::pausar, Order::retomar, Order::cancelar}) {
            const std::string uuid = "m" + std::to_string(++number);
            office.add_mailing(uuid, from);
            const auto next = after_order(*parse_status(from), order);

            const Answer answer = office.order(uuid, std::string{to_text(order)});

            const std::string story = from + " " + std::string{to_text(order)};
            EXPECT_EQ(answer.status, next ? 200 : 409) << story << " " << answer;
            EXPECT_EQ(answer["status"], next ? to_text(*next) : "409") << story;
            if (!next) {
                EXPECT_TRUE(answer.is_problem("invalid-transition"));
                EXPECT_EQ(office.get("/api/v1/mailings/" + uuid)["status"], from);
                EXPECT_THAT(answer.body, HasSubstr(R"("estado":")" + from));
            }
            EXPECT_EQ(office.wake_ups(uuid), next == Status::queued ? "1" : "0") << story;
        }
    }
}

TEST(Orders, ADraftIsStartedWhenItsMessageIsCompleteAndItsNamesAreColumns)
{
    Office office;
    office.add_mailing("m1", "DRAFT", false);
    const std::string path = "/api/v1/mailings/m1";

    const Answer empty = office.order("m1", "iniciar");
    office.send(
        "PATCH",
        path,
        R"({"assunto":"Olá {{sobrenome}}","remetente":"a@b.example","texto":"{{descadastro}}"})"
    );
    const Answer unknown = office.order("m1", "iniciar");
    const Answer changed = office.send("PATCH", path, message);
    const Answer started = office.order("m1", "iniciar");

    EXPECT_EQ(empty.status, 422) << empty;
    EXPECT_THAT(empty.body, HasSubstr(R"("field":"assunto")"));
    EXPECT_THAT(empty.body, HasSubstr(R"("field":"remetente")"));
    EXPECT_THAT(empty.body, HasSubstr(R"("field":"texto")"));
    EXPECT_EQ(unknown.status, 422) << unknown;
    EXPECT_THAT(unknown.body, HasSubstr("{{sobrenome}} is no column of the file"));
    EXPECT_THAT(unknown.body, HasSubstr("mailing.public_url"));
    EXPECT_EQ(changed.status, 200) << changed;
    EXPECT_EQ(changed["status"], "DRAFT");
    EXPECT_EQ(changed["remetente"], "Loja <news@loja.example>");
    EXPECT_EQ(started.status, 200) << started;
    EXPECT_EQ(started["status"], "QUEUED");
    EXPECT_EQ(office.wake_ups("m1"), "1");
}

TEST(Orders, TheMessageOfADraftChangesInPartsAndNeverAfterwards)
{
    Office office;
    office.add_mailing("m1", "DRAFT", false);
    office.add_mailing("m2", "QUEUED");
    const std::string path = "/api/v1/mailings/m1";

    office.send("PATCH", path, R"({"remetente":"a@example.com"})");
    office.send("PATCH", path, R"({"assunto":"um","incerteza":"ao-menos-uma"})");
    const Answer shown = office.get(path);
    const Answer wrong = office.send(
        "PATCH",
        path,
        R"({"assunto":"a\nb","remetente":"nobody","texto":"{{","incerteza":"talvez","x":1})"
    );
    const Answer late = office.send("PATCH", "/api/v1/mailings/m2", R"({"assunto":"dois"})");

    EXPECT_EQ(shown["remetente"], "a@example.com");
    EXPECT_EQ(shown["assunto"], "um");
    EXPECT_EQ(shown["incerteza"], "ao-menos-uma");
    EXPECT_EQ(wrong.status, 422) << wrong;
    for (const char* const field : {"assunto", "remetente", "texto", "incerteza", "x"}) {
        EXPECT_THAT(wrong.body, HasSubstr(fmt::format(R"("field":"{}")", field)));
    }
    EXPECT_EQ(office.send("PATCH", path, "{}").status, 422);
    EXPECT_EQ(office.get(path)["assunto"], "um");
    EXPECT_EQ(late.status, 409) << late;
    EXPECT_TRUE(late.is_problem("invalid-transition"));
}

TEST(Orders, FailedOnesAreOpenedAgainAndUncertainOnesOnlyWhereSomebodySaysSo)
{
    Office office;
    const std::string id = office.add_mailing("m1", "COMPLETED");
    office.add_entry(id, "a@example.com", "SENT");
    office.add_entry(id, "b@example.com", "FAILED");
    office.add_entry(id, "c@example.com", "UNKNOWN", true);

    const Answer failed = office.order("m1", "reenviar-falhas");

    EXPECT_EQ(failed.status, 200) << failed;
    EXPECT_EQ(failed["status"], "QUEUED");
    EXPECT_THAT(failed.body, HasSubstr(R"("pending":1,"sent":1,"failed":0,"unknown":1)"));
    EXPECT_EQ(
        office.ask("SELECT count(*) FROM mailing_entries WHERE status = 'PENDING' AND attempts = 0 "
                   "AND error IS NULL"),
        "1"
    );

    office.sql("UPDATE mailings SET status = 'COMPLETED'");
    const Answer uncertain = office.order("m1", "reenviar-falhas", R"({"incertas":true})");

    EXPECT_THAT(uncertain.body, HasSubstr(R"("pending":2,"sent":1,"failed":0,"unknown":0)"));
    EXPECT_EQ(
        office.ask("SELECT count(*) FROM mailing_entries WHERE uncertain_at IS NOT NULL"), "1"
    );
    EXPECT_EQ(office.wake_ups("m1"), "2");
    EXPECT_EQ(office.order("m1", "reenviar-falhas", R"({"incertas":1})").status, 422);
}

TEST(Orders, WhereNothingFailedNothingIsOpenedAgain)
{
    Office office;
    const std::string id = office.add_mailing("m1", "COMPLETED");
    office.add_entry(id, "a@example.com", "SENT");

    const Answer answer = office.order("m1", "reenviar-falhas");

    EXPECT_EQ(answer.status, 200) << answer;
    EXPECT_EQ(answer["status"], "COMPLETED");
    EXPECT_EQ(office.wake_ups("m1"), "0");
}

TEST(Orders, ADraftWhoseFileIsGoneIsNotStartedAndSaysWhatToDo)
{
    Office office;
    office.add_mailing("m1", "DRAFT");
    office.sql("UPDATE mailings SET storage_url = 'file:gone'");

    const Answer answer = office.order("m1", "iniciar");

    EXPECT_EQ(answer.status, 409) << answer;
    EXPECT_THAT(answer.body, HasSubstr("mailing.storage"));
    EXPECT_THAT(answer.body, Not(HasSubstr("/srv/x")));
    EXPECT_EQ(office.ask("SELECT status FROM mailings"), "DRAFT");
    EXPECT_EQ(office.wake_ups("m1"), "0");
}

TEST(Orders, ARetryUnderAKeySeesTheMailingAsItIsNow)
{
    Office office;
    office.add_mailing("m1", "PROCESSING");
    const std::string path = "/api/v1/mailings/m1/";

    const Answer paused = office.post(path + "pausar", "p", "");
    const Answer resumed = office.post(path + "retomar", "r", "");
    const Answer again = office.post(path + "pausar", "p", "");

    EXPECT_EQ(paused["status"], "PAUSED") << paused;
    EXPECT_EQ(resumed["status"], "QUEUED");
    EXPECT_TRUE(again.is_replay()) << again;
    EXPECT_EQ(again["status"], "QUEUED");
    EXPECT_EQ(office.wake_ups("m1"), "1");
}

TEST(Orders, APauseLeavesTheOwnerItsLockToWriteDownWhatItHandedOver)
{
    Office office;
    office.add_mailing("m1", "PROCESSING");
    office.sql("UPDATE mailings SET lock_token = 'owner', last_attempt = 7");

    office.order("m1", "pausar");
    office.order("m1", "retomar");

    EXPECT_EQ(office.ask("SELECT lock_token FROM mailings"), "owner");
    EXPECT_EQ(office.ask("SELECT last_attempt FROM mailings"), "7");
}

}  // namespace
}  // namespace umavez::mailing
