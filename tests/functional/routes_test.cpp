// Every route of the document, asked in the ways in which clients go wrong. The statuses are judged
// by seen_statuses.hpp when all is done; here only what holds for all of them.

#include "functional/http_client.hpp"
#include "functional/process.hpp"
#include "functional/scratch.hpp"
#include "json/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace umavez::functional {
namespace {

using http::body_of;
using http::status_of;

struct Operation {
    std::string method;
    std::string pattern;
};

class RoutesTest : public testing::Test {
protected:
    void start(const std::string& directory)
    {
        server_ = std::make_unique<Process>(
            directory, std::vector<std::string>{"serve", "--listen", "127.0.0.1:0"}
        );
        const std::string& log = server_->wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
    }

    std::string make_token(const std::string& tenant, const std::string& role) const
    {
        const Exited made =
            run(scratch_.path(), {"token", "create", "--tenant", tenant, "--role", role});
        EXPECT_EQ(made.code, 0) << made.err;
        const std::size_t begin = made.out.find("uvz_");
        return "Authorization: Bearer " +
               made.out.substr(begin, made.out.find_first_of(" \n", begin) - begin);
    }

    std::vector<Operation> operations() const
    {
        const std::string document = body_of(ask(port_, {.target = "/openapi.json"}));
        const auto tree = JsonTree::parse(document);
        std::vector<Operation> found;
        for (const JsonMember& path : tree->root().find("paths")->members()) {
            for (const JsonMember& method : path.value().members()) {
                std::string name{method.name().string()};
                std::ranges::transform(name, name.begin(), [](unsigned char c) {
                    return static_cast<char>(std::toupper(c));
                });
                found.push_back({std::move(name), std::string{path.name().string()}});
            }
        }
        return found;
    }

    // The pattern with `value` for every {name}.
    static std::string fill(std::string_view pattern, std::string_view value)
    {
        std::string target;
        for (std::size_t at = 0; at < pattern.size(); ++at) {
            if (pattern[at] != '{') {
                target += pattern[at];
                continue;
            }
            target += value;
            at = pattern.find('}', at);
        }
        return target;
    }

    Scratch scratch_;
    std::unique_ptr<Process> server_;
    std::uint16_t port_ = 0;
};

// Recipients of mails open these links: a page tells them that one does not work.
bool is_page_for_people(const Sent& sent, const std::string& answer)
{
    return sent.target.starts_with("/u/") && status_of(answer) == 404 &&
           answer.find("Content-Type: text/html") != std::string::npos;
}

// Every answer is one, names its request, and is a problem where it is an error.
void expect_sound(const std::string& answer, const Sent& sent)
{
    SCOPED_TRACE(sent.method + " " + sent.target + " " + sent.body + "\n" + answer);
    ASSERT_NE(status_of(answer), 0);
    EXPECT_LT(status_of(answer), 500);
    EXPECT_THAT(answer, testing::HasSubstr("X-Request-Id: r-1\r\n"));
    if (status_of(answer) < 400) return;
    if (is_page_for_people(sent, answer)) return;
    EXPECT_THAT(answer, testing::HasSubstr("Content-Type: application/problem+json\r\n"));
    EXPECT_THAT(body_of(answer), testing::HasSubstr("\"type\":\"/problems/"));
}

std::vector<std::string> texts_of(const std::string& answer)
{
    const std::string body = body_of(answer);
    const auto tree = JsonTree::parse(body);
    std::vector<std::string> texts;
    if (!tree) return texts;
    for (const char* const name : {"title", "detail"}) {
        const auto text = tree->root().find(name);
        texts.emplace_back(text ? text->string() : "");
    }
    const auto errors = tree->root().find("errors");
    if (!errors) return texts;
    for (const JsonValue& error : errors->elements()) {
        texts.emplace_back(error.find("message")->string());
    }
    return texts;
}

// People read problems in their own language, all of it.
void expect_translated(const std::string& english, const std::string& portuguese)
{
    if (status_of(english) < 400 || english.find("text/html") != std::string::npos) return;
    // A kept refusal is given back as it was, in the language of the first request.
    if (portuguese.find("Idempotent-Replayed: true") != std::string::npos) return;
    const auto left = texts_of(english);
    const auto right = texts_of(portuguese);
    ASSERT_EQ(left.size(), right.size()) << english << portuguese;
    for (std::size_t i = 0; i < left.size(); ++i) EXPECT_NE(left[i], right[i]);
}

TEST_F(RoutesTest, EveryRouteAnswersWhateverItIsAsked)
{
    start(scratch_.path());
    const std::string operator_token = make_token("*", "operator");
    const std::string reader_token = make_token("acme", "reader");
    const std::string key = "Idempotency-Key: k-1";
    std::vector<Sent> ways;
    for (const auto& [method, pattern] : operations()) {
        for (const char* const value : {"1", "999999", "x", "a%2"}) {
            const std::string target = fill(pattern, value);
            ways.push_back({method, target});
            ways.push_back({method, target, {reader_token}});
            ways.push_back({method, target, {operator_token}});
            ways.push_back({method, target + "?limit=0&nonsense=1", {operator_token}});
            ways.push_back({method, target, {operator_token, key, "If-Match: \"7\""}});
            if (method == "GET") continue;
            for (const char* const body :
                 {"{", "[]", "{}", R"({"versao":7})", R"({"reason":"x"})"}) {
                ways.push_back({method, target, {operator_token, key}, body});
                ways.push_back({method, target, {operator_token}, body});
                ways.push_back({method, target, {}, body});
            }
            ways.push_back({method, target, {operator_token, "Idempotency-Key: \"a"}, "{}"});
            ways.push_back({method, target, {operator_token, "Content-Encoding: br"}, "{}"});
        }
    }

    for (Sent& sent : ways) {
        const std::string english = ask(port_, sent);
        expect_sound(english, sent);
        sent.headers.emplace_back("Accept-Language: pt-BR");
        expect_translated(english, ask(port_, sent));
    }

    EXPECT_GT(ways.size(), 200u);
}

}  // namespace
}  // namespace umavez::functional
