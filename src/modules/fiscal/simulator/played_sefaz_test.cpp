// SEFAZ over real TLS: the faults of the wire at each of its calls, what a throttled client meets, and that
// of many equal notes one is authorised.

#include "modules/fiscal/simulator/played_authority.hpp"
#include "modules/fiscal/simulator/sefaz_test_documents.hpp"
#include "modules/fiscal/simulator/test_client.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace umavez::fiscal::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlayedSefaz : public testing::Test {
protected:
    void SetUp() override { start({}); }

    void start(PlayOptions options)
    {
        authority_.reset();
        options.folder = folder_.path() + "/sim";
        options.slow = std::chrono::milliseconds{300};
        auto started = PlayedAuthority::start(std::move(options));
        ASSERT_TRUE(started.has_value()) << started.error().detail;
        authority_ = *std::move(started);
    }

    Got send(const http::Request& request) { return TestClient{*authority_}.send(request); }
    std::vector<std::string> stats(const http::Request& request)
    {
        return texts_of(send(request).body, "cStat");
    }
    void script(Fault fault, Call call)
    {
        authority_->simulator().add({.fault = fault, .call = call});
    }
    std::string ledger(const std::string& documento)
    {
        return authority_->simulator().ledger_json(documento);
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<PlayedAuthority> authority_;
};

TEST_F(PlayedSefaz, SettingsNameEveryService)
{
    const std::string settings = authority_->settings();

    EXPECT_THAT(settings, HasSubstr("\nautorizacao = \"https://127.0.0.1:"));
    for (const SefazService& service : sefaz_services) {
        EXPECT_THAT(
            settings,
            HasSubstr(fmt::format(
                "{} = \"{}/sefaz/{}\"\n", service.setting, authority_->base_url(), service.name
            ))
        );
    }
}

TEST_F(PlayedSefaz, EmitsFindsCancelsAndVoids)
{
    const TestNfe nfe;
    const Got emitted = send(post_nfe(nfe));
    ASSERT_EQ(emitted.status, 200) << emitted.body;
    const TestEvento evento{.chave = nfe.chave(), .protocolo = text_of(emitted.body, "nProt")};

    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("100", "100"));
    EXPECT_THAT(stats(post_evento(evento)), ElementsAre("128", "135"));
    EXPECT_THAT(stats(void_numbers(1, 3)), ElementsAre("102"));
    EXPECT_THAT(stats(ask_status()), ElementsAre("107"));
    const std::string natural = natural_key(nfe.chave());
    EXPECT_THAT(
        ledger(natural),
        HasSubstr('"' + natural + R"(":{"authorisations":1,"chave":")" + nfe.chave())
    );
    EXPECT_THAT(ledger(natural), HasSubstr(R"("cancelled":true,"cancellations":1,)"));
    EXPECT_THAT(
        ledger(natural),
        HasSubstr(R"("voided":[{"id":"ID35260057475300010055001000000001000000003",)")
    );
}

