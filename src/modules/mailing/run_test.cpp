// One wake-up after the other: what each verdict and each way out leads to. The sink counts, not we.

#include "modules/mailing/test_process.hpp"

#include <algorithm>

namespace umavez::mailing {
namespace {

using mail::Verdict;

TEST_F(RunTest, EverybodyGetsOne)
{
    const std::string uuid = add_mailing({.entries = 10, .texto = "Oi, {{ NOME }}"});
    Sink sink;
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    expect_each_once(uuid, sink, 10);
    EXPECT_EQ(entry(uuid, 3, "external_id"), "Q1");
    EXPECT_NE(ask_mailing("completed_at", uuid), "");
    EXPECT_NE(sink.last_content().find("Oi, N9"), std::string::npos) << sink.last_content();
    ASSERT_EQ(process.events.size(), 12U);
    EXPECT_EQ(std::get<MailingEnded>(process.events.back()).counts.sent, 10);
    EXPECT_TRUE(is_settled(process.receive(uuid)));  // delivered twice
    EXPECT_EQ(sink.all_taken(), 10);
}

TEST_F(RunTest, LettersCarryThePageToUnsubscribe)
{
    const std::string uuid =
        add_mailing({.entries = 1, .texto = "{{email}} sai em {{descadastro}}"});
    Sink sink;
    TestProcess process{*database, clock, sink};
    process.parts.public_url = "https://loja.example/";
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    const std::string page = "https://loja.example/u/" + entry(uuid, 0, "id") + "-tok0";
    const std::string content = sink.last_content();
    EXPECT_NE(content.find("List-Unsubscribe: <" + page + ">"), std::string::npos) << content;
    EXPECT_NE(content.find("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), std::string::npos);
    EXPECT_NE(content.find("a0@x.example sai em"), std::string::npos) << content;
}

TEST_F(RunTest, EveryVerdict)
{
    const std::string uuid = add_mailing({.entries = 6});
    Sink sink{[](const std::string& to, int time) -> mail::Delivered {
        if (to == address(1)) return {.verdict = Verdict::refused, .detail = "550 no"};
        if (to == address(2) && time < 3) return {.verdict = Verdict::put_off, .detail = "451"};
        if (to == address(3)) return {.verdict = Verdict::put_off, .detail = "451 never"};
        if (to == address(4) && time == 1) {
            return {.verdict = Verdict::unreachable, .detail = "421"};
        }
        if (to == address(5)) return {.verdict = Verdict::unknown, .detail = "no answer"};
        return {.verdict = Verdict::accepted};
    }};
    work_to_the_end(uuid, sink);
    EXPECT_EQ(status_of(uuid), "COMPLETED");
    EXPECT_EQ(entry(uuid, 0, "status"), "SENT");
    EXPECT_EQ(entry(uuid, 1, "status || error"), "FAILED550 no");
    EXPECT_EQ(entry(uuid, 2, "status || attempts"), "SENT3");
    EXPECT_EQ(entry(uuid, 3, "status || attempts"), "FAILED8");
    EXPECT_EQ(sink.offered(address(3)), 8);
    EXPECT_EQ(entry(uuid, 4, "status || attempts"), "SENT1");
    EXPECT_EQ(entry(uuid, 5, "status || attempts"), "UNKNOWN1");
    EXPECT_EQ(sink.offered(address(5)), 1);
    EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "1");
    expect_exact_counts(uuid);
}

TEST_F(RunTest, WithAtLeastOnceAnUnansweredOneIsSentAgainAndStaysUncertain)
{
    const std::string uuid = add_mailing({.incerteza = Incerteza::ao_menos_uma, .entries = 3});
    Sink sink{[](const std::string& to, int time) -> mail::Delivered {
        if (to == address(1) && time == 1) return {.verdict = Verdict::unknown};
        if (to == address(2)) return {.verdict = Verdict::unknown};
        return {.verdict = Verdict::accepted};
    }};
    work_to_the_end(uuid, sink);
    EXPECT_EQ(sink.taken(address(0)), 1);
    EXPECT_EQ(sink.taken(address(1)), 2);
    EXPECT_EQ(sink.taken(address(2)), 8);  // and no more
    EXPECT_EQ(entry(uuid, 1, "status"), "SENT");
    EXPECT_EQ(entry(uuid, 2, "status"), "UNKNOWN");
    EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "2");
    expect_exact_counts(uuid);
}

TEST_F(RunTest, ATransportThatThrowsLeavesItOpen)
{
    const std::string uuid = add_mailing({.entries = 2});
    Sink sink{[](const std::string& to, int) -> mail::Delivered {
        if (to == address(0)) throw std::runtime_error{"broken"};
        return {.verdict = Verdict::accepted};
    }};
    work_to_the_end(uuid, sink);
    EXPECT_EQ(entry(uuid, 0, "status || error"), "UNKNOWN" + std::string{thrown_sentence});
    EXPECT_EQ(entry(uuid, 1, "status"), "SENT");
}

TEST_F(RunTest, AnUnreachableServerIsToldAndWaitedFor)
{
    const std::string uuid = add_mailing({.entries = 3});
    std::string error;
    Sink sink{[&](const std::string& to, int time) -> mail::Delivered {
        if (to == address(0) && time == 4) error = ask_mailing("error", uuid);
        if (to == address(0) && time < 5) {
            return {.verdict = Verdict::unreachable, .detail = "connection refused"};
        }
        return {.verdict = Verdict::accepted};
    }};
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(error, "connection refused");
    const auto is_away = [](const MailingEvent& event) {
        return std::holds_alternative<MailServerAway>(event);
    };
    const auto is_back = [](const MailingEvent& event) {
        return std::holds_alternative<MailServerBack>(event);
    };
    // Once when it began and once when it was over, for each time: the others came in between.
    EXPECT_EQ(std::ranges::count_if(process.events, is_away), 2);
    EXPECT_EQ(std::ranges::count_if(process.events, is_back), 2);
    const auto away = std::ranges::find_if(process.events, is_away);
    EXPECT_EQ(std::get<MailServerAway>(*away).detail, "connection refused");
    EXPECT_EQ(ask_mailing("error", uuid), "");
    expect_each_once(uuid, sink, 3);
    EXPECT_EQ(entry(uuid, 0, "attempts"), "1");
}

TEST_F(RunTest, ARecipientOnWhomTheServerHangsUpDoesNotStandBeforeTheOthers)
{
    const std::string uuid = add_mailing({.entries = 10});
    int others = 0;
    std::string others_when_paused;
    Sink sink{[&](const std::string& to, int time) -> mail::Delivered {
        if (to != address(1) && to != address(2)) {
            ++others;
            return {.verdict = Verdict::accepted};
        }
        if (time == 6) {
            others_when_paused = std::to_string(others);
            sql("UPDATE mailings SET status = 'PAUSED'");
        }
        return {.verdict = Verdict::unreachable, .code = 421, .detail = "421 bye"};
    }};
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(others_when_paused, "8");
    EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), "8");
    EXPECT_EQ(count_entries(uuid, "status = 'PENDING' AND attempts = 0"), "2");
    EXPECT_GE(sink.offered(address(1)), 5);  // neither of the two stands before the other
    EXPECT_GE(sink.offered(address(2)), 5);
}

