// The conformance vectors of the providers, read where they lie beside the project. Every case of every
// file is judged; where we are stricter than the library that made the case, the list below says how and
// why.

#include "json/tree.hpp"
#include "webhook/encoding.hpp"
#include "webhook/examples_test.hpp"
#include "webhook/scheme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace umavez::webhook {
namespace {

namespace fs = std::filesystem;

const fs::path vectors{UMAVEZ_VECTORS_DIR "/webhooks"};

struct Stricter {
    std::string_view fault;
    std::string_view reason;
};

// Rightly signed, and refused all the same.
const std::map<std::string, Stricter> stricter{
    {"stripe-12", {"bad_timestamp", "a signed time in the far future is refused, as a stolen one"}},
    {"pagbank-03", {"missing_id", "no id and no status: a redelivery could not be told"}},
    {"pagbank-05", {"malformed", "the body is not JSON, so it has no id"}},
    {"pagarme-v1-05", {"missing_id", "no current_status: a redelivery could not be told"}},
};

// What the library itself wrote down wrongly in "signed_string".
constexpr std::string_view wrong_signed_string = "mercadopago-07";

std::string read_file(const fs::path& path)
{
    std::ifstream file{path, std::ios::binary};
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string text_of(JsonValue object, std::string_view name)
{
    const auto member = object.find(name);
    return member ? std::string{member->string()} : std::string{};
}

std::int64_t integer_of(JsonValue value)
{
    const std::string_view text = value.number();
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Provider provider_of(JsonValue vector, const std::string& scheme)
{
    Provider provider{.name = "p", .scheme = scheme};
    if (const auto secrets = vector.find("secrets")) {
        for (const JsonValue secret : secrets->elements())
            provider.secrets.emplace_back(secret.string());
    } else if (const auto key = vector.find("public_key")) {
        provider.secrets.emplace_back(key->string());
    } else {
        provider.secrets.push_back(text_of(vector, "secret"));
    }
    if (const auto tolerance = vector.find("tolerance"); tolerance->kind() == JsonKind::number)
        provider.tolerance = std::chrono::seconds{integer_of(*tolerance)};
    if (scheme == "square") provider.url = text_of(vector, "url");
    return provider;
}

std::expected<Event, Refusal> verify(JsonValue vector, const std::string& scheme)
{
    const std::string body = *parse_base64(text_of(vector, "body"));
    std::vector<Header> headers;
    for (const JsonMember header : vector.find("headers")->members())
        headers.push_back(
            {std::string{header.name().string()}, std::string{header.value().string()}}
        );
    const std::string url = text_of(vector, "url");
    const std::string query = url.substr(std::min(url.find('?') + 1, url.size()));
    const Instant now{std::chrono::seconds{integer_of(*vector.find("now"))}};
    const auto verifier = make(provider_of(vector, scheme));
    return verifier->verify({body, headers, url.contains('?') ? query : ""}, now);
}

void check_accepted(JsonValue vector, const std::expected<Event, Refusal>& verified)
{
    ASSERT_TRUE(verified) << to_text(verified.error().fault) << ": " << verified.error().detail;
    if (vector.find("event_id")) {
        EXPECT_EQ(verified->id, text_of(vector, "event_id"));
    }
    if (vector.find("signed_string") && text_of(vector, "id") != wrong_signed_string) {
        EXPECT_EQ(verified->id, text_of(vector, "signed_string"));
    }
}

void check_refused(JsonValue vector, const std::expected<Event, Refusal>& verified)
{
    ASSERT_FALSE(verified) << verified->id;
    const std::string reason = text_of(vector, "reason");
    if (reason == "signature mismatch" || reason == "hash mismatch" || reason == "length" ||
        reason == "encoding" || reason == "token") {
        EXPECT_EQ(fault_of(verified), "bad_signature");
    } else if (reason == "too old" || reason == "timestamp outside tolerance" || reason == "no t") {
        EXPECT_EQ(fault_of(verified), "bad_timestamp");
    } else if (reason == "missing" || reason == "empty" || reason == "no v1 signature") {
        EXPECT_EQ(fault_of(verified), "unsigned");
    }
}

struct VectorFile {
    const char* name;
    const char* scheme;
    std::size_t cases;
};

class Vectors : public testing::TestWithParam<VectorFile> {};

TEST_P(Vectors, EveryCaseIsJudgedAsTheProviderJudges)
{
    if (!fs::exists(vectors)) GTEST_SKIP() << "no test vectors in " << vectors;
    const std::string text = read_file(vectors / (std::string{GetParam().name} + ".json"));
    const auto list = JsonTree::parse(text);
    ASSERT_TRUE(list) << list.error().detail;
    EXPECT_GE(list->root().elements().size(), GetParam().cases);

    for (const JsonValue vector : list->root().elements()) {
        const std::string id = text_of(vector, "id");
        SCOPED_TRACE(id + " " + text_of(vector, "name"));
        const auto verified = verify(vector, GetParam().scheme);
        if (const auto ours = stricter.find(id); ours != stricter.end()) {
            EXPECT_EQ(text_of(vector, "expect"), "valid") << "the list is out of date";
            EXPECT_EQ(fault_of(verified), ours->second.fault) << ours->second.reason;
        } else if (text_of(vector, "expect") == "valid") {
            check_accepted(vector, verified);
        } else {
            check_refused(vector, verified);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    ,
    Vectors,
    testing::Values(
        VectorFile{"stripe", "stripe", 22},
        VectorFile{"standard-webhooks", "standard-webhooks", 22},
        VectorFile{"standard-webhooks-v1a", "standard-webhooks", 10},
        VectorFile{"svix", "svix", 22},
        VectorFile{"github", "github", 13},
        VectorFile{"shopify", "shopify", 12},
        VectorFile{"mercadopago", "mercadopago", 19},
        VectorFile{"square", "square", 10},
        VectorFile{"pagarme-v1", "pagarme", 10},
        VectorFile{"pagbank", "pagbank", 10},
        VectorFile{"asaas", "asaas", 10}
    ),
    [](const testing::TestParamInfo<VectorFile>& file) {
        std::string name = file.param.name;
        std::ranges::replace(name, '-', '_');
        return name;
    }
);

}  // namespace
}  // namespace umavez::webhook