// At each call: what is before stores nothing, what is after has stored it, and asking again tells.
TEST_F(PlayedSefaz, FaultsOfTheWireAtEachCall)
{
    const std::vector<std::pair<Fault, long>> faults{
        {Fault::drop_request, 0},
        {Fault::reset, 0},
        {Fault::error_500, 500},
        {Fault::error_503, 503},
        {Fault::bad_gateway, 502},
        {Fault::answer_lost, 0},
        {Fault::slow_before, 200},
        {Fault::slow, 200},
        {Fault::unreadable, 200},
        {Fault::truncated, 200},
    };
    int number = 0;
    for (const auto& [fault, status] : faults) {
        const bool is_stored = fault == Fault::answer_lost || status == 200;
        const TestNfe nfe{.numero = ++number};
        script(fault, Call::emitir);
        EXPECT_EQ(send(post_nfe(nfe)).status, status) << to_text(fault);
        script(fault, Call::consultar);
        EXPECT_EQ(send(ask_nfe(nfe.chave())).status, status) << to_text(fault);
        EXPECT_EQ(stats(ask_nfe(nfe.chave())).front(), is_stored ? "100" : "217") << to_text(fault);
        EXPECT_EQ(stats(post_nfe(nfe)).back(), is_stored ? "204" : "100") << to_text(fault);

        const std::string protocol = text_of(send(ask_nfe(nfe.chave())).body, "nProt");
        const http::Request cancel = post_evento({.chave = nfe.chave(), .protocolo = protocol});
        script(fault, Call::cancelar);
        EXPECT_EQ(send(cancel).status, status) << to_text(fault);
        EXPECT_EQ(stats(cancel).back(), is_stored ? "573" : "135") << to_text(fault);

        script(fault, Call::inutilizar);
        EXPECT_EQ(send(void_numbers(1000 + number, 1000 + number)).status, status);
        EXPECT_EQ(
            stats(void_numbers(1000 + number, 1000 + number)).front(), is_stored ? "563" : "102"
        ) << to_text(fault);
    }
    EXPECT_THAT(authority_->simulator().stats_json(), HasSubstr(R"("authorised_twice":0,)"));
}

TEST_F(PlayedSefaz, WhoIsThrottledIsToldSoUntilItKeepsQuiet)
{
    start({.throttle = std::chrono::hours{1}});
    script(Fault::throttle, Call::consultar);

    EXPECT_THAT(stats(ask_nfe(TestNfe{}.chave())), ElementsAre("656"));
    EXPECT_THAT(stats(post_nfe({})), ElementsAre("656"));
    EXPECT_THAT(stats(ask_status()), ElementsAre("656"));
    EXPECT_THAT(ledger(natural_key(TestNfe{}.chave())), HasSubstr(R"({"authorisations":0,)"));
    start({.throttle = std::chrono::hours{1}});
    EXPECT_THAT(stats(post_nfe({})), ElementsAre("656"));  // a restart forgives nothing
    start({.throttle = std::chrono::microseconds{1}});
    EXPECT_THAT(stats(post_nfe({})), ElementsAre("104", "100"));
}

TEST_F(PlayedSefaz, BatchWaitsAcrossARestart)
{
    const TestNfe nfe;
    script(Fault::receipt, Call::emitir);
    const std::string recibo = text_of(send(post_nfe(nfe)).body, "nRec");
    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("105"));

    start({});

    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("105"));
    EXPECT_THAT(stats(ask_recibo(recibo)), ElementsAre("104", "100"));
    EXPECT_THAT(ledger(natural_key(nfe.chave())), HasSubstr(R"("recibo":3)"));
}

TEST_F(PlayedSefaz, CancelledBehindTheBack)
{
    const TestNfe nfe;
    script(Fault::cancel_behind, Call::emitir);

    EXPECT_THAT(stats(post_nfe(nfe)), ElementsAre("104", "100"));

    EXPECT_THAT(stats(ask_nfe(nfe.chave())), ElementsAre("101", "100", "135"));
    const TestNfe other{.numero = 43};
    send(post_nfe(other));
    ASSERT_TRUE(authority_->simulator().register_behind(other.chave(), "").has_value());
    EXPECT_THAT(stats(ask_nfe(other.chave())), ElementsAre("101", "100", "135"));
}

TEST_F(PlayedSefaz, OfTwentyEqualNotesOneIsAuthorised)
{
    std::atomic<int> authorised = 0;
    std::atomic<int> duplicates = 0;
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < 20; ++i) {
            clients.emplace_back([&] {
                const auto told = stats(post_nfe({}));
                if (told.back() == "100") ++authorised;
                if (told.back() == "204") ++duplicates;
            });
        }
    }

    EXPECT_EQ(authorised, 1);
    EXPECT_EQ(duplicates, 19);
}

}  // namespace
}  // namespace umavez::fiscal::simulator
