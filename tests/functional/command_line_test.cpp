// The command line from outside: sentences, exit codes, what goes to which stream.

#include "functional/process.hpp"
#include "functional/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace umavez::functional {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class CommandLineTest : public testing::Test {
protected:
    Exited umavez(std::vector<std::string> arguments, std::vector<std::string> environment = {})
        const
    {
        return run(scratch_.path(), std::move(arguments), std::move(environment));
    }

    Exited with_input(std::vector<std::string> arguments, const std::string& input) const
    {
        Process process{scratch_.path(), std::move(arguments)};
        process.write_input(input);
        return process.wait_for_exit();
    }

    Scratch scratch_;
};

TEST_F(CommandLineTest, EveryCommandShowsAnExample)
{
    const std::vector<std::vector<std::string>> commands{
        {"serve"},
        {"config", "check"},
        {"migrate"},
        {"records"},
        {"explain"},
        {"release"},
        {"resolve"},
        {"sweep"},
        {"token", "create"},
        {"token", "list"},
        {"token", "revoke"},
        {"backup"},
        {"fingerprint"},
        {"simulate"},
        {"authority-simulator"},
        {"fiscal", "show"},
        {"fiscal", "reconcile"},
        {"fiscal", "numbers"},
        {"key", "new"},
        {"version"}
    };
    for (std::vector<std::string> command : commands) {
        SCOPED_TRACE(command.front());
        command.emplace_back("--help");

        const Exited helped = umavez(command);

        EXPECT_EQ(helped.code, 0);
        EXPECT_THAT(helped.out, HasSubstr("Example:\n  "));
    }
    EXPECT_THAT(umavez({"--help"}).out, HasSubstr("fingerprint"));
}

TEST_F(CommandLineTest, WrongUsageIsTwoAndTellsWhereToLook)
{
    const Exited slip = umavez({"serv"});
    EXPECT_EQ(slip.code, 2);
    EXPECT_EQ(
        slip.err, "umavez: no command \"serv\" (did you mean \"serve\"?); see umavez --help\n"
    );

    EXPECT_EQ(umavez({}).code, 2);
    EXPECT_EQ(umavez({"fingerprint"}).code, 2);
    EXPECT_EQ(umavez({"config"}).code, 2);
    EXPECT_EQ(umavez({"serve", "--listen", "nowhere"}).code, 2);
}

TEST_F(CommandLineTest, AMistypedWordIsNamedWithTheNearest)
{
    const std::vector<std::pair<std::vector<std::string>, std::string>> table{
        {{"token", "crate"},
         "no command \"crate\" (did you mean \"create\"?); see umavez token --help"},
        {{"config", "chek"},
         "no command \"chek\" (did you mean \"check\"?); see umavez config --help"},
        {{"mailing", "shwo", "3"},
         "no command \"shwo\" (did you mean \"show\"?); see umavez mailing --help"},
        {{"token"}, "a command is needed: create, list, revoke; see umavez token --help"},
        {{"serve", "--lisen", "x"},
         "no option \"--lisen\" (did you mean \"--listen\"?); see umavez serve --help"},
        {{"token", "create", "--rol=reader"},
         "no option \"--rol\" (did you mean \"--role\"?); see umavez token create --help"},
        {{"release", "--reason", "--lost", "k", "--tennant", "acme"},
         "no option \"--tennant\" (did you mean \"--tenant\"?); see umavez release --help"},
        {{"--zzzzzzzz"}, "no option \"--zzzzzzzz\"; see umavez --help"},
        {{"version", "one", "two"}, "\"one\" is not expected; see umavez version --help"},
        {{"explain"}, "KEY is required; see umavez explain --help"},
    };
    for (const auto& [command, sentence] : table) {
        const Exited refused = umavez(command);

        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.err, "umavez: " + sentence + "\n");
    }
}

TEST_F(CommandLineTest, VersionAndHelpAreFoundWhereOthersHaveThem)
{
    EXPECT_EQ(umavez({"--version"}).out, umavez({"version"}).out);
    EXPECT_EQ(umavez({"--version"}).code, 0);
    EXPECT_EQ(umavez({"help"}).out, umavez({"--help"}).out);
    EXPECT_EQ(umavez({"help"}).code, 0);
    EXPECT_EQ(umavez({"help", "token", "create"}).out, umavez({"token", "create", "--help"}).out);
}

