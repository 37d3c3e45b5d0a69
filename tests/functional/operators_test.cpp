// The commands of operators from outside: on the database itself, through the control socket of a
// server, and what they say and exit with.

#include "functional/http_client.hpp"
#include "functional/process.hpp"
#include "functional/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

namespace umavez::functional {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class OperatorsTest : public testing::Test {
protected:
    Exited umavez(std::vector<std::string> arguments, std::vector<std::string> environment = {})
        const
    {
        return run(scratch_.path(), std::move(arguments), std::move(environment));
    }

    std::unique_ptr<Process> serve() const
    {
        auto server = std::make_unique<Process>(
            scratch_.path(), std::vector<std::string>{"serve", "--listen", "127.0.0.1:0"}
        );
        server->wait_for_error_output("\"event\":\"listening\"");
        return server;
    }

    static std::uint16_t port_of(Process& server)
    {
        const std::string& log = server.wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        return static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
    }

    static void stop(Process& server)
    {
        server.signal(SIGTERM);
        EXPECT_EQ(server.wait_for_exit().code, 0);
    }

    bool exists(const std::string& name) const
    {
        return std::filesystem::exists(scratch_.path() + "/" + name);
    }

    Scratch scratch_;
};

TEST_F(OperatorsTest, AMistypedPathCreatesNothing)
{
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"records"},
          {"sweep"},
          {"explain", "k"},
          {"token", "list"},
          {"backup", "copy.db"}}) {
        const Exited refused = umavez(command);

        EXPECT_EQ(refused.code, 1) << command.front();
        EXPECT_FALSE(exists("umavez.db")) << command.front();
        EXPECT_FALSE(exists("umavez.db.lock")) << command.front();
    }
}

TEST_F(OperatorsTest, TheSameAnswersWithAndWithoutAServer)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    for (const bool with_server : {false, true}) {
        SCOPED_TRACE(with_server);
        const auto server = with_server ? serve() : nullptr;

        EXPECT_EQ(umavez({"records"}).err, "no records\n");
        EXPECT_THAT(umavez({"records", "--json"}).out, StartsWith("{\"records\":[],\"next\":null"));
        EXPECT_EQ(umavez({"sweep"}).out, "removed 0 records and 0 audit entries\n");
        EXPECT_THAT(
            umavez({"explain", "k"}).err, HasSubstr("no record and no story has the key \"k\"")
        );
        const Exited told = umavez({"explain", "k", "--tenant", "acme", "--operation", "o"});
        EXPECT_EQ(told.code, 1);
        const std::string copy = with_server ? "with.db" : "without.db";
        EXPECT_THAT(umavez({"backup", copy}).out, HasSubstr("bytes, checked"));
        EXPECT_TRUE(exists(copy));
        EXPECT_EQ(umavez({"backup", copy}).code, 1);
    }
}

TEST_F(OperatorsTest, TokensComeAndGoWhileTheServerRuns)
{
    const auto server = serve();

    const Exited made =
        umavez({"token", "create", "--tenant", "acme", "--role", "writer", "--label", "loja"});
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_THAT(made.out, MatchesRegex("uvz_[A-Za-z0-9_-]{43}\n"));
    const Exited listed = umavez({"token", "list"});
    EXPECT_THAT(listed.out, HasSubstr("loja"));
    EXPECT_THAT(listed.out, HasSubstr("live"));
    EXPECT_THAT(listed.out, Not(HasSubstr(made.out.substr(0, 20))));
    EXPECT_EQ(umavez({"token", "revoke", "1"}).out, "revoked token 1\n");
    EXPECT_THAT(umavez({"token", "list"}).out, HasSubstr("revoked"));
    EXPECT_EQ(umavez({"token", "revoke", "9"}).code, 1);
}

TEST_F(OperatorsTest, WrongUsageIsTwo)
{
    EXPECT_EQ(umavez({"token", "create", "--tenant", "acme"}).code, 2);
    EXPECT_EQ(umavez({"token", "revoke", "x"}).code, 2);
    EXPECT_EQ(umavez({"release", "k"}).code, 2);
    EXPECT_EQ(umavez({"resolve", "k", "--reason", "r"}).code, 2);
    EXPECT_EQ(umavez({"records", "--server", "nonsense"}).code, 2);
    EXPECT_EQ(umavez({"backup", "x.db", "--server", "http://127.0.0.1:1"}).code, 2);
    EXPECT_EQ(umavez({"simulate", "--seed", "18446744073709551615", "--seeds", "2"}).code, 2);
}

TEST_F(OperatorsTest, WhatTheDeskCallsWrongIsUsageToo)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    const std::vector<std::pair<std::vector<std::string>, std::string>> table{
        {{"records", "--limit", "0"}, "limit: "},
        {{"records", "--tenant", "ACME"}, "tenant: "},
        {{"records", "--cursor", "zz"}, "cursor: "},
        {{"token", "create", "--tenant", "*", "--role", "writer"}, "tenant: "},
        {{"token", "create", "--tenant", "a", "--role", "writer", "--label", std::string(200, 'x')},
         "label: "},
        {{"backup", ""}, "FILE is empty"},
    };
    for (const auto& [command, word] : table) {
        const Exited refused = umavez(command);

        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_THAT(refused.err, StartsWith("umavez: " + word));
        EXPECT_THAT(refused.err, Not(HasSubstr(word + word))) << "said twice";
        EXPECT_EQ(refused.out, "");
    }
    const std::string both =
        umavez({"records", "--tenant", std::string(65, 'a'), "--limit", "0"}).err;
    EXPECT_THAT(both, HasSubstr("tenant: "));
    EXPECT_THAT(both, HasSubstr("limit: "));
}

