#include "access/token_text.hpp"

#include "access/caller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace umavez::access {
namespace {

using Headers = std::vector<Header>;

class CountingRandom final : public Random {
public:
    std::uint64_t next() override { return next_++; }

private:
    std::uint64_t next_ = 0x0706050403020100;
};

TEST(Role, EachIncludesTheOnesBefore)
{
    const Caller writer{
        .tenant_id = default_tenant(), .role = Role::writer, .usuario = {}, .label = {}
    };

    EXPECT_TRUE(writer.may(Role::reader));
    EXPECT_TRUE(writer.may(Role::writer));
    EXPECT_FALSE(writer.may(Role::operator_));
}

TEST(Role, TextsGoThereAndBack)
{
    for (const Role role : {Role::reader, Role::writer, Role::operator_}) {
        EXPECT_EQ(parse_role(to_text(role)), role);
    }
    EXPECT_EQ(parse_role("Operator"), std::nullopt);
    EXPECT_EQ(parse_role(""), std::nullopt);
}

TEST(TokenText, IsRecognisableAndOf43Characters)
{
    const std::string token = make_token(system_random());

    EXPECT_TRUE(token.starts_with("uvz_"));
    EXPECT_EQ(token.size(), 4U + 43U);
    EXPECT_EQ(
        token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        std::string::npos
    );
}

// The bytes 0 to 31 but for the first of each word, by `basenc --base64url`.
TEST(TokenText, IsTheBase64UrlOfItsBytes)
{
    CountingRandom random;

    EXPECT_EQ(make_token(random), "uvz_AAECAwQFBgcBAQIDBAUGBwIBAgMEBQYHAwECAwQFBgc");
}

TEST(TokenText, NeverRepeats)
{
    std::set<std::string> tokens;
    for (int i = 0; i < 1000; ++i) tokens.insert(make_token(system_random()));

    EXPECT_EQ(tokens.size(), 1000U);
}

TEST(FindBearer, TakesTheTokenWhateverTheCaseOfTheScheme)
{
    EXPECT_EQ(*find_bearer(Headers{{"Authorization", "Bearer uvz_a"}}), "uvz_a");
    EXPECT_EQ(*find_bearer(Headers{{"authorization", "bEARER   uvz_a"}}), "uvz_a");
}

TEST(FindBearer, WithoutTheHeaderItIsMissing)
{
    EXPECT_EQ(find_bearer({}).error(), Denial::missing);
    EXPECT_EQ(
        find_bearer(Headers{{"Proxy-Authorization", "Bearer uvz_a"}}).error(), Denial::missing
    );
}

TEST(FindBearer, RefusesEveryOtherShape)
{
    for (const std::string value :
         {"",
          " ",
          "Bearer",
          "Bearer ",
          "Bearer    ",
          "uvz_a",
          "Basic dTpw",
          "Bearer: uvz_a",
          "Bearer\tuvz_a",
          "Bearer uvz_a uvz_b",
          "Bearer uvz_a,",
          "Bearer \"uvz_a\"",
          "Bearer uvz_\xC3\xA9",
          "Bearer uvz_a ",
          " Bearer uvz_a",
          "BearerX uvz_a",
          "Bearer uvz_\x01"}) {
        EXPECT_EQ(find_bearer(Headers{{"Authorization", value}}).error(), Denial::malformed)
            << value;
    }
}

TEST(FindBearer, RefusesTwoHeadersEvenWithTheSameToken)
{
    const Headers headers{{"Authorization", "Bearer uvz_a"}, {"authorization", "Bearer uvz_a"}};

    EXPECT_EQ(find_bearer(headers).error(), Denial::malformed);
}

TEST(FindUsuario, TakesASaneOneOnly)
{
    EXPECT_EQ(find_usuario(Headers{{"x-usuario", "José da Silva"}}), "José da Silva");
    EXPECT_EQ(find_usuario({}), "");
    EXPECT_EQ(find_usuario(Headers{{"X-Usuario", ""}}), "");
    EXPECT_EQ(find_usuario(Headers{{"X-Usuario", "   "}}), std::nullopt);
    EXPECT_EQ(find_usuario(Headers{{"X-Usuario", "a\x1b[31m"}}), std::nullopt);
    EXPECT_EQ(find_usuario(Headers{{"X-Usuario", "a\xFF"}}), std::nullopt);
    EXPECT_EQ(find_usuario(Headers{{"X-Usuario", std::string(101, 'a')}}), std::nullopt);
    EXPECT_EQ(find_usuario(Headers{{"X-Usuario", "a"}, {"X-Usuario", "b"}}), std::nullopt);
}

}  // namespace
}  // namespace umavez::access
