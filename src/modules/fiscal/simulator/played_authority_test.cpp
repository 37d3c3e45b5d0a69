// The whole simulator over real TLS: who gets in, what every fault does to the client and to the ledger, and
// that of many equal requests one is authorised.

#include "modules/fiscal/simulator/played_authority.hpp"

#include "http/client.hpp"
#include "json/tree.hpp"
#include "modules/fiscal/simulator/test_client.hpp"
#include "modules/fiscal/simulator/test_documents.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

namespace umavez::fiscal::simulator {
namespace {

using testing::HasSubstr;

class Played : public testing::Test {
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
    Got emit(int number) { return send(post_dps(TestDps::of_number(number).xml())); }
    Got find(int number) { return send(get("/dps/" + TestDps::of_number(number).id)); }

    void script(Fault fault, Call call)
    {
        authority_->simulator().add({.fault = fault, .call = call});
    }

    std::uint64_t authorisations(int number)
    {
        const std::string id = TestDps::of_number(number).id;
        const std::string json = authority_->simulator().ledger_json(id);
        const auto tree = JsonTree::parse(json);
        const auto document = tree->root().find("documents")->find(id);
        return document ? std::stoul(std::string{document->find("authorisations")->number()}) : 0;
    }

    http::Response control(
        const std::string& method, const std::string& path, const std::string& body = {}
    )
    {
        http::Request request;
        request.method = method;
        request.path = path.substr(0, path.find('?'));
        if (path.contains('?')) request.query = path.substr(path.find('?') + 1);
        request.body = body;
        const auto url = http::parse_server_url(authority_->control_url());
        const auto answer = http::exchange(*url, request, test::wait_limit());
        EXPECT_TRUE(answer.has_value()) << answer.error().detail;
        return answer ? *answer : http::Response{};
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<PlayedAuthority> authority_;
};

std::string member(const std::string& json, std::string_view name)
{
    const auto tree = JsonTree::parse(json);
    const auto found = tree ? tree->root().find(name) : std::nullopt;
    return found && found->kind() == JsonKind::string ? std::string{found->string()}
                                                      : std::string{};
}

TEST_F(Played, EmitsFindsAndCancels)
{
    const Got emitted = emit(1);
    ASSERT_EQ(emitted.status, 201) << emitted.body;
    const std::string chave = member(emitted.body, "chaveAcesso");
    http::Request head = get("/dps/" + TestDps::of_number(1).id);
    head.method = "HEAD";

    EXPECT_EQ(member(find(1).body, "chaveAcesso"), chave);
    EXPECT_EQ(send(head).status, 200);
    EXPECT_EQ(
        member(send(get("/nfse/" + chave)).body, "nfseXmlGZipB64"),
        member(emitted.body, "nfseXmlGZipB64")
    );
    EXPECT_EQ(send(get("/nfse/" + chave + "/eventos/101101/1")).status, 404);
    EXPECT_EQ(send(cancel(chave)).status, 201);
    EXPECT_EQ(send(get("/nfse/" + chave + "/eventos/101101/1")).status, 200);
    EXPECT_EQ(find(2).status, 404);
}

TEST_F(Played, OneConnectionServesManyRequests)
{
    TestClient client{*authority_};

    for (int number = 1; number <= 5; ++number) {
        EXPECT_EQ(client.send(post_dps(TestDps::of_number(number).xml())).status, 201);
        EXPECT_EQ(client.send(get("/dps/" + TestDps::of_number(number).id)).status, 200);
    }
}

TEST_F(Played, OnlyCertificatesOfItsOwnGetIn)
{
    const std::string folder = folder_.path() + "/sim/";
    const auto status_with = [&](const std::string& pem) {
        TestClient client{authority_->url(), authority_->files().ca, pem};
        const Got got = client.send(get("/dps/" + TestDps{}.id));
        // libcurl calls the alert about an expired certificate a failed verification, whoever's it is.
        const bool is_handshake =
            got.code == CURLE_SSL_CONNECT_ERROR || got.code == CURLE_PEER_FAILED_VERIFICATION;
        EXPECT_TRUE(got.status != 0 || is_handshake) << got.code;
        return got.status;
    };

    EXPECT_EQ(status_with(folder + "client.pem"), 404);
    EXPECT_EQ(status_with(""), 0);
    EXPECT_EQ(status_with(folder + "expired.pem"), 0);
    EXPECT_EQ(status_with(folder + "stranger.pem"), 0);
    EXPECT_THAT(authority_->simulator().stats_json(), HasSubstr(R"("requests":1,)"));
}

TEST_F(Played, FilesWithKeysAreForTheirOwnerOnly)
{
    for (const auto& entry : std::filesystem::directory_iterator{folder_.path() + "/sim"}) {
        using std::filesystem::perms;
        EXPECT_EQ(entry.status().permissions(), perms::owner_read | perms::owner_write)
            << entry.path();
    }
}

TEST_F(Played, CertificatesAreMadeOnce)
{
    const auto before = std::filesystem::last_write_time(authority_->files().ca);

    start({.issuers = {"00574753000100", "12ABC34501DE35"}});

    EXPECT_EQ(std::filesystem::last_write_time(authority_->files().ca), before);
    const IssuerFiles& second = authority_->files().issuers.back();
    TestClient client{authority_->url(), authority_->files().ca, second.pem};
    const TestDps dps{
        .id = "DPS2111300212ABC34501DE3500003000000000000001",
        .numero = "1",
        .prestador = "<CNPJ>12ABC34501DE35</CNPJ>",
    };
    EXPECT_EQ(client.send(post_dps(dps.xml())).status, 201);
    EXPECT_EQ(client.send(get("/dps/" + dps.id)).status, 200);
    EXPECT_EQ(send(get("/dps/" + dps.id)).status, 403);
    EXPECT_TRUE(std::filesystem::exists(second.pfx));
}

TEST_F(Played, FaultsBeforeStoreNothing)
{
    const std::vector<std::pair<Fault, long>> expected{
        {Fault::drop_request, 0},
        {Fault::reset, 0},
        {Fault::error_500, 500},
        {Fault::error_503, 503},
        {Fault::bad_gateway, 502},
        {Fault::throttle, 429},
        {Fault::maintenance, 400},
        {Fault::refuse, 400},
    };
    int number = 0;
    for (const auto& [fault, status] : expected) {
        script(fault, Call::emitir);
        const Got got = emit(++number);

        EXPECT_EQ(got.status, status) << to_text(fault);
        EXPECT_EQ(authorisations(number), 0U) << to_text(fault);
        EXPECT_EQ(find(number).status, 404) << to_text(fault);
        EXPECT_EQ(emit(number).status, 201) << to_text(fault);
    }
}

TEST_F(Played, FaultsAfterHaveStoredIt)
{
    const std::vector<std::pair<Fault, long>> expected{
        {Fault::answer_lost, 0},
        {Fault::slow, 201},
        {Fault::slow_before, 201},
        {Fault::error_after, 500},
        {Fault::duplicate, 400},
        {Fault::cancel_behind, 201},
        {Fault::unreadable, 201},
        {Fault::odd_shapes, 201},
    };
    int number = 0;
    for (const auto& [fault, status] : expected) {
        script(fault, Call::emitir);
        const Got got = emit(++number);

        EXPECT_EQ(got.status, status) << to_text(fault);
        EXPECT_EQ(authorisations(number), 1U) << to_text(fault);
        EXPECT_EQ(find(number).status, 200) << to_text(fault);
        EXPECT_THAT(emit(number).body, HasSubstr("E0014")) << to_text(fault);
    }
    EXPECT_THAT(authority_->simulator().stats_json(), HasSubstr(R"("cancelled":1,)"));
}

TEST_F(Played, AnswersBreakInTheWayTheFaultSays)
{
    script(Fault::truncated, Call::emitir);
    EXPECT_EQ(emit(1).code, CURLE_PARTIAL_FILE);
    script(Fault::reset, Call::emitir);
    EXPECT_EQ(emit(2).code, CURLE_RECV_ERROR);
    script(Fault::throttle, Call::consultar);
    EXPECT_EQ(find(1).retry_after, "2");
    script(Fault::lost_route, Call::consultar);
    const Got lost = find(1);
    EXPECT_EQ(lost.status, 404);
    EXPECT_THAT(lost.body, HasSubstr("<html>"));
    EXPECT_EQ(authorisations(1), 1U);
}

TEST_F(Played, LostAnswerOfACancellationIsFoundByItsEvent)
{
    const std::string chave = member(emit(1).body, "chaveAcesso");
    script(Fault::answer_lost, Call::cancelar);

    EXPECT_EQ(send(cancel(chave)).status, 0);

    EXPECT_EQ(send(get("/nfse/" + chave + "/eventos/101101/1")).status, 200);
    EXPECT_THAT(send(cancel(chave)).body, HasSubstr("E0802"));
}

TEST_F(Played, ControlScriptsFaultsAndTellsTheLedger)
{
    const std::string id = TestDps::of_number(1).id;

    EXPECT_EQ(
        control(
            "POST", "/faults", R"({"call":"emitir","fault":"answer-lost","id_dps":")" + id + R"("})"
        )
            .status,
        200
    );
    EXPECT_EQ(
        control("GET", "/faults").body,
        R"({"faults":[{"call":"emitir","documento":")" + id +
            R"(","fault":"answer-lost","times":1}]})"
    );
    EXPECT_EQ(emit(2).status, 201);
    EXPECT_EQ(emit(1).status, 0);
    const std::string ledger = control("GET", "/ledger?id_dps=" + id).body;
    EXPECT_THAT(ledger, HasSubstr(R"("authorisations":2,"requests":2,"documents":{")" + id));
    const std::string chave = member(find(2).body, "chaveAcesso");
    EXPECT_EQ(control("POST", "/cancel", R"({"chave":")" + chave + R"("})").status, 200);
    EXPECT_THAT(send(cancel(chave)).body, HasSubstr("E0840"));
    EXPECT_EQ(
        control("POST", "/events", R"({"chave":")" + chave + R"(","tipo":"101103"})").status, 200
    );
    EXPECT_EQ(send(get("/nfse/" + chave + "/eventos/101103/1")).status, 200);
    EXPECT_THAT(control("GET", "/stats").body, HasSubstr(R"("faults":{"answer-lost":1})"));
}

