// Mailings by the command line: without a server, through the control socket of one, and over HTTP.

#include "functional/http_client.hpp"
#include "functional/process.hpp"
#include "functional/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace umavez::functional {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class MailingTest : public testing::Test {
protected:
    MailingTest()
    {
        scratch_.write(
            "clientes.csv",
            "email;nome\nana@example.com;Ana\nBIA@example.com;Bia\nana@example.com;A\nx;y\n"
        );
        scratch_.write("oi.txt", "Oi {{nome}}\n");
    }

    Exited umavez(std::vector<std::string> arguments) const
    {
        return run(scratch_.path(), std::move(arguments));
    }

    // With a message.
    Exited import(std::vector<std::string> more = {}) const
    {
        std::vector<std::string> arguments{
            "mailing",
            "import",
            "clientes.csv",
            "--assunto",
            "Olá {{nome}}",
            "--remetente",
            "Loja <a@b.example>",
            "--texto-file",
            "oi.txt",
        };
        arguments.insert(arguments.end(), more.begin(), more.end());
        return umavez(std::move(arguments));
    }

    std::unique_ptr<Process> serve(std::vector<std::string> more = {}) const
    {
        std::vector<std::string> arguments{"serve", "--listen", "127.0.0.1:0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        auto server = std::make_unique<Process>(scratch_.path(), std::move(arguments));
        server->wait_for_error_output("\"event\":\"listening\"");
        return server;
    }

    static std::string url_of(Process& server)
    {
        const std::string& log = server.wait_for_error_output("\"pid\":");
        const std::size_t begin = log.find("\"port\":") + 7;
        return "http://127.0.0.1:" +
               log.substr(begin, log.find_first_not_of("0123456789", begin) - begin);
    }

    std::ptrdiff_t mails() const
    {
        const std::string folder = scratch_.path() + "/out";
        if (!std::filesystem::exists(folder)) return 0;
        return std::ranges::count_if(
            std::filesystem::recursive_directory_iterator{folder},
            [](const auto& entry) { return entry.path().extension() == ".eml"; }
        );
    }

    static std::string id_of(const Exited& imported)
    {
        return imported.out.substr(0, imported.out.find(' '));
    }

    Scratch scratch_;
};

TEST_F(MailingTest, AFileIsTakenInWithoutAServer)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);

    const Exited imported = import();
    const Exited again = import();
    const Exited listed = umavez({"mailing", "list"});
    const Exited shown = umavez({"mailing", "show", id_of(imported)});

    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_THAT(imported.out, MatchesRegex("[0-9a-f-]{36} QUEUED\n"));
    EXPECT_THAT(imported.err, HasSubstr("2 addresses; left out: 1 duplicates, 1 invalid lines\n"));
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, imported.out);
    EXPECT_THAT(again.err, HasSubstr("uploaded before"));
    EXPECT_THAT(listed.out, HasSubstr("clientes.csv"));
    EXPECT_THAT(shown.out, HasSubstr("no recipient is uncertain"));
    EXPECT_THAT(shown.out, HasSubstr("Olá {{nome}}"));
}

TEST_F(MailingTest, OtherContentUnderTheSameNameIsNoSuccess)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    const Exited first = import();
    scratch_.write("clientes.csv", "email;nome\ncarla@example.com;Carla\n");

    const Exited other = import();
    const Exited renamed = import({"--filename", "outros.csv"});
    const Exited by_content = import({"--dedupe", "content"});

    EXPECT_EQ(other.code, 1);
    EXPECT_EQ(id_of(other), id_of(first));
    EXPECT_THAT(other.err, HasSubstr("another content"));
    EXPECT_EQ(renamed.code, 0) << renamed.err;
    EXPECT_NE(id_of(renamed), id_of(first));
    EXPECT_EQ(by_content.code, 0) << by_content.err;
    EXPECT_NE(id_of(by_content), id_of(first));
}

