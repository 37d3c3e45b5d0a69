// Process: a program that ended otherwise than it was told fails the test that started it.

#include "functional/process.hpp"

#include "functional/scratch.hpp"
#include "support/wait.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <sys/wait.h>

namespace umavez::functional {
namespace {

class ProcessTest : public testing::Test {
protected:
    void serve(const std::string& database = "sqlite:umavez.db")
    {
        process_.emplace(
            scratch_.path(),
            std::vector<std::string>{"serve", "--listen", "127.0.0.1:0", "--database", database}
        );
        process_->wait_for_error_output("\"event\":\"listening\"");
    }

    // It is not taken from Process, which shall find it dead.
    void wait_dead() const
    {
        test::wait_until("it has ended", [&] {
            siginfo_t ended{};
            const auto pid = static_cast<id_t>(process_->pid());
            return ::waitid(P_PID, pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                   ended.si_pid != 0;
        });
    }

    Scratch scratch_;
    std::optional<Process> process_;
};

TEST_F(ProcessTest, OneThatRunsIsKilled)
{
    serve();
    process_.reset();
}

TEST_F(ProcessTest, OneThatAbortedIsTold)
{
    serve();
    ::kill(process_->pid(), SIGABRT);
    wait_dead();
    EXPECT_NONFATAL_FAILURE(process_.reset(), "it ended by signal 6 before it was killed");
}

TEST_F(ProcessTest, OneThatLeftIsToldWithItsWords)
{
    process_.emplace(scratch_.path(), std::vector<std::string>{"nonsense"});
    wait_dead();
    EXPECT_NONFATAL_FAILURE(process_.reset(), "no command \"nonsense\"");
}

TEST_F(ProcessTest, WhatASanitizerSaidOfOneThatRunsIsTold)
{
    serve("sqlite:ASanitizer: said.db");
    EXPECT_NONFATAL_FAILURE(process_.reset(), "a sanitizer complained: ");
}

TEST_F(ProcessTest, AnEndThatWasAskedForIsNone)
{
    for (const int number : {SIGTERM, SIGKILL}) {
        serve();
        process_->signal(number);
        wait_dead();
        process_.reset();
    }
}

}  // namespace
}  // namespace umavez::functional