TEST_F(OperatorsTest, AWrongWordIsNamedBeforeAnythingIsOpened)
{
    const std::vector<std::pair<std::vector<std::string>, std::string>> table{
        {{"resolve", "k", "--reason", "r", "--as", "maybe"},
         "--as: \"maybe\" is not one of succeeded, failed\n"},
        {{"records", "--status", "indoubt"},
         "--status: \"indoubt\" is not one of processing, succeeded, failed, in_doubt (did you "
         "mean "
         "\"in_doubt\"?)\n"},
        {{"token", "create", "--tenant", "acme", "--role", "admin"},
         "--role: \"admin\" is not one of reader, writer, operator\n"},
        {{"webhook", "list", "--state", "gone"},
         "--state: \"gone\" is not one of pending, waiting, done, ignored, stale, dead (did you "
         "mean "
         "\"done\"?)\n"},
        {{"deliveries", "list", "--state", "x"},
         "--state: \"x\" is not one of pending, delivered, dead, cancelled\n"},
        {{"messages", "list", "--state", "x"},
         "--state: \"x\" is not one of pending, published, done, dead\n"},
    };
    for (const auto& [command, sentence] : table) {
        const Exited refused = umavez(command);

        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.err, "umavez: " + sentence);
    }
}

TEST_F(OperatorsTest, AKeyThatNobodyUsedCannotBeReleased)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"release", "k", "--reason", "r"},
          {"release", "k", "--reason", "r", "--tenant", "acme", "--operation", "clientes.criar"}}) {
        const Exited refused = umavez(command);

        EXPECT_EQ(refused.code, 1);
        EXPECT_THAT(refused.err, HasSubstr("no record"));
        EXPECT_EQ(refused.out, "");
    }
}

TEST_F(OperatorsTest, ABackupTouchesNothingOfOthers)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    scratch_.write("there.db", "precious");
    scratch_.write("copy.db.partial", "of somebody else");

    EXPECT_EQ(umavez({"backup", "there.db"}).code, 1);
    const Exited refused = umavez({"backup", "copy.db"});

    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("copy.db.partial"));
    EXPECT_TRUE(exists("copy.db.partial"));
    EXPECT_FALSE(exists("copy.db"));
}

TEST_F(OperatorsTest, AServerThatIsNotThereIsOneSentence)
{
    const Exited refused = umavez({"records", "--server", "http://127.0.0.1:1"});

    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.err, "umavez: cannot reach 127.0.0.1 port 1: Connection refused\n");
}

TEST_F(OperatorsTest, OutputThatCannotBeWrittenIsAFailure)
{
    for (const char* const command :
         {"version", "key new", "config check", "explain --help", "--help"}) {
        const std::string line = "cd " + scratch_.path() + " && " + UMAVEZ_PROGRAM + " " + command +
                                 " > /dev/full 2> /dev/null";

        EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1) << command;
    }
}

TEST_F(OperatorsTest, WithoutATokenOtherAddressesAreRefused)
{
    const Exited refused = umavez({"serve", "--listen", "0.0.0.0:0"});

    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("umavez token create"));
}

TEST_F(OperatorsTest, TheAdviceToMakeATokenNamesTheSameDatabase)
{
    scratch_.write("own.toml", "database = \"sqlite:own.db\"\n");
    const auto advice = [this](std::vector<std::string> place) {
        std::vector<std::string> command{"serve", "--listen", "0.0.0.0:0"};
        command.insert(command.end(), place.begin(), place.end());
        return umavez(std::move(command)).err;
    };

    EXPECT_THAT(advice({}), HasSubstr("`umavez token create --tenant default --role operator`"));
    EXPECT_THAT(
        advice({"--database", "sqlite:y.db"}), HasSubstr("--role operator --database sqlite:y.db`")
    );
    EXPECT_THAT(
        advice({"--database", "sqlite:it's y.db"}),
        HasSubstr("--role operator --database 'sqlite:it'\\''s y.db'`")
    );
    EXPECT_THAT(advice({"--config", "own.toml"}), HasSubstr("--role operator --config own.toml`"));
    EXPECT_EQ(
        umavez({"token",
                "create",
                "--tenant",
                "default",
                "--role",
                "operator",
                "--database",
                "sqlite:y.db"})
            .code,
        0
    );
}