TEST_F(MailingTest, WhatCannotBeIsRefusedWithTheReason)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);

    const Exited absent = umavez({"mailing", "import", "nobody.csv"});
    const Exited unknown = umavez(
        {"mailing",
         "import",
         "clientes.csv",
         "--assunto",
         "{{sobrenome}}",
         "--remetente",
         "a@b.example",
         "--texto-file",
         "oi.txt"}
    );
    const Exited half = umavez({"mailing", "import", "clientes.csv", "--assunto", "x"});
    const Exited wrong_id = umavez({"mailing", "show", "7"});

    EXPECT_EQ(absent.code, 2);
    EXPECT_THAT(absent.err, HasSubstr("nobody.csv is not a file"));
    EXPECT_EQ(unknown.code, 2) << unknown.out;
    EXPECT_THAT(unknown.err, HasSubstr("{{sobrenome}} is no column of the file"));
    EXPECT_EQ(half.code, 2);
    EXPECT_THAT(half.err, HasSubstr("remetente"));
    EXPECT_EQ(wrong_id.code, 2);
    EXPECT_EQ(umavez({"mailing", "show", "01890a5d-ac96-774b-bcce-b302099a8057"}).code, 1);
}

TEST_F(MailingTest, OrdersLeadFromStateToState)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    const std::string id = id_of(import());
    const auto order = [&](const char* verb) { return umavez({"mailing", verb, id}); };

    EXPECT_EQ(order("pause").out, "mailing " + id + " is PAUSED\n");
    EXPECT_EQ(order("resume").out, "mailing " + id + " is QUEUED\n");
    const Exited started = order("start");
    EXPECT_EQ(started.code, 1);
    EXPECT_THAT(started.err, HasSubstr("iniciar is not possible while the mailing is QUEUED"));
    EXPECT_EQ(order("cancel").out, "mailing " + id + " is CANCELLED\n");
    EXPECT_EQ(order("retry").code, 1);
}

TEST_F(MailingTest, AServerSendsWhatItsControlSocketWasHanded)
{
    const auto server = serve({"--smtp", "file:out"});

    const Exited imported = import();
    server->wait_for_error_output("\"event\":\"mailing_ended\"");
    const Exited shown = umavez({"mailing", "show", id_of(imported), "--json"});

    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_THAT(shown.out, HasSubstr("\"status\":\"COMPLETED\""));
    EXPECT_THAT(shown.out, HasSubstr("\"uncertainRecipients\":[]"));
    EXPECT_EQ(mails(), 2);
    server->signal(SIGTERM);
    EXPECT_EQ(server->wait_for_exit().code, 0);
}

TEST_F(MailingTest, AServerIsSentTheFileOverHttp)
{
    const auto server = serve({"--smtp", "file:out"});

    const Exited imported = import({"--server", url_of(*server), "--json"});
    const Exited again = import({"--server", url_of(*server)});
    server->wait_for_error_output("\"event\":\"mailing_ended\"");

    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_EQ(imported.err, "");
    EXPECT_THAT(imported.out, HasSubstr("\"created\":true"));
    EXPECT_THAT(imported.out, HasSubstr("\"entries\":2"));
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(mails(), 2);
    EXPECT_EQ(import({"--server", url_of(*server), "--tenant", "acme"}).code, 2);
}

TEST_F(MailingTest, WithoutAWorkerAFileWaits)
{
    const auto server = serve({"--no-worker", "--smtp", "file:out"});

    const Exited imported = import({"--no-wait"});
    const Exited draft =
        umavez({"mailing", "import", "clientes.csv", "--filename", "rascunho.csv"});

    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_THAT(imported.out, HasSubstr(" QUEUED\n"));
    EXPECT_EQ(draft.code, 0) << draft.err;
    EXPECT_THAT(draft.out, HasSubstr(" DRAFT\n"));
    EXPECT_THAT(draft.err, HasSubstr("no message yet"));
    EXPECT_EQ(mails(), 0);
}

}  // namespace
}  // namespace umavez::functional