TEST_F(CommandLineTest, TheHelpTellsOfAGroupInOneLine)
{
    const std::string help = umavez({"--help"}).out;

    EXPECT_THAT(
        help, HasSubstr("Mailings: import, list, show, start, pause, resume, cancel, retry\n")
    );
    EXPECT_THAT(help, HasSubstr("Tokens: create, list, revoke\n"));
    EXPECT_THAT(help, HasSubstr("Make a key (UUID version 7)\n"));
    EXPECT_THAT(umavez({"token", "--help"}).out, HasSubstr("Make a token and print it once"));
}

TEST_F(CommandLineTest, ABackupOffersNoServer)
{
    const std::string help = umavez({"backup", "--help"}).out;

    EXPECT_THAT(help, Not(HasSubstr("--server")));
    EXPECT_THAT(help, Not(HasSubstr("--token-file")));
    EXPECT_THAT(help, HasSubstr("--json"));
    const Exited refused = umavez({"backup", "x.db"}, {"UMAVEZ_SERVER=http://127.0.0.1:1"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("without UMAVEZ_SERVER"));
}

TEST_F(CommandLineTest, WrongSettingsAreOneSentenceWithTheCure)
{
    const auto refusal =
        [this](const std::string& file, std::vector<std::string> environment = {}) {
            scratch_.write("umavez.toml", file);
            const Exited checked = umavez({"config", "check"}, std::move(environment));
            EXPECT_EQ(checked.code, 1) << file;
            EXPECT_EQ(checked.out, "");
            return checked.err;
        };

    EXPECT_EQ(
        refusal("databse = \"sqlite:a.db\""),
        "umavez: umavez.toml:1: unknown setting \"databse\" (did you mean \"database\"?)\n"
    );
    EXPECT_EQ(
        refusal("database = \"mysql://user:secret@host/x\""),
        "umavez: database: the database URL with \"mysql:\" is not known; write sqlite:PATH, "
        "sqlite::memory: or postgres://USER:PASSWORD@HOST/DATABASE\n"
    );
    EXPECT_THAT(refusal("database = \"sqlite:missing/dir/a.db\""), HasSubstr("umavez: database: "));
    EXPECT_THAT(
        refusal("[operation.\"encomendas.despachar\"]\nlease = \"20s\""),
        StartsWith("umavez: unknown operation \"encomendas.despachar\"; known: clientes.criar, ")
    );
    EXPECT_EQ(
        refusal("", {"UMAVEZ_LOG_LEVEL=loud"}),
        "umavez: UMAVEZ_LOG_LEVEL: \"loud\" is not one of debug, info, warning, error\n"
    );
}

TEST_F(CommandLineTest, TheCheckRefusesWhatTheServerWouldRefuse)
{
    scratch_.write("no.pem", "no certificate");
    const std::string submeter = "[operation.\"propostas.submeter\"]\n";
    const std::vector<std::pair<std::string, std::string>> table{
        {submeter + "lease = \"1ms\"", "lease is 0.001 s"},
        {submeter + "retention = \"1h\"", "retencao_operacoes"},
        {"[operation.\"clientes.criar\"]\nretention = \"1h\"", "stays in its row"},
        {"[tls]\ncert = \"gone.pem\"\nkey = \"gone.key\"", "tls.cert: gone.pem: cannot be read"},
        {"[tls]\ncert = \"no.pem\"\nkey = \"no.pem\"", "tls.cert: no.pem: it is not a PEM"},
        {"[tls]\ncert = \"no.pem\"", "tls.cert is given without tls.key"},
        {"database = \"sqlite:missing/a.db\"", "missing"},
    };
    for (const auto& [file, word] : table) {
        scratch_.write("umavez.toml", file);

        const Exited checked = umavez({"config", "check"});
        const Exited served = umavez({"serve", "--listen", "127.0.0.1:0"});

        EXPECT_EQ(checked.code, 1) << file;
        EXPECT_THAT(checked.err, HasSubstr(word));
        EXPECT_EQ(served.err, checked.err);
        EXPECT_THAT(checked.err, Not(HasSubstr("PostgreSQL")));
    }
}

TEST_F(CommandLineTest, GoodSettingsAreOk)
{
    scratch_.write(
        "own.toml", "listen = \"127.0.0.1:0\"\n[http]\nthreads = 1\n[log]\nlevel = \"error\"\n"
    );

    const Exited checked = umavez({"config", "check", "--config", "own.toml"});

    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(checked.out, "own.toml: ok\n");
}

TEST_F(CommandLineTest, FingerprintsCompareJsonByValue)
{
    const Exited first = with_input({"fingerprint", "-"}, "{\"b\": 1.0, \"a\": [1e0]}");
    const Exited second = with_input({"fingerprint", "-"}, "{\"a\":[1],\"b\":1}\n");
    scratch_.write("other.json", "{\"a\":[1],\"b\":2}");
    const Exited other = umavez({"fingerprint", "other.json"});

    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.out, MatchesRegex("v1:[0-9a-f]+\n"));
    EXPECT_EQ(first.out.size(), 3u + 64u + 1u);
    EXPECT_EQ(first.out, second.out);
    EXPECT_NE(first.out, other.out);
}

