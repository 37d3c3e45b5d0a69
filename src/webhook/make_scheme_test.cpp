// Settings that would make a provider insecure, or do nothing, stop the program before it starts.

#include "webhook/examples_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace umavez::webhook {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Provider stripe()
{
    return {.name = "loja", .scheme = "stripe", .secrets = {"hidden-secret"}};
}

Provider hmac()
{
    return {
        .name = "loja",
        .scheme = "hmac",
        .secrets = {"hidden-secret"},
        .header = "X-Mac",
        .id = "/id"
    };
}

// The sentence after the provider's name; it must never quote the secret.
std::string complaint(const Provider& provider)
{
    const auto made = make_scheme(provider);
    if (made) return "accepted";
    EXPECT_EQ(made.error().code, Errc::misconfigured);
    EXPECT_THAT(made.error().detail, testing::Not(HasSubstr("hidden-secret")));
    const std::string prefix = "webhook provider \"" + provider.name + "\": ";
    EXPECT_THAT(made.error().detail, StartsWith(prefix));
    return made.error().detail.substr(std::min(prefix.size(), made.error().detail.size()));
}

TEST(MakeScheme, UnknownSchemeIsRefusedWithTheNearest)
{
    Provider provider = stripe();
    provider.scheme = "strippe";
    EXPECT_THAT(
        complaint(provider),
        StartsWith("scheme: \"strippe\" is not one of stripe, standard-webhooks,")
    );
    EXPECT_THAT(complaint(provider), HasSubstr("(did you mean \"stripe\"?)"));
    provider.scheme = "";
    EXPECT_THAT(complaint(provider), StartsWith("scheme: "));
}

TEST(MakeScheme, SecretsMustBeThere)
{
    Provider provider = stripe();
    provider.secrets = {};
    EXPECT_THAT(complaint(provider), StartsWith("secrets: there is none"));
    provider.secrets = {"hidden-secret", ""};
    EXPECT_THAT(complaint(provider), StartsWith("secrets: number 2 is empty"));
    provider.secrets = std::vector<std::string>(9, "hidden-secret");
    EXPECT_THAT(complaint(provider), StartsWith("secrets: 9 are too many"));
    provider.secrets = std::vector<std::string>(8, "hidden-secret");
    EXPECT_EQ(complaint(provider), "accepted");
}

TEST(MakeScheme, SecretsWithTheLineBreakOfAFileAreRefused)
{
    for (const std::string secret :
         {"hidden-secret\n", " hidden-secret", "hidden-secret ", "hidden-secret\t"}) {
        Provider provider = stripe();
        provider.secrets = {secret};
        EXPECT_THAT(complaint(provider), StartsWith("secrets: number 1 has a blank")) << secret;
    }
    Provider provider = stripe();
    provider.secrets = {"It's a Secret to Everybody \xc3\xa7"};
    EXPECT_EQ(complaint(provider), "accepted");
}