TEST_F(Played, ControlSaysWhatIsWrong)
{
    EXPECT_THAT(
        control("POST", "/faults", R"({"fault":"anser-lost"})").body, HasSubstr("answer-lost")
    );
    EXPECT_EQ(control("POST", "/faults", R"({"fault":"slow","call":"voar"})").status, 422);
    EXPECT_EQ(
        control("POST", "/faults", R"({"fault":"cancel-behind","call":"consultar"})").status, 422
    );
    EXPECT_EQ(control("POST", "/faults", R"({"fault":"slow","times":0})").status, 422);
    EXPECT_EQ(control("POST", "/faults", "slow").status, 400);
    EXPECT_EQ(control("POST", "/cancel", R"({"chave":"1"})").status, 404);
    EXPECT_EQ(control("GET", "/nothing").status, 404);
    EXPECT_EQ(control("DELETE", "/faults").status, 200);
}

TEST_F(Played, OfTwentyEqualRequestsOneIsAuthorised)
{
    std::atomic<int> created = 0;
    std::atomic<int> duplicates = 0;
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < 20; ++i) {
            clients.emplace_back([&] {
                const Got got = emit(1);
                if (got.status == 201) ++created;
                if (got.body.contains("E0014")) ++duplicates;
            });
        }
    }

    EXPECT_EQ(created, 1);
    EXPECT_EQ(duplicates, 19);
    EXPECT_EQ(authorisations(1), 1U);
}

TEST_F(Played, EndsAlthoughSomebodyIsServedSlowly)
{
    authority_.reset();
    auto options = PlayOptions{.folder = folder_.path() + "/sim", .slow = std::chrono::hours{1}};
    authority_ = *PlayedAuthority::start(std::move(options));
    script(Fault::slow, Call::emitir);
    TestClient client{*authority_};
    std::jthread waiting{[&client] { client.send(post_dps(TestDps::of_number(1).xml())); }};
    test::wait_until("the document is authorised", [&] { return authorisations(1) == 1; });

    authority_.reset();  // returns: the wait is cut short
}

}  // namespace
}  // namespace umavez::fiscal::simulator
