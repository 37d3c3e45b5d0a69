// POST /api/v1/mailings over real connections and both databases.

#include "base/digest.hpp"
#include "key_protocol/test_spool.hpp"
#include "modules/mailing/test_upload_office.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <fstream>
#include <set>
#include <sstream>

namespace umavez::mailing {
namespace {

using modules::Answer;
using testing::HasSubstr;

const std::string csv = "email;nome\nana@loja.example;Ana\nbia@loja.example;Bia\n";

class MailingUpload : public testing::Test {
protected:
    std::string stored_text(const std::string& uuid)
    {
        const std::string url =
            office_.ask("SELECT storage_url FROM mailings WHERE uuid = '" + uuid + "'");
        std::stringstream text;
        text << std::ifstream{*office_.storage->path_of(url)}.rdbuf();
        return text.str();
    }
    std::string count(const std::string& table)
    {
        return office_.ask("SELECT count(*) FROM " + table);
    }

    UploadOffice office_;
};

// The same file twice is one mailing.
TEST_F(MailingUpload, Teste1UploadDuplicado)
{
    const Answer first = office_.upload("test.csv", "email\nuser@test.com\n");
    const Answer second = office_.upload("test.csv", "email\nuser@test.com\n");

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_EQ(first["created"], "true");
    EXPECT_EQ(first["status"], "QUEUED");
    EXPECT_EQ(first["filename"], "test.csv");
    EXPECT_EQ(second.status, 200) << second;
    EXPECT_EQ(second["created"], "false");
    EXPECT_EQ(second["mailingId"], first["mailingId"]);
    EXPECT_EQ(second["contentDiffers"], "absent");
    EXPECT_EQ(office_.ask("SELECT count(*) FROM mailings WHERE filename = 'test.csv'"), "1");
    EXPECT_EQ(count("test_messages"), "1");
    EXPECT_EQ(office_.stored_files(), 1u);
}

// The first answer never reaches the client, which uploads again.
TEST_F(MailingUpload, Cenario1UploadDuplicadoPorRetryDoCliente)
{
    {
        http::RawClient client{office_.port()};
        client.send(UploadOffice::request_of(
            UploadOffice::form("monthly.csv", csv, UploadOffice::message())
        ));
    }
    test::wait_until("the first upload is in", [&] { return count("mailings") == "1"; });

    const Answer retry = office_.upload("monthly.csv", csv);

    EXPECT_EQ(retry.status, 200) << retry;
    EXPECT_EQ(retry["created"], "false");
    EXPECT_EQ(retry["mailingId"], office_.ask("SELECT uuid FROM mailings"));
    EXPECT_EQ(count("mailings"), "1");
    EXPECT_EQ(count("test_messages"), "1");
}

TEST_F(MailingUpload, TheRowTellsWhatWasSent)
{
    auto fields = UploadOffice::message();
    fields.emplace_back("html", "<p>Olá</p>");
    fields.emplace_back("incerteza", "ao-menos-uma");

    const Answer answer = office_.upload("C:\\\\cartas\\\\news.csv", csv, fields);

    ASSERT_EQ(answer.status, 201) << answer;
    EXPECT_EQ(answer["filename"], "news.csv");
    const std::string uuid = answer["mailingId"];
    const auto column = [&](const std::string& name) {
        return office_.ask("SELECT " + name + " FROM mailings WHERE uuid = '" + uuid + "'");
    };
    EXPECT_EQ(column("content_sha256"), to_hex(sha256(csv)));
    EXPECT_EQ(column("content_bytes"), std::to_string(csv.size()));
    EXPECT_EQ(column("assunto"), "Oi");
    EXPECT_EQ(column("remetente"), "Loja <news@loja.example>");
    EXPECT_EQ(column("html"), "<p>Olá</p>");
    EXPECT_EQ(column("incerteza"), "ao-menos-uma");
    EXPECT_EQ(column("content_key"), "");
    EXPECT_EQ(stored_text(uuid), csv);
    EXPECT_EQ(office_.ask("SELECT aggregate FROM test_messages"), "mailing/" + uuid);
    EXPECT_EQ(office_.ask("SELECT data FROM test_messages"), R"({"mailingId":")" + uuid + "\"}");
    EXPECT_EQ(office_.ask("SELECT type FROM test_messages"), "mailing.processar");
    EXPECT_EQ(office_.ask("SELECT queue FROM test_messages"), "mailing");
    EXPECT_EQ(office_.wakes, 1);
}

TEST_F(MailingUpload, WithoutAMessageItIsADraftThatWakesNobody)
{
    const Answer form = office_.upload("a.csv", csv, {});
    const Answer bare = office_.upload_csv("?filename=b.csv", csv);

    EXPECT_EQ(form.status, 201) << form;
    EXPECT_EQ(form["status"], "DRAFT");
    EXPECT_EQ(bare.status, 201) << bare;
    EXPECT_EQ(bare["status"], "DRAFT");
    EXPECT_EQ(stored_text(bare["mailingId"]), csv);
    EXPECT_EQ(count("test_messages"), "0");
    EXPECT_EQ(office_.wakes, 0);
}

TEST_F(MailingUpload, AnotherContentUnderTheSameNameIsReported)
{
    const Answer first = office_.upload("a.csv", csv);
    const Answer second = office_.upload("a.csv", csv + "x@y.example;X\n");

    EXPECT_EQ(second.status, 200) << second;
    EXPECT_EQ(second["mailingId"], first["mailingId"]);
    EXPECT_EQ(second["contentDiffers"], "true");
    EXPECT_EQ(stored_text(first["mailingId"]), csv);
    EXPECT_EQ(office_.stored_files(), 1u);
}

TEST_F(MailingUpload, ByContentTheSameNameMayBeManyMailings)
{
    const Answer january =
        office_.upload_csv("?filename=m.csv&dedupe=content", "email\na@b.example\n");
    const Answer february =
        office_.upload_csv("?filename=m.csv&dedupe=content", "email\nc@d.example\n");
    const Answer again =
        office_.upload_csv("?filename=m.csv&dedupe=content", "email\na@b.example\n");
    const Answer by_name = office_.upload_csv("?filename=m.csv", "email\na@b.example\n");

    EXPECT_EQ(january.status, 201) << january;
    EXPECT_EQ(february.status, 201) << february;
    EXPECT_EQ(again.status, 200) << again;
    EXPECT_EQ(again["mailingId"], january["mailingId"]);
    // By name the newest is meant.
    EXPECT_EQ(by_name.status, 200) << by_name;
    EXPECT_EQ(by_name["mailingId"], february["mailingId"]);
    EXPECT_EQ(by_name["contentDiffers"], "true");
}

TEST_F(MailingUpload, AMailingByNameIsFoundByItsContent)
{
    const Answer by_name = office_.upload_csv("?filename=m.csv", csv);
    const Answer same = office_.upload_csv("?filename=m.csv&dedupe=content", csv);
    const Answer other =
        office_.upload_csv("?filename=m.csv&dedupe=content", csv + "z@z.example;Z\n");

    EXPECT_EQ(same["mailingId"], by_name["mailingId"]);
    EXPECT_EQ(other.status, 201) << other;
}

TEST_F(MailingUpload, FiftyAtOnceAreOneMailing)
{
    const auto answers = modules::at_once(50, [this](std::size_t) {
        return modules::until_answered([this] { return office_.upload("race.csv", csv); });
    });

    std::set<std::string> ids;
    std::size_t created = 0;
    for (const Answer& answer : answers) {
        EXPECT_TRUE(answer.status == 200 || answer.status == 201) << answer;
        if (answer.status == 201) ++created;
        ids.insert(answer["mailingId"]);
    }
    EXPECT_EQ(created, 1u);
    EXPECT_EQ(ids.size(), 1u);
    EXPECT_EQ(count("mailings"), "1");
    EXPECT_EQ(count("test_messages"), "1");
    EXPECT_EQ(office_.stored_files(), 1u);
    EXPECT_EQ(stored_text(*ids.begin()), csv);
}

// All have looked before any has committed.
TEST_F(MailingUpload, FiftyThatSawNothingAreOneMailing)
{
    constexpr std::size_t racers = 50;
    std::barrier everybody_looked{static_cast<std::ptrdiff_t>(racers)};
    UploadNeeds needs = office_.needs();
    std::atomic<std::size_t> looks = 0;
    needs.check_message = [&](const Message&, const std::string&) {
        if (++looks <= racers) everybody_looked.arrive_and_wait();
        return Result<std::vector<http::FieldError>>{};
    };
    const TenantId tenant_id = *TenantId::parse("acme");
    const UploadInput input{
        .filename = "race.csv",
        .range = {0, csv.size()},
        .message = Message{"Oi", "news@loja.example", "Olá", ""},
    };

    const auto answers = modules::at_once(racers, [&](std::size_t) -> Answer {
        return modules::until_answered([&]() -> Answer {
            const auto body = key_protocol::spooled(csv, office_.storage->folder());
            const auto made = take_upload(needs, tenant_id, input, body, http::Language::english);
            if (!made)
                return {is_retryable(made.error().code) ? 503 : 500, {}, made.error().detail};
            if (!*made) return {500, {}, "refused"};
            return {(*made)->created ? 201 : 200, {}, (*made)->uuid};
        });
    });

    std::set<std::string> ids;
    for (const Answer& answer : answers) {
        EXPECT_NE(answer.status, 500) << answer;
        ids.insert(answer.body);
    }
    EXPECT_EQ(std::ranges::count(answers, 201, &Answer::status), 1);
    EXPECT_EQ(ids.size(), 1u);
    EXPECT_EQ(count("mailings"), "1");
    EXPECT_EQ(count("test_messages"), "1");
    EXPECT_EQ(office_.stored_files(), 1u);
    EXPECT_EQ(stored_text(*ids.begin()), csv);
    EXPECT_GE(std::stoul(office_.ask("SELECT uploads FROM mailing_filenames")), racers);
}

// One is about to commit while others have begun: they wait for it by the name of the file.
TEST_F(MailingUpload, TransactionsOfOneNameFollowEachOther)
{
    constexpr std::size_t racers = 12;
    const bool runs_together = office_.database->dialect() == Dialect::postgres;
    std::atomic<std::size_t> begun = 0;
    const UploadNeeds needs = office_.needs();
    const AppendMessage append = [&](Transaction& transaction,
                                     const messaging::QueuedMessage& message) {
        if (runs_together && !test::is_met("others begin", [&] { return begun >= racers / 3; })) {
            return Result<void>{fail(Errc::cancelled, "nobody else began")};
        }
        return needs.append(transaction, message);
    };

    const auto answers = modules::at_once(racers, [&](std::size_t i) -> Answer {
        const NewMailing mailing{
            .identity = {*TenantId::parse("acme"), "race.csv", std::string(64, 'a'), false},
            .uuid = "01890a5d-ac96-774b-bcce-b3020000" + std::to_string(1000 + i),
            .content_bytes = 1,
            .storage_url = "file:acme/x.csv",
            .message = Message{"Oi", "news@loja.example", "Olá", ""},
        };
        bool created = false;
        const auto make = [&](Transaction& transaction) -> Result<void> {
            ++begun;
            const auto made = find_or_create(transaction, mailing, append);
            if (!made) return std::unexpected(made.error());
            created = made->created;
            return {};
        };
        const auto done = modules::transact_in_the_end(*office_.database, make);
        return {done ? (created ? 201 : 200) : 500, {}, done ? "" : done.error().detail};
    });

    for (const Answer& answer : answers) EXPECT_NE(answer.status, 500) << answer;
    EXPECT_EQ(std::ranges::count(answers, 201, &Answer::status), 1);
    EXPECT_EQ(count("mailings"), "1");
    EXPECT_EQ(count("test_messages"), "1");
}

TEST_F(MailingUpload, AHundredFilesAtOnceAreAHundredMailings)
{
    const auto answers = modules::at_once(100, [this](std::size_t i) {
        return modules::until_answered([&] {
            return office_.upload("file" + std::to_string(i) + ".csv", csv + std::string(i, 'x'));
        });
    });

    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_EQ(answers[i].status, 201) << answers[i];
        EXPECT_EQ(stored_text(answers[i]["mailingId"]), csv + std::string(i, 'x'));
    }
    EXPECT_EQ(count("mailings"), "100");
    EXPECT_EQ(count("test_messages"), "100");
}

