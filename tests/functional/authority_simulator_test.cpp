// `umavez authority-simulator` from outside: what it prints, what it refuses, and whose its folder is.

#include "functional/process.hpp"
#include "functional/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace umavez::functional {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class AuthoritySimulatorTest : public testing::Test {
protected:
    static std::vector<std::string> with(std::vector<std::string> more)
    {
        std::vector<std::string> arguments{"authority-simulator", "--control", "127.0.0.1:0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    Exited refused(std::vector<std::string> more) const
    {
        return run(scratch_.path(), with(std::move(more)));
    }

    Scratch scratch_;
};

TEST_F(AuthoritySimulatorTest, PrintsTheSettingsToPasteAndWhereItIs)
{
    Process simulator{scratch_.path(), with({"--folder", "sim", "--listen", "127.0.0.1:0"})};
    simulator.wait_for_error_output("control on http://127.0.0.1:");
    simulator.signal(SIGTERM);

    const Exited exited = simulator.wait_for_exit();

    EXPECT_EQ(exited.code, 0);
    EXPECT_THAT(exited.out, StartsWith("[fiscal.nacional]\nhomologacao = \"https://127.0.0.1:"));
    EXPECT_THAT(exited.out, HasSubstr("inscricao = \"00574753000100\""));
    EXPECT_THAT(exited.out, HasSubstr("/sim/client.pfx\"\nsenha = \"umavez\""));
    EXPECT_TRUE(std::filesystem::exists(scratch_.path() + "/sim/ledger.jsonl"));
}

TEST_F(AuthoritySimulatorTest, ListensOnThisMachineOnly)
{
    for (const std::string flag : {"--listen", "--control"}) {
        const Exited exited =
            run(scratch_.path(), {"authority-simulator", "--folder", "sim", flag, "0.0.0.0:0"});

        EXPECT_EQ(exited.code, 2);
        EXPECT_THAT(exited.err, HasSubstr(flag + ": \"0.0.0.0:0\" is not of this machine"));
    }
    EXPECT_FALSE(std::filesystem::exists(scratch_.path() + "/sim"));
}

TEST_F(AuthoritySimulatorTest, WrongChoicesAreNamed)
{
    EXPECT_THAT(refused({}).err, HasSubstr("--folder is missing"));
    EXPECT_THAT(
        refused({"--folder", "sim", "--fault-rate", "1", "--faults", "anser-lost"}).err,
        HasSubstr("did you mean \"answer-lost\"?")
    );
    EXPECT_THAT(refused({"--folder", "sim", "--faults", "slow"}).err, HasSubstr("--fault-rate"));
    EXPECT_THAT(
        refused({"--folder", "sim", "--issuer", "00.574.753/0001-00"}).err, HasSubstr("punctuation")
    );
}

TEST_F(AuthoritySimulatorTest, APortThatIsTakenIsToldWithItsOwnFlag)
{
    Process first{scratch_.path(), with({"--folder", "sim", "--listen", "127.0.0.1:0"})};
    const std::string told = first.wait_for_error_output(", ledger ");
    const auto address_after = [&told](const std::string& before) {
        const std::size_t begin = told.find(before) + before.size();
        return told.substr(begin, told.find(',', begin) - begin);
    };
    const std::string control = address_after("control on http://");
    const std::string listen = address_after("on https://");

    const Exited by_control = run(
        scratch_.path(),
        {"authority-simulator", "--folder", "two", "--listen", "127.0.0.1:0", "--control", control}
    );
    const Exited by_listen = refused({"--folder", "two", "--listen", listen});

    EXPECT_EQ(by_control.code, 1);
    EXPECT_EQ(
        by_control.err,
        "umavez: cannot listen on " + control +
            ": Address already in use; choose another address with --control\n"
    );
    EXPECT_EQ(by_listen.code, 1);
    EXPECT_THAT(by_listen.err, HasSubstr("choose another address with --listen"));
}

TEST_F(AuthoritySimulatorTest, FolderBelongsToOne)
{
    Process first{scratch_.path(), with({"--folder", "sim", "--listen", "127.0.0.1:0"})};
    first.wait_for_error_output("control on");

    const Exited second = refused({"--folder", "sim", "--listen", "127.0.0.1:0"});

    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, HasSubstr("another simulator works with it"));
    first.signal(SIGKILL);
    first.wait_for_exit();
    Process third{scratch_.path(), with({"--folder", "sim", "--listen", "127.0.0.1:0"})};
    third.wait_for_error_output("control on");
}

}  // namespace
}  // namespace umavez::functional