TEST_F(RunTest, WhatIsDueMuchLaterGivesTheLockBack)
{
    const std::string uuid = add_mailing({.entries = 2});
    sql("UPDATE mailing_entries SET due_at = " + std::to_string(to_micros(clock.realtime() + 1h)) +
        " WHERE email = '" + address(1) + "'");
    Sink sink;
    TestProcess process{*database, clock, sink};
    EXPECT_EQ(held_back(process.receive(uuid)), 5min);
    EXPECT_EQ(status_of(uuid), "QUEUED");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    work_to_the_end(uuid, sink);
    expect_each_once(uuid, sink, 2);
}

TEST_F(RunTest, WithoutATransportNothingClaimsToBeSent)
{
    const std::string uuid = add_mailing({.entries = 2});
    Sink sink;
    TestProcess process{*database, clock, sink};
    process.has_transport = false;
    EXPECT_EQ(held_back(process.receive(uuid)), 30s);
    EXPECT_EQ(status_of(uuid), "QUEUED");
    EXPECT_NE(ask_mailing("error", uuid).find("--smtp"), std::string::npos);
    work_to_the_end(uuid, sink);
    expect_each_once(uuid, sink, 2);
}

TEST_F(RunTest, AnUnreadableMessageIsRefused)
{
    Sink sink;
    TestProcess process{*database, clock, sink};
    auto message = TestProcess::message_of(add_mailing());
    const auto is_refused = [&](const messaging::ReceivedMessage& one) {
        const auto disposal = process.receive(one);
        return disposal && std::holds_alternative<Refuse>(*disposal);
    };
    auto bad = message;
    bad.tenant = "not a tenant!";
    EXPECT_TRUE(is_refused(bad));
    for (const char* const data : {"", "{", "[]", R"({"mailingId":7})", R"({"mailingId":"x"})"}) {
        bad = message;
        bad.data = data;
        EXPECT_TRUE(is_refused(bad)) << data;
    }
    bad = message;
    bad.type = "other";
    EXPECT_TRUE(is_refused(bad));
}