TEST_F(MailingUpload, WhatIsWrongIsToldByItsName)
{
    const Answer half = office_.upload("a.csv", csv, {{"assunto", "Oi"}});
    EXPECT_EQ(half.status, 422) << half;
    EXPECT_THAT(half.body, HasSubstr(R"("field":"remetente")"));
    EXPECT_THAT(half.body, HasSubstr(R"("field":"texto")"));
    EXPECT_EQ(office_.upload("", csv).status, 422);
    EXPECT_EQ(office_.upload("a.csv", "").status, 422);
    EXPECT_EQ(office_.upload("a.csv", csv, {{"incerteza", "talvez"}}).status, 422);
    EXPECT_EQ(office_.upload_csv("", csv).status, 422);
    EXPECT_EQ(office_.upload_csv("?filename=a.csv&dedupe=x", csv).status, 422);
    EXPECT_EQ(office_.upload_csv("?filename=a.csv", "").status, 400);
    EXPECT_EQ(office_.talk(UploadOffice::request_of("{}", "application/json")).status, 415);
    EXPECT_EQ(
        office_.talk(UploadOffice::request_of(std::string(1024 * 1024 + 1, 'x'), "text/csv"))
            .status,
        413
    );
    EXPECT_EQ(count("mailings"), "0");
    EXPECT_EQ(office_.stored_files(), 0u);
}

