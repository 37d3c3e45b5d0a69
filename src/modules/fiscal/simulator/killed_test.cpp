// The simulator in a child that is killed in the middle of its work, again and again: what it answered is in
// the ledger, once.

#include "modules/fiscal/simulator/played_authority.hpp"
#include "modules/fiscal/simulator/sefaz_test_documents.hpp"
#include "modules/fiscal/simulator/test_client.hpp"
#include "modules/fiscal/simulator/test_documents.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace umavez::fiscal::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// In a child, which says through the pipe where it serves, and goes on until it is killed.
[[noreturn]] void serve_in_child(const std::string& folder, int out)
{
    const auto authority = PlayedAuthority::start({.folder = folder});
    const std::uint16_t port = authority ? (*authority)->port() : std::uint16_t{0};
    if (::write(out, &port, sizeof port) != sizeof port) ::_exit(1);
    for (;;) ::pause();
}

struct Child {
    pid_t pid = -1;
    std::uint16_t port = 0;
};

Child start_child(const std::string& folder)
{
    int pipe[2];
    if (::pipe(pipe) != 0) return {};
    Child child{.pid = ::fork()};
    if (child.pid == 0) serve_in_child(folder, pipe[1]);
    ::close(pipe[1]);
    if (::read(pipe[0], &child.port, sizeof child.port) != sizeof child.port) child.port = 0;
    ::close(pipe[0]);
    return child;
}

TEST(Killed, LedgerNeitherLosesNorDoubles)
{
    const test::TemporaryFolder folder;
    std::vector<int> answered;
    std::vector<int> answered_nfe;
    int number = 0;
    for (int round = 0; round < 4; ++round) {
        const Child child = start_child(folder.path());
        ASSERT_NE(child.port, 0);
        // The child is killed in the middle of whatever the last of these does.
        std::jthread killer;
        TestClient client{
            fmt::format("https://127.0.0.1:{}/SefinNacional", child.port),
            folder.path() + "/ca.pem",
            folder.path() + "/client.pem"
        };
        for (int i = 0; i < 200; ++i) {
            if (i == 20) killer = std::jthread{[&child] { ::kill(child.pid, SIGKILL); }};
            ++number;
            const Got got = client.send(post_dps(TestDps::of_number(number).xml()));
            if (got.status == 201) answered.push_back(number);
            if (got.code != CURLE_OK) break;
            const Got nfe = client.send(post_nfe({.numero = number}));
            if (nfe.code != CURLE_OK) break;
            answered_nfe.push_back(number);
            EXPECT_THAT(texts_of(nfe.body, "cStat"), ElementsAre("104", "100"));
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child.pid, &status, 0), child.pid);
        EXPECT_TRUE(WIFSIGNALED(status));
    }

    auto again = PlayedAuthority::start({.folder = folder.path()});

    ASSERT_TRUE(again.has_value()) << again.error().detail;
    EXPECT_GE(answered.size(), 4U * 20U);
    for (const int one : answered) {
        const TestDps dps = TestDps::of_number(one);
        EXPECT_THAT(
            (*again)->simulator().ledger_json(dps.id), HasSubstr(R"({"authorisations":1,)")
        );
    }
    for (const int one : answered_nfe) {
        EXPECT_THAT(
            (*again)->simulator().ledger_json(natural_key(TestNfe{.numero = one}.chave())),
            HasSubstr(R"({"authorisations":1,)")
        );
    }
    EXPECT_THAT((*again)->simulator().stats_json(), HasSubstr(R"("authorised_twice":0)"));
    TestClient client{**again};
    EXPECT_THAT(
        texts_of(client.send(post_nfe({.numero = answered_nfe.back()})).body, "cStat"),
        ElementsAre("104", "204")
    );
    EXPECT_THAT(
        client.send(post_dps(TestDps::of_number(answered.back()).xml())).body, HasSubstr("E0014")
    );
}

}  // namespace
}  // namespace umavez::fiscal::simulator