TEST(MakeScheme, KeysOfStandardWebhooksAreParsed)
{
    const auto verdict = [](std::string secret) {
        return complaint(
            {.name = "loja", .scheme = "standard-webhooks", .secrets = {std::move(secret)}}
        );
    };

    EXPECT_EQ(verdict("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "accepted");
    EXPECT_EQ(verdict("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "accepted");
    EXPECT_EQ(verdict("whsec_" + std::string(84, 'A') + "AA=="), "accepted");  // 64 bytes
    EXPECT_EQ(verdict("whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="), "accepted");
    EXPECT_EQ(verdict("whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="), "accepted");
    // Seed and public key in one.
    EXPECT_EQ(
        verdict("whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/"
                "tPJZAc6DuFy89qmIyWvAhpo9wdRGg=="),
        "accepted"
    );
    for (const std::string secret :
         {"hidden-secret",
          "whsec_",
          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa==",
          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
          "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
          "whpk_",
          "whsk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
          "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/"
          "tPJZAc6DuFy89qmIyWvAhpo9wdRGw=="}) {
        EXPECT_THAT(verdict(secret), StartsWith("secrets: number 1 is neither \"whsec_\""))
            << secret;
    }
    EXPECT_THAT(
        verdict("whsec_" + std::string(88, 'A')), StartsWith("secrets: number 1")
    );  // 66 bytes
}

TEST(MakeScheme, SettingsThatTheSchemeDoesNotTakeAreRefused)
{
    const std::vector<std::pair<std::string, void (*)(Provider&)>> settings{
        {"tolerance", [](Provider& p) { p.tolerance = std::chrono::seconds{60}; }},
        {"account", [](Provider& p) { p.account = "/account"; }},
        {"url", [](Provider& p) { p.url = "https://a.example/"; }},
        {"header", [](Provider& p) { p.header = "X-Mac"; }},
        {"algorithm", [](Provider& p) { p.algorithm = "sha256"; }},
        {"encoding", [](Provider& p) { p.encoding = "hex"; }},
        {"prefix", [](Provider& p) { p.prefix = "sha256="; }},
        {"id", [](Provider& p) { p.id = "/id"; }},
        {"type", [](Provider& p) { p.type = "/type"; }},
        {"api", [](Provider& p) { p.api = "https://api.example"; }},
        {"api_token", [](Provider& p) { p.api_token = "hidden-secret"; }},
    };
    const std::vector<std::pair<std::string, std::string>> taken{
        {"stripe", "tolerance account"},
        {"standard-webhooks", "tolerance account"},
        {"svix", "tolerance account"},
        {"github", "account"},
        {"mercadopago", "tolerance api api_token"},
        {"shopify", "account"},
        {"pagarme", ""},
        {"pagbank", "account"},
        {"square", "account url"},
        {"asaas", "account"},
        {"token", "header prefix id type account"},
        {"hmac", "header algorithm encoding prefix id type account"},
    };
    for (const auto& [scheme, takes] : taken) {
        for (const auto& [setting, set] : settings) {
            Provider provider{.name = "loja", .scheme = scheme, .secrets = {std::string(32, 'A')}};
            if (scheme == "square") provider.url = "https://a.example/";
            if (scheme == "hmac" || scheme == "token") provider.header = "X-Mac";
            if (scheme == "hmac") provider.id = "/id";
            EXPECT_EQ(complaint(provider), "accepted") << scheme;
            set(provider);
            const bool is_taken = (" " + takes + " ").contains(" " + setting + " ");
            const std::string refusal = setting + ": the scheme \"" + scheme + "\" takes none: ";
            EXPECT_THAT(complaint(provider), StartsWith(is_taken ? "accepted" : refusal));
        }
    }
}

TEST(MakeScheme, SettingsThatTheSchemeNeedsMustBeThere)
{
    const Provider square{.name = "loja", .scheme = "square", .secrets = {"hidden-secret"}};
    const Provider token{.name = "loja", .scheme = "token", .secrets = {"hidden-secret"}};
    Provider no_header = hmac();
    no_header.header = "";
    Provider no_id = hmac();
    no_id.id = "";

    EXPECT_EQ(complaint(square), "url: the scheme \"square\" needs it; add it");
    EXPECT_EQ(complaint(token), "header: the scheme \"token\" needs it; add it");
    EXPECT_EQ(complaint(no_header), "header: the scheme \"hmac\" needs it; add it");
    EXPECT_EQ(complaint(no_id), "id: the scheme \"hmac\" needs it; add it");
}

TEST(MakeScheme, EachSettingIsWrittenAsItMustBe)
{
    const auto with = [](Provider provider, void (*set)(Provider&)) {
        set(provider);
        return complaint(provider);
    };
    using P = Provider&;

    EXPECT_THAT(with(stripe(), [](P p) { p.name = ""; }), StartsWith("name: "));
    EXPECT_THAT(with(stripe(), [](P p) { p.name = "A/b"; }), StartsWith("name: "));
    EXPECT_THAT(with(stripe(), [](P p) { p.name.assign(65, 'a'); }), StartsWith("name: "));
    EXPECT_THAT(with(stripe(), [](P p) { p.tolerance = Duration{0}; }), StartsWith("tolerance: "));
    EXPECT_THAT(
        with(stripe(), [](P p) { p.tolerance = Duration::max(); }), StartsWith("tolerance: ")
    );
    EXPECT_THAT(
        with(stripe(), [](P p) { p.account = "account"; }),
        StartsWith("account: \"account\" is no JSON")
    );
    EXPECT_THAT(
        with(hmac(), [](P p) { p.header = "X Mac"; }), StartsWith("header: \"X Mac\" is no name")
    );
    EXPECT_THAT(with(hmac(), [](P p) { p.prefix = "a\n"; }), StartsWith("prefix: "));
    EXPECT_THAT(with(hmac(), [](P p) { p.id = "id"; }), StartsWith("id: \"id\" is no place"));
    EXPECT_THAT(
        with(hmac(), [](P p) { p.id = "header:"; }), StartsWith("id: \"header:\" names no header")
    );
    EXPECT_THAT(with(hmac(), [](P p) { p.type = "/~"; }), StartsWith("type: \"/~\" is no place"));
    EXPECT_EQ(
        with(hmac(), [](P p) { p.algorithm = "sha265"; }),
        "algorithm: \"sha265\" is not one of sha256, sha1, sha512 (did you mean \"sha256\"?)"
    );
    EXPECT_EQ(
        with(hmac(), [](P p) { p.encoding = "base46"; }),
        "encoding: \"base46\" is not one of hex, base64 (did you mean \"base64\"?)"
    );
    EXPECT_THAT(
        with({.name = "a", .scheme = "square", .secrets = {"s"}}, [](P p) { p.url = "a.example"; }),
        StartsWith("url: \"a.example\" is no address")
    );
    EXPECT_THAT(
        with(
            {.name = "a", .scheme = "mercadopago", .secrets = {"s"}}, [](P p) { p.api = "ftp://a"; }
        ),
        StartsWith("api: \"ftp://a\" is no address")
    );
}

}  // namespace
}  // namespace umavez::webhook