TEST_F(RunTest, WhatTheIngestionSaysIsDone)
{
    Sink sink;
    const auto run = [&](Result<Ingested> ingested, const std::string& uuid) {
        TestProcess process{*database, clock, sink};
        process.parts.ingest = [&](const Locked&, const std::stop_token&) { return ingested; };
        return process.receive(uuid);
    };
    const TestMailing fresh{.entries = 1, .is_ingested = false};

    const std::string unusable = add_mailing(fresh);
    EXPECT_TRUE(is_settled(run(Unusable{"sem coluna de e-mail"}, unusable)));
    EXPECT_EQ(ask_mailing("status || error", unusable), "FAILEDsem coluna de e-mail");

    const std::string stopped = add_mailing(fresh);
    EXPECT_EQ(held_back(run(Stopped{}, stopped)), 0s);
    EXPECT_EQ(status_of(stopped), "QUEUED");
    EXPECT_EQ(ask_mailing("lock_token", stopped), "");

    const std::string away = add_mailing(fresh);
    EXPECT_EQ(held_back(run(fail(Errc::store_unavailable, "away"), away)), 5s);
    EXPECT_EQ(status_of(away), "QUEUED");

    const std::string gone = add_mailing(fresh);
    EXPECT_EQ(held_back(run(fail(Errc::not_found, "no file"), gone)), 30s);
    EXPECT_EQ(status_of(gone), "QUEUED");
    EXPECT_NE(ask_mailing("error", gone).find("mailing.storage"), std::string::npos);

    const std::string spoiled = add_mailing(fresh);
    EXPECT_TRUE(is_settled(run(fail(Errc::corrupt_record, "elsewhere"), spoiled)));
    EXPECT_EQ(status_of(spoiled), "FAILED");
    EXPECT_NE(ask_mailing("error", spoiled).find("envie-o outra vez"), std::string::npos);

    const std::string done = add_mailing(fresh);
    TestProcess process{*database, clock, sink};
    process.parts.ingest = [&](const Locked&, const std::stop_token&) -> Result<Ingested> {
        sql("UPDATE mailings SET status = 'PROCESSING', is_ingested = 1 WHERE uuid = '" + done + "'"
        );
        return Complete{};
    };
    EXPECT_TRUE(is_settled(process.receive(done)));
    EXPECT_EQ(status_of(done), "COMPLETED");
    EXPECT_EQ(sink.all_taken(), 1);
}

TEST_F(RunTest, AMessageThatCannotBeUsedFailsTheMailing)
{
    const std::string uuid = add_mailing({.entries = 1, .texto = "Olá, {{nome"});
    Sink sink;
    TestProcess process{*database, clock, sink};
    EXPECT_TRUE(is_settled(process.receive(uuid)));
    EXPECT_EQ(status_of(uuid), "FAILED");
    EXPECT_EQ(sink.all_taken(), 0);
}

}  // namespace
}  // namespace umavez::mailing