TEST_F(MailingUpload, AFormThatCannotBeReadSaysWhere)
{
    const std::string form = UploadOffice::form("a.csv", csv, {});

    const Answer wrong =
        office_.talk(UploadOffice::request_of(form, "multipart/form-data; boundary=c"));
    EXPECT_EQ(wrong.status, 400) << wrong;
    EXPECT_TRUE(wrong.is_problem("malformed-body")) << wrong;
    EXPECT_THAT(wrong.body, HasSubstr("the first boundary is missing"));
    const Answer cut = office_.talk(UploadOffice::request_of(form.substr(0, form.size() - 10)));
    EXPECT_TRUE(cut.is_problem("malformed-body")) << cut;
    const Answer two =
        office_.talk(UploadOffice::request_of(form.substr(0, form.size() - 7) + "\r\n" + form));
    EXPECT_EQ(two.status, 422) << two;
    EXPECT_EQ(count("mailings"), "0");
}

TEST_F(MailingUpload, TheMessageIsHeldAgainstTheFile)
{
    std::string seen;
    office_.check_message = [&seen](const Message& message, const std::string& path) {
        std::stringstream text;
        text << std::ifstream{path}.rdbuf();
        seen = text.str();
        std::vector<http::FieldError> errors;
        if (message.texto == "{{idade}}")
            errors.push_back({"texto", {"no column idade", "sem coluna idade"}});
        return Result<std::vector<http::FieldError>>{errors};
    };
    auto fields = UploadOffice::message();
    fields.back().second = "{{idade}}";

    const Answer refused = office_.upload("a.csv", csv, fields);

    EXPECT_EQ(refused.status, 422) << refused;
    EXPECT_THAT(refused.body, HasSubstr("no column idade"));
    EXPECT_EQ(seen, csv);
    EXPECT_EQ(office_.stored_files(), 0u);
    EXPECT_EQ(office_.upload("a.csv", csv).status, 201);
}