TEST_F(OperatorsTest, AConfigCheckRefusesTheAddressThatServeWould)
{
    const std::vector<std::string> check{"config", "check", "--listen", "0.0.0.0:0"};
    const Exited without_file = umavez(check);
    EXPECT_FALSE(exists("umavez.db"));
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    const Exited without_token = umavez(check);
    const std::string told = umavez({"serve", "--listen", "0.0.0.0:0"}).err;
    ASSERT_EQ(umavez({"token", "create", "--tenant", "acme", "--role", "operator"}).code, 0);
    const Exited with_token = umavez(check);
    EXPECT_FALSE(exists("umavez.db-wal")) << "whoever looks leaves nothing behind";
    EXPECT_FALSE(exists("umavez.db-shm"));
    const auto server = serve();
    const Exited while_serving = umavez(check);

    EXPECT_EQ(while_serving.code, 0) << while_serving.err;
    EXPECT_EQ(without_file.code, 1);
    EXPECT_EQ(without_token.code, 1);
    EXPECT_EQ(without_file.err, told);
    EXPECT_EQ(without_token.err, told);
    EXPECT_EQ(with_token.code, 0) << with_token.err;
}

TEST_F(OperatorsTest, AKeyWhoseAttemptLeftNoRecordIsExplainedByItsStory)
{
    {
        const auto server = serve();
        const auto post = [port = port_of(*server)](const std::string& key) {
            const std::string joao = R"({"nome":"João","email":"joao@example.com"})";
            return ask(
                port,
                {.method = "POST",
                 .target = "/api/v1/clientes",
                 .headers = {"Idempotency-Key: " + key, "Connection: close"},
                 .body = joao}
            );
        };
        ASSERT_THAT(post("first"), StartsWith("HTTP/1.1 201"));
        ASSERT_THAT(post("second"), StartsWith("HTTP/1.1 409"));
        stop(*server);  // what is noted is written then
    }

    const Exited told = umavez({"explain", "second"});

    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_THAT(told.out, HasSubstr("no record"));
    EXPECT_THAT(told.out, HasSubstr("released"));
    EXPECT_THAT(umavez({"release", "second", "--reason", "r"}).err, HasSubstr("no record"));
}

TEST_F(OperatorsTest, AKeyIsTakenAsItIsWritten)
{
    {
        const auto server = serve();
        const std::uint16_t port = port_of(*server);
        for (const std::string key : {"x", "a", "version"}) {
            const std::string body = R"({"nome":"João","email":")" + key + R"(@example.com"})";
            ASSERT_THAT(
                ask(port,
                    {.method = "POST",
                     .target = "/api/v1/clientes",
                     .headers = {"Idempotency-Key: " + key, "Connection: close"},
                     .body = body}),
                StartsWith("HTTP/1.1 201")
            );
        }
        stop(*server);
    }
    EXPECT_EQ(umavez({"explain", "x"}).code, 0);
    EXPECT_EQ(umavez({"explain", "version"}).code, 0);
    for (const std::string key :
         {"[x]", "[a,b]", "[]", "[[x]]", "{}", "%%", "++", "x,a", "[x", "x]"}) {
        SCOPED_TRACE(key);
        const std::string nobody = "has the key \"" + key + "\"";

        EXPECT_THAT(umavez({"explain", key}).err, HasSubstr(nobody));
        EXPECT_THAT(umavez({"explain", "--", key}).err, HasSubstr(nobody));
        EXPECT_THAT(umavez({"release", key, "--reason", "r"}).err, HasSubstr(nobody));
        EXPECT_THAT(
            umavez({"resolve", "--as", "failed", "--reason", "r", key}).err, HasSubstr(nobody)
        );
    }
    EXPECT_THAT(umavez({"explain", "--", "-x"}).err, HasSubstr("has the key \"-x\""));
}

TEST_F(OperatorsTest, ABackupHasTheNameThatIsWritten)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);

    EXPECT_EQ(umavez({"backup", "[bk]"}).code, 0);
    EXPECT_EQ(umavez({"backup", "[a,b].db"}).code, 0);

    EXPECT_TRUE(exists("[bk]"));
    EXPECT_TRUE(exists("[a,b].db"));
    EXPECT_FALSE(exists("bk"));
}

TEST_F(OperatorsTest, ABackupIsNotNamedAsAFileOfTheDatabase)
{
    ASSERT_EQ(umavez({"migrate"}).code, 0);
    std::filesystem::create_directory_symlink(scratch_.path(), scratch_.path() + "/here");
    for (const bool with_server : {false, true}) {
        SCOPED_TRACE(with_server);
        const auto server = with_server ? serve() : nullptr;
        for (const std::string suffix : {"", "-journal", "-wal", "-shm", ".lock", ".sock"}) {
            for (const std::string folder : {"", "here/"}) {
                const Exited refused = umavez({"backup", folder + "umavez.db" + suffix});

                EXPECT_NE(refused.code, 0) << suffix;
                EXPECT_THAT(refused.err, HasSubstr("belongs to the database")) << suffix;
                EXPECT_THAT(refused.err, HasSubstr("choose another name")) << suffix;
            }
        }
        EXPECT_FALSE(exists("umavez.db-journal"));
        EXPECT_FALSE(exists("umavez.db-journal.partial"));
    }
    EXPECT_EQ(umavez({"backup", "other.db-copy"}).code, 0);
}

}  // namespace
}  // namespace umavez::functional
