// Upload routes: who may not come in is refused by the head, the action runs where it may block.

#include "key_protocol/problems.hpp"
#include "key_protocol/protect.hpp"
#include "key_protocol/test_spool.hpp"
#include "key_protocol/upload_form.hpp"
#include "support/calm_clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace umavez::key_protocol {
namespace {

class UploadRouteTest : public testing::Test {
protected:
    void SetUp() override
    {
        database_ =
            *open_database("sqlite::memory:", {.clock = &test::calm_clock(), .durable = false});
        tokens_ = *access::TokenBook::open(*database_, {.refresh_period = std::nullopt});
        engine_ = *open_engine(*database_, {.worker_period = std::nullopt});
        ASSERT_TRUE(engine_->start());
        UploadRoute route{.route = {.method = "POST", .pattern = "/files"}};
        route.route.body = http::Body{
            .media_types = {"multipart/form-data"},
            .raw_media_types = {"text/csv"},
            .spooled_bytes_max = 1000,
        };
        route.call = [this](const Exchange& exchange) { return call_(exchange); };
        Api api;
        api.add(std::move(route));
        api.bind(
            router_,
            {.engine = *engine_,
             .database = *database_,
             .tokens = *tokens_,
             .problems = catalogue_,
             .clock = system_clock(),
             .settings = {}}
        );
    }

    static http::Request request(const std::string& media_type, std::string_view body)
    {
        http::Request request{.method = "POST", .path = "/files"};
        request.headers = {{"Host", "localhost"}, {"Content-Type", media_type}};
        if (!body.empty()) request.spooled = spooled(body);
        return request;
    }

    http::Response send(const std::string& media_type, std::string_view body)
    {
        return wait(router_.answer(request(media_type, body)));
    }

    std::unique_ptr<Database> database_;
    std::unique_ptr<access::TokenBook> tokens_;
    std::unique_ptr<Engine> engine_;
    http::ProblemCatalogue catalogue_ = standard_problems();
    UploadAction call_ = [](const Exchange& exchange) -> OrProblem<http::Response> {
        return http::text_response(200, std::to_string(exchange.request.spooled->bytes()));
    };
    http::Router router_;
};

TEST_F(UploadRouteTest, TheActionGetsTheFileOnAThreadThatMayBlock)
{
    std::thread::id where;
    call_ = [&where](const Exchange& exchange) -> OrProblem<http::Response> {
        where = std::this_thread::get_id();
        return http::text_response(
            200, *read_form_part(exchange.request.spooled->file(), {.bytes = 4})
        );
    };

    const http::Response response = send("text/csv", "abcd");

    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "abcd");
    EXPECT_NE(where, std::this_thread::get_id());
}

TEST_F(UploadRouteTest, TheHeadDecides)
{
    const http::Entry fine = router_.enter(request("text/csv; charset=utf-8", ""));
    EXPECT_FALSE(fine.refusal);
    EXPECT_EQ(fine.spooled_bytes_max, 1000u);
    EXPECT_TRUE(router_.is_upload(request("text/csv", "")));

    const http::Entry other = router_.enter(request("application/json", ""));
    ASSERT_TRUE(other.refusal);
    EXPECT_EQ(other.refusal->status, 415);

    http::Request stranger = request("text/csv", "");
    stranger.headers.front().value = "evil.example";
    ASSERT_TRUE(router_.enter(stranger).refusal);
    EXPECT_EQ(router_.enter(stranger).refusal->status, 403);
}

TEST_F(UploadRouteTest, WithoutABodyNothingIsCalled)
{
    EXPECT_EQ(send("text/csv", "").status, 400);
    http::Request empty = request("text/csv", "");
    empty.spooled = spooled("");
    EXPECT_EQ(wait(router_.answer(std::move(empty))).status, 400);
}

TEST_F(UploadRouteTest, ProblemsAreAnswersAndExceptionsReachTheServer)
{
    call_ = [](const Exchange&) -> OrProblem<http::Response> {
        return std::unexpected(http::Problem{.name = "malformed-body"});
    };
    EXPECT_EQ(send("text/csv", "x").status, 400);
    call_ = [](const Exchange&) -> OrProblem<http::Response> { throw std::runtime_error("boom"); };
    EXPECT_THROW(send("text/csv", "x"), std::runtime_error);
}

TEST_F(UploadRouteTest, FormsAreReadWithABound)
{
    std::string said;
    call_ = [&said](const Exchange& exchange) -> OrProblem<http::Response> {
        const auto form = read_upload_form(exchange.request);
        EXPECT_TRUE(form);
        if (!*form) return std::unexpected(form->error());
        for (const auto& [name, value] : (*form)->fields) said += name + "=" + value + ";";
        for (const FormPart& file : (*form)->files) said += *file.filename + ";";
        return http::text_response(200, "");
    };
    const auto field = [](const std::string& disposition, const std::string& content) {
        return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content +
               "\r\n";
    };
    const std::string type = "multipart/form-data; boundary=b";
    const std::string good =
        field("name=a", "1") + field("name=f; filename=x.csv", "content") + "--b--";
    const std::string large = field("name=a", std::string(600'000, 'x'));

    EXPECT_EQ(send(type, good).status, 200);
    EXPECT_EQ(said, "a=1;x.csv;");
    EXPECT_EQ(send(type, large + large + "--b--").status, 413);
    EXPECT_EQ(
        send(type, field("name=f; filename=x.csv", std::string(2'000'000, 'x')) + "--b--").status,
        200
    );
    EXPECT_EQ(send("multipart/form-data", good).status, 400);
    EXPECT_EQ(send("multipart/form-data; boundary=other", good).status, 400);
    EXPECT_NE(send(type, "x").body.find("the first boundary is missing"), std::string::npos);
}

}  // namespace
}  // namespace umavez::key_protocol
