#include "http/router.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

Handler says(std::string text)
{
    return [text = std::move(text)](Request request) -> Task<Response> {
        std::string body = text;
        for (const auto& [name, value] : request.parameters) body += " " + name + "=" + value;
        co_return text_response(200, std::move(body));
    };
}

Response ask(const Router& router, std::string method, std::string path, std::string query = {})
{
    Request request;
    request.method = std::move(method);
    request.path = std::move(path);
    request.query = std::move(query);
    return wait(router.answer(std::move(request)));
}

Router sample()
{
    Router router;
    router.add("GET", "/", says("root"));
    router.add("GET", "/things/{id}", says("one"));
    router.add("POST", "/things", says("made"));
    router.add("GET", "/things", says("all"));
    router.add("GET", "/things/new", says("form"));
    return router;
}

TEST(Router, LiteralsBeatNames)
{
    const Router router = sample();

    EXPECT_EQ(ask(router, "GET", "/").body, "root");
    EXPECT_EQ(ask(router, "GET", "/things/new").body, "form");
    EXPECT_EQ(ask(router, "GET", "/things/7").body, "one id=7");
}

TEST(Router, NamesAreDecodedAsOneSegment)
{
    EXPECT_EQ(ask(sample(), "GET", "/things/a%2Fb%20c").body, "one id=a/b c");
    EXPECT_EQ(ask(sample(), "GET", "/things/a%2").status, 400);
    EXPECT_EQ(ask(sample(), "GET", "/things/%+1").status, 400);
}

TEST(Router, WhatIsNotThereIs404)
{
    EXPECT_EQ(ask(sample(), "GET", "/nothing").status, 404);
    EXPECT_EQ(ask(sample(), "GET", "/things/").status, 404);
    EXPECT_EQ(ask(sample(), "GET", "/things/1/2").status, 404);
}

TEST(Router, AnotherMethodIs405WithAllow)
{
    const Response response = ask(sample(), "DELETE", "/things");

    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(find_header(response.headers, "Allow"), "POST, GET, HEAD");
    EXPECT_EQ(ask(sample(), "HEAD", "/things").status, 200);
}

TEST(Router, ParametersHaveTheDeclaredTypes)
{
    Router router;
    router.add(
        {.method = "GET",
         .pattern = "/things/{id}",
         .path = {{.name = "id", .type = integer({.min = 1})}},
         .query = {{.name = "limite", .type = integer({.min = 1, .max = 100}), .required = false}}},
        says("one")
    );

    EXPECT_EQ(ask(router, "GET", "/things/7").body, "one id=7");
    EXPECT_EQ(ask(router, "GET", "/things/x").status, 404);
    EXPECT_EQ(ask(router, "GET", "/things/0").status, 404);
    EXPECT_EQ(ask(router, "GET", "/things/99999999999999999999").status, 404);
    EXPECT_EQ(ask(router, "GET", "/things/7", "limite=5&").body, "one id=7 limite=5");
    const Response unknown = ask(router, "GET", "/things/7", "limit=5");
    EXPECT_EQ(unknown.status, 400);
    EXPECT_NE(unknown.body.find(R"(did you mean \"limite\"?)"), std::string::npos) << unknown.body;
    EXPECT_EQ(ask(router, "GET", "/things/7", "%zz=5").status, 400);
    EXPECT_EQ(ask(sample(), "GET", "/things/7", "what=ever").status, 200);
    const Response refused = ask(router, "GET", "/things/7", "limite=101");
    EXPECT_EQ(refused.status, 422);
    EXPECT_NE(
        refused.body.find(R"({"field":"limite","message":"is not an integer from 1 to 100"})"),
        std::string::npos
    );
}

TEST(Router, AnAnswerTellsTheRouteThatMatched)
{
    EXPECT_EQ(ask(sample(), "GET", "/nothing").route, "");
    Router router;
    router.add("GET", "/things/{id}", says("one"));
    EXPECT_EQ(ask(router, "GET", "/things/7").route, "/things/{id}");
}

TEST(Router, TheHeadDecidesWhoMayComeIn)
{
    Router router = sample();
    const auto refuse = [](const Request& head) -> std::optional<Response> {
        if (find_header(head.headers, "X-Known")) return std::nullopt;
        return text_response(401, "who?");
    };
    router.add(
        {.method = "POST",
         .pattern = "/kept/{id}",
         .path = {{.name = "id", .type = integer()}},
         .body = Body{}},
        says("kept"),
        {.refuse = refuse, .headers = {{"X-Kept", "no"}}}
    );
    const auto enter = [&router](std::string method, std::string path, bool known = false) {
        Request head;
        head.method = std::move(method);
        head.path = std::move(path);
        if (known) head.headers = {{"X-Known", "yes"}};
        return router.enter(head);
    };

    EXPECT_EQ(enter("POST", "/nothing").refusal.value().status, 404);
    EXPECT_EQ(enter("POST", "/things/7").refusal.value().status, 405);
    EXPECT_EQ(enter("POST", "/things").refusal.value().status, 400);
    const Entry stranger = enter("POST", "/kept/1");
    EXPECT_EQ(stranger.refusal.value().status, 401);
    EXPECT_EQ(find_header(stranger.refusal->headers, "X-Kept"), "no");
    EXPECT_EQ(stranger.refusal->route, "/kept/{id}");
    const Entry known = enter("POST", "/kept/1", true);
    EXPECT_FALSE(known.refusal);
    EXPECT_EQ(known.headers.size(), 1u);
    EXPECT_EQ(find_header(ask(router, "POST", "/kept/x").headers, "X-Kept"), "no");
}

TEST(Router, AGuardAnswersInsteadOfARefusalAndOnlyThen)
{
    Router router;
    router.add("GET", "/things", says("all"));
    router.guard_refusals([](const Request& request) {
        return request.path == "/open" ? std::nullopt : std::optional{Response{.status = 401}};
    });

    EXPECT_EQ(ask(router, "GET", "/things").status, 200);
    EXPECT_EQ(ask(router, "POST", "/things").status, 401);
    EXPECT_EQ(ask(router, "GET", "/nothing").status, 401);
    EXPECT_EQ(ask(router, "GET", "/open").status, 404);
}

TEST(Router, AGuardAnswersForABodyThatNobodyWantsWhetherItCameOrIsAnnounced)
{
    Router router;
    router.add("GET", "/things", says("all"));
    router.guard_refusals([](const Request&) { return Response{.status = 401}; });
    Request request;
    request.method = "GET";
    request.path = "/things";
    request.body = "{}";

    const Entry announced = router.enter(request);
    const Response came = wait(router.answer(request));

    EXPECT_EQ(announced.refusal.value().status, 401);
    EXPECT_EQ(came.status, 401);
}

TEST(Router, TheTableIsSorted)
{
    EXPECT_EQ(sample().routes().front(), "GET /");
    EXPECT_EQ(sample().routes().size(), 5u);
}

}  // namespace
}  // namespace umavez::http