TEST_F(CommandLineTest, TheCanonicalFormIsShown)
{
    const Exited shown =
        with_input({"fingerprint", "--canonical", "-"}, "{\"b\": 1.0, \"a\": \"\\u00e9\"}");

    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(shown.out, "{\"a\":\"é\",\"b\":1}\n");
}

TEST_F(CommandLineTest, PathsAndValuesAreTakenAsTheyAreWritten)
{
    scratch_.write("[a,b].json", "1");
    scratch_.write("[own.toml]", "");
    scratch_.write("++", "1");

    EXPECT_EQ(umavez({"fingerprint", "[a,b].json"}).code, 0);
    EXPECT_EQ(umavez({"fingerprint", "++"}).code, 0);
    EXPECT_THAT(umavez({"fingerprint", "[]"}).err, HasSubstr("cannot read []: "));
    EXPECT_EQ(umavez({"config", "check", "--config", "[own.toml]"}).out, "[own.toml]: ok\n");
    EXPECT_EQ(umavez({"config", "check", "--config=[own.toml]"}).out, "[own.toml]: ok\n");
    EXPECT_THAT(
        umavez({"config", "check", "--log-level=", "--listen", "127.0.0.1:0"}).err,
        HasSubstr("--log-level: \"\" is not one of")
    );
}

TEST_F(CommandLineTest, WhatHasNoFingerprintIsRefusedWithThePlace)
{
    for (const char* const document :
         {"{\"a\":1,\"a\":1}", "[1e400]", "\"\\ud800\"", "{", "\xef\xbb\xbf{}"}) {
        SCOPED_TRACE(document);

        const Exited refused = with_input({"fingerprint", "-"}, document);

        EXPECT_EQ(refused.code, 1);
        EXPECT_EQ(refused.out, "");
        EXPECT_THAT(refused.err, HasSubstr("byte "));
    }
}

TEST_F(CommandLineTest, WhatCannotBeReadIsNamedWithTheReason)
{
    std::filesystem::create_directory(scratch_.path() + "/folder");
    const auto refusal = [this](std::vector<std::string> arguments) {
        const Exited refused = umavez(std::move(arguments));
        EXPECT_EQ(refused.code, 1);
        EXPECT_EQ(refused.out, "");
        return refused.err;
    };

    EXPECT_EQ(
        refusal({"fingerprint", "missing.json"}),
        "umavez: cannot read missing.json: No such file or directory\n"
    );
    EXPECT_EQ(refusal({"fingerprint", "folder"}), "umavez: cannot read folder: Is a directory\n");
    EXPECT_EQ(
        refusal({"config", "check", "--config", "folder"}),
        "umavez: config: cannot read folder: Is a directory; give the path of a file with "
        "--config\n"
    );
    EXPECT_EQ(
        refusal({"config", "check", "--config", "missing.toml"}),
        "umavez: config: cannot read missing.toml: No such file or directory; give the path of a "
        "file with --config\n"
    );
}

TEST_F(CommandLineTest, InputWithoutEndIsRefusedAtItsBound)
{
    const Exited endless = umavez({"fingerprint", "/dev/zero"});
    EXPECT_EQ(endless.code, 1);
    EXPECT_EQ(endless.err, "umavez: /dev/zero is larger than 64 MiB, which is the most\n");

    const Exited config = umavez({"config", "check", "--config", "/dev/zero"});
    EXPECT_EQ(config.code, 1);
    EXPECT_THAT(config.err, HasSubstr("/dev/zero is larger than 1 MiB"));
}