TEST_F(MailingUpload, AnErrorOfTheDatabaseLeavesNothing)
{
    office_.before_append = [] { return Result<void>{fail(Errc::store_unavailable, "test")}; };

    const Answer failed = office_.upload("a.csv", csv);

    EXPECT_EQ(failed.status, 503) << failed;
    EXPECT_EQ(failed["effect"], "none");
    EXPECT_EQ(count("mailings"), "0");
    EXPECT_EQ(office_.stored_files(), 0u);
    office_.before_append = [] { return Result<void>{}; };
    EXPECT_EQ(office_.upload("a.csv", csv).status, 201);
}

TEST_F(MailingUpload, WhereTheCommitIsUnknownTheFileStays)
{
    office_.before_append = [] { return Result<void>{fail(Errc::store_unknown, "test")}; };

    const Answer unknown = office_.upload("a.csv", csv);

    EXPECT_EQ(unknown.status, 503) << unknown;
    EXPECT_EQ(unknown["effect"], "unknown");
    EXPECT_THAT(unknown["detail"], HasSubstr("send the same file again"));
    EXPECT_EQ(office_.stored_files(), 1u);
}

TEST_F(MailingUpload, TenantsHaveNamesOfTheirOwn)
{
    const UploadNeeds needs = office_.needs();
    const UploadInput input{.filename = "a.csv", .range = {0, 5}};
    std::set<std::string> ids;
    for (const std::string_view name : {"acme", "other", "..", "."}) {
        const auto made = take_upload(
            needs,
            *TenantId::parse(name),
            input,
            key_protocol::spooled("email", office_.storage->folder()),
            http::Language::english
        );
        ASSERT_TRUE(made && *made);
        EXPECT_TRUE((*made)->created);
        ids.insert((*made)->uuid);
    }
    EXPECT_EQ(ids.size(), 4u);
    EXPECT_EQ(office_.stored_files(), 4u);
}

}  // namespace
}  // namespace umavez::mailing
