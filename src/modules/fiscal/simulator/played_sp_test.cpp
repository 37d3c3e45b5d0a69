// The city of São Paulo over real TLS: the faults of the wire at each of its calls.

#include "modules/fiscal/simulator/played_authority.hpp"
#include "modules/fiscal/simulator/sefaz_test_documents.hpp"
#include "modules/fiscal/simulator/sp_test_documents.hpp"
#include "modules/fiscal/simulator/test_client.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace umavez::fiscal::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlayedSaoPaulo : public testing::Test {
protected:
    void SetUp() override { start(); }

    void start()
    {
        authority_.reset();
        auto started = PlayedAuthority::start(
            {.folder = folder_.path() + "/sim", .slow = std::chrono::milliseconds{300}}
        );
        ASSERT_TRUE(started.has_value()) << started.error().detail;
        authority_ = *std::move(started);
    }

    Got send(const http::Request& request) { return TestClient{*authority_}.send(request); }
    std::string retorno(const http::Request& request) { return retorno_of(send(request).body); }
    void script(Fault fault, Call call)
    {
        authority_->simulator().add({.fault = fault, .call = call});
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<PlayedAuthority> authority_;
};

TEST_F(PlayedSaoPaulo, SettingsNameItsAddress)
{
    EXPECT_THAT(
        authority_->settings(),
        HasSubstr(
            "\n[fiscal.sao_paulo]\nhomologacao = \"" + authority_->base_url() +
            "/sp/lotenfe.asmx\"\nca_file = \"" + authority_->files().ca + "\"\n"
        )
    );
}

TEST_F(PlayedSaoPaulo, FaultsOfTheWireAtEachCall)
{
    const std::vector<std::pair<Fault, long>> faults{
        {Fault::drop_request, 0},
        {Fault::reset, 0},
        {Fault::error_500, 500},
        {Fault::error_503, 503},
        {Fault::bad_gateway, 502},
        {Fault::throttle, 429},
        {Fault::answer_lost, 0},
        {Fault::slow_before, 200},
        {Fault::slow, 200},
        {Fault::unreadable, 200},
        {Fault::truncated, 200},
    };
    int number = 0;
    for (const auto& [fault, status] : faults) {
        const bool is_stored = fault == Fault::answer_lost || status == 200;
        const TestRps rps{.numero = ++number};
        script(fault, Call::emitir);
        EXPECT_EQ(send(post_rps(rps)).status, status) << to_text(fault);
        script(fault, Call::consultar);
        EXPECT_EQ(send(ask_rps(rps)).status, status) << to_text(fault);
        std::string found = retorno(ask_rps(rps));
        EXPECT_EQ(text_of(found, "Codigo"), is_stored ? "" : "1106") << to_text(fault);
        if (!is_stored) found = retorno(post_rps(rps));
        const std::string nota = text_of(found, "NumeroNFe");
        script(fault, Call::cancelar);
        EXPECT_EQ(send(cancel_nota(nota)).status, status) << to_text(fault);
        EXPECT_EQ(text_of(retorno(cancel_nota(nota)), "Codigo"), is_stored ? "1301" : "")
            << to_text(fault);
    }
    EXPECT_THAT(authority_->simulator().stats_json(), HasSubstr(R"("authorised_twice":0,)"));
}

TEST_F(PlayedSaoPaulo, BlindClientIsFoundOutAfterARestartToo)
{
    script(Fault::answer_lost, Call::emitir);
    send(post_rps({}));
    start();

    EXPECT_EQ(text_of(retorno(post_rps({})), "Codigo"), "217");

    start();
    EXPECT_THAT(texts_of(retorno(ask_rps({})), "StatusNFe"), ElementsAre("C", "N"));
    EXPECT_THAT(
        authority_->simulator().stats_json(),
        HasSubstr(R"("authorised":1,"authorised_twice":1,"cancelled":1,)")
    );
}

TEST_F(PlayedSaoPaulo, CancelledBehindTheBack)
{
    script(Fault::cancel_behind, Call::emitir);
    EXPECT_EQ(text_of(retorno(post_rps({})), "Sucesso"), "true");
    EXPECT_THAT(texts_of(retorno(ask_rps({})), "StatusNFe"), ElementsAre("C"));

    send(post_rps({.numero = 2}));
    ASSERT_TRUE(authority_->simulator().register_behind("SP31000000-2", "").has_value());
    EXPECT_THAT(texts_of(retorno(ask_rps({.numero = 2})), "StatusNFe"), ElementsAre("C"));
}

}  // namespace
}  // namespace umavez::fiscal::simulator