TEST_F(CommandLineTest, LongArgumentsAreNotEchoedInFull)
{
    const std::string lengthy(100'000, 'x');
    const std::vector<std::vector<std::string>> invocations{
        {lengthy},
        {"serve", "--" + lengthy},
        {"serve", "--listen", lengthy},
        {"serve", "--http-threads", lengthy},
        {"serve", "--drain-limit", lengthy},
        {"serve", "--log-level", lengthy},
        {"serve", "--config", lengthy},
        {"config", "check", "--database", lengthy},
        {"config", "check", "--database", "sqlite:" + lengthy},
        {"migrate", "--database", "sqlite:" + lengthy},
        {"sweep", "--database", "sqlite:" + lengthy},
        {"records", "--server", lengthy},
        {"explain", lengthy, "--server", "http://127.0.0.1:1"},
        {"token", "revoke", lengthy},
        {"fingerprint", lengthy},
        {"fingerprint", "-", lengthy},
        {"simulate", "--seeds", lengthy},
        {"simulate", "--store", lengthy},
        {"simulate", "--mutant", lengthy},
    };
    for (const auto& arguments : invocations) {
        SCOPED_TRACE(arguments.front().substr(0, 20) + " " + arguments.back().substr(0, 20));

        const Exited refused = umavez(arguments);

        EXPECT_NE(refused.code, 0);
        ASSERT_LT(refused.err.size(), 1000u);
        EXPECT_THAT(refused.err, testing::StartsWith("umavez: "));
    }
}

TEST_F(CommandLineTest, WhatWouldSteerATerminalIsNotEchoed)
{
    EXPECT_THAT(umavez({"\x1b[31mserv"}).err, Not(HasSubstr("\x1b")));
    EXPECT_THAT(umavez({"fingerprint", "\x1b]0;x\a"}).err, Not(HasSubstr("\x1b")));
}

TEST_F(CommandLineTest, DurationsThatMakeNoSenseAreRefusedWithTheCure)
{
    const Exited refused = umavez({"serve", "--audit-retention", "0s"});

    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(
        refused.err,
        "umavez: --audit-retention: 0s keeps nothing; write a duration above zero, such as 90d\n"
    );
    EXPECT_THAT(
        umavez({"serve", "--audit-retention", "36600000d"}).err,
        HasSubstr("--audit-retention: \"36600000d\" is longer than 100 years")
    );
    EXPECT_EQ(umavez({"config", "check", "--drain-limit", "0s"}).code, 0);
}

TEST_F(CommandLineTest, MigrateTellsWhatIsApplied)
{
    EXPECT_EQ(umavez({"migrate", "--status"}).code, 1);

    const Exited migrated = umavez({"migrate"});
    const Exited status = umavez({"migrate", "--status"});

    EXPECT_EQ(migrated.code, 0) << migrated.err;
    EXPECT_THAT(status.out, MatchesRegex("([a-z_]+ [0-9]+ of [0-9]+\n)+"));
    EXPECT_EQ(status.out, migrated.out);
}

TEST_F(CommandLineTest, SimulationsAreRepeatable)
{
    const std::vector<std::string> arguments{"simulate", "--seed", "7", "--seeds", "4", "--json"};

    const Exited first = umavez(arguments);

    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("\"violations\":0"));
    EXPECT_EQ(first.out, umavez(arguments).out);
    EXPECT_EQ(umavez({"simulate", "--seeds", "many"}).code, 2);
    const Exited none = umavez({"simulate", "--seeds", "0"});
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.err, "umavez: --seeds: 0 simulates nothing; write 1 or more\n");
}

TEST_F(CommandLineTest, KeysAreNewEveryTime)
{
    const Exited first = umavez({"key", "new"});

    EXPECT_THAT(first.out, MatchesRegex("[0-9a-f-]+\n"));
    EXPECT_EQ(first.out.size(), 37u);
    EXPECT_NE(first.out, umavez({"key", "new"}).out);
}

}  // namespace
}  // namespace umavez::functional
