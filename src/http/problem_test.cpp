// Clients read these words, so they are pinned one by one.

#include "http/problem.hpp"

#include "http/request_id.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

TEST(Problem, TheBodyIsExact)
{
    Request request;
    request.path = "/a\"b";
    request.request_id = "r1";
    const Response response = to_response(problem_for(404), request);

    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(find_header(response.headers, "content-type"), "application/problem+json");
    EXPECT_EQ(
        response.body,
        R"({"type":"/problems/not-found","title":"Nothing is here","status":404,)"
        R"("detail":"The path leads nowhere, or the resource does not exist for your tenant.",)"
        R"("instance":"/a\"b","request_id":"r1"})"
        "\n"
    );
}

TEST(Problem, TheDetailTellsWhatHappenedThisTime)
{
    const Response response = to_response(
        problem_for(400, {"the Host header is missing", "falta o cabeçalho Host"}), Request{}
    );

    EXPECT_NE(response.body.find(R"("detail":"the Host header is missing")"), std::string::npos);
    EXPECT_EQ(response.body.find("instance"), std::string::npos);
}

TEST(Problem, TheTitleIsInTheLanguageOfTheRequest)
{
    Request request;
    request.headers = {{"Accept-Language", "pt-BR"}};

    const Response response = to_response(problem_for(404), request);

    EXPECT_NE(response.body.find(R"("title":"Não há nada aqui")"), std::string::npos);
    EXPECT_EQ(find_header(response.headers, "Content-Language"), "pt-BR");
}

TEST(Problem, EveryStatusOfTheServersOwnHasItsKind)
{
    for (const int status : {400, 401, 403, 404, 405, 408, 413, 417, 431, 500, 501, 503, 505}) {
        EXPECT_EQ(to_response(problem_for(status), Request{}).status, status);
    }
}

TEST(RequestId, ASaneOneOfTheClientIsKept)
{
    EXPECT_EQ(choose_request_id({{"x-request-id", "abc-1/2"}}), "abc-1/2");
}

TEST(RequestId, AnythingElseIsReplaced)
{
    const std::string longest(128, 'a');

    EXPECT_EQ(choose_request_id({{"X-Request-Id", longest}}), longest);
    EXPECT_NE(choose_request_id({{"X-Request-Id", longest + "a"}}), longest + "a");
    EXPECT_NE(choose_request_id({{"X-Request-Id", "a b"}}), "a b");
    EXPECT_NE(choose_request_id({{"X-Request-Id", "a"}, {"X-Request-Id", "a"}}), "a");
    EXPECT_EQ(choose_request_id({}).size(), 36u);
}

}  // namespace
}  // namespace umavez::http
