// What holds for every scheme: a signed delivery is accepted, and nothing that differs from it in one bit,
// one header or one secret.

#include "webhook/scheme.hpp"

#include "webhook/examples_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace umavez::webhook {
namespace {

class EveryScheme : public testing::TestWithParam<std::size_t> {
protected:
    const Example& example() const { return examples()[GetParam()]; }

    Provider with_secrets(std::vector<std::string> secrets) const
    {
        Provider provider = example().provider;
        provider.secrets = std::move(secrets);
        return provider;
    }

    SignedRequest signed_by(const Scheme& scheme) const
    {
        return sign(scheme, example().body, example().input);
    }
};

TEST_P(EveryScheme, AcceptsWhatItSigned)
{
    const auto scheme = make(example().provider);
    const SignedRequest request = signed_by(*scheme);

    const auto event = scheme->verify(delivery_of(example().body, request), noon);

    ASSERT_TRUE(event) << event.error().detail;
    EXPECT_EQ(event->id, example().id);
    EXPECT_EQ(event->type, example().type);
    EXPECT_EQ(event->account, "");
    EXPECT_EQ(event->id_is_signed, scheme->id_is_signed());
    EXPECT_EQ(event->body_is_signed, scheme->body_is_signed());
}

TEST_P(EveryScheme, OneFlippedBitOfTheBodyIsRefusedWhereItIsSigned)
{
    const auto scheme = make(example().provider);
    const SignedRequest request = signed_by(*scheme);

    for (std::size_t i = 0; i < example().body.size() * 8; ++i) {
        std::string body = example().body;
        body[i / 8] = static_cast<char>(body[i / 8] ^ (1 << i % 8));
        const bool is_noticed =
            fault_of(scheme->verify(delivery_of(body, request), noon)) == "bad_signature";
        // Where nothing signs the body, that is what the event says, or the token vouches for it.
        EXPECT_NE(is_noticed, example().has_free_body) << body;
    }
}

// Of every header that is signed or is the signature.
TEST_P(EveryScheme, OneFlippedBitOfTheSignatureIsRefused)
{
    const auto scheme = make(example().provider);
    const SignedRequest request = signed_by(*scheme);

    for (std::size_t h = 0; h < request.headers.size(); ++h) {
        const bool is_named = request.headers[h].value == example().input.id ||
                              request.headers[h].value == example().input.type;
        if (is_named && !scheme->id_is_signed()) continue;
        for (std::size_t i = 0; i < request.headers[h].value.size() * 8; ++i) {
            SignedRequest changed = request;
            char& c = changed.headers[h].value[i / 8];
            c = static_cast<char>(c ^ (1 << i % 8));
            const auto verified = scheme->verify(delivery_of(example().body, changed), noon);
            EXPECT_FALSE(verified) << changed.headers[h].name << ": " << changed.headers[h].value;
        }
    }
}

TEST_P(EveryScheme, SignatureCutOrExtendedIsRefused)
{
    const auto scheme = make(example().provider);
    const SignedRequest request = signed_by(*scheme);

    for (const std::string_view end : {"", "0", "=", "a "}) {
        SignedRequest changed = request;
        for (Header& header : changed.headers) {
            if (header.value == example().input.id || header.value == example().input.type)
                continue;
            header.value = end.empty() ? header.value.substr(0, header.value.size() - 1)
                                       : header.value + std::string{end};
        }
        EXPECT_FALSE(scheme->verify(delivery_of(example().body, changed), noon)) << end;
    }
}

TEST_P(EveryScheme, HeaderGivenTwiceIsRefused)
{
    const auto scheme = make(example().provider);
    const SignedRequest request = signed_by(*scheme);

    for (const Header& header : request.headers) {
        SignedRequest changed = request;
        changed.headers.push_back(header);
        std::ranges::transform(header.name, changed.headers.back().name.begin(), ::toupper);
        EXPECT_EQ(fault_of(scheme->verify(delivery_of(example().body, changed), noon)), "malformed")
            << header.name;
    }
}

TEST_P(EveryScheme, WithoutHeadersIsUnsigned)
{
    const auto scheme = make(example().provider);

    const auto verified = scheme->verify({.body = example().body}, noon);

    EXPECT_EQ(fault_of(verified), "unsigned");
}

TEST_P(EveryScheme, HeaderNamesHaveNoCase)
{
    const auto scheme = make(example().provider);
    SignedRequest request = signed_by(*scheme);
    for (Header& header : request.headers)
        std::ranges::transform(header.name, header.name.begin(), ::toupper);

    EXPECT_EQ(outcome(scheme->verify(delivery_of(example().body, request), noon)), example().id);
}

TEST_P(EveryScheme, EitherSecretIsTakenDuringARotationAndNoneAfter)
{
    const std::string& old_secret = example().provider.secrets.front();
    const auto old_sender = make(example().provider);
    const auto new_sender = make(with_secrets({example().other_secret}));
    const auto rotating = make(with_secrets({example().other_secret, old_secret}));
    const SignedRequest by_old = signed_by(*old_sender);
    const SignedRequest by_new = signed_by(*new_sender);

    EXPECT_EQ(outcome(rotating->verify(delivery_of(example().body, by_old), noon)), example().id);
    EXPECT_EQ(outcome(rotating->verify(delivery_of(example().body, by_new), noon)), example().id);
    EXPECT_EQ(
        fault_of(new_sender->verify(delivery_of(example().body, by_old), noon)), "bad_signature"
    );
    EXPECT_EQ(
        fault_of(old_sender->verify(delivery_of(example().body, by_new), noon)), "bad_signature"
    );
}

TEST_P(EveryScheme, RefusalsTellNoSecretAndNoRightSignature)
{
    const auto scheme = make(example().provider);
    const SignedRequest right = signed_by(*scheme);
    SignedRequest wrong =
        sign(*make(with_secrets({example().other_secret})), example().body, example().input);

    const auto verified = scheme->verify(delivery_of(example().body, wrong), noon);

    ASSERT_FALSE(verified);
    EXPECT_NE(verified.error().detail, "");
    EXPECT_FALSE(verified.error().detail.contains(example().provider.secrets.front() + " "));
    for (const Header& header : right.headers) {
        const std::size_t tail = std::min<std::size_t>(header.value.size(), 16);
        if (header.value == example().input.id || header.value.size() < tail) continue;
        const std::string end = header.value.substr(header.value.size() - tail);
        EXPECT_FALSE(verified.error().detail.contains(end)) << verified.error().detail;
    }
}

TEST_P(EveryScheme, SameEventSignedAgainLaterHasTheSameFingerprint)
{
    const auto scheme = make(example().provider);
    const Instant later = noon + std::chrono::hours{1};
    const SignedRequest first = signed_by(*scheme);
    const SignedRequest second = sign(*scheme, example().body, example().input, later);

    const auto one = scheme->verify(delivery_of(example().body, first), noon);
    const auto two = scheme->verify(delivery_of(example().body, second), later);

    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->body_digest, two->body_digest);
}

TEST_P(EveryScheme, SecretOfOneSchemeDoesNotVerifyAnother)
{
    const auto scheme = make(example().provider);
    for (const Example& other : examples()) {
        if (other.provider.scheme == example().provider.scheme) continue;
        const SignedRequest request = sign(*make(other.provider), other.body, other.input);

        const auto verified = scheme->verify(delivery_of(other.body, request), noon);

        // Svix takes the headers of Standard Webhooks, which it is.
        const bool is_kin = example().label == "svix" && other.label == "standard-webhooks";
        EXPECT_EQ(verified.has_value(), is_kin) << other.label;
    }
}

std::string label_of(const testing::TestParamInfo<std::size_t>& info)
{
    std::string label = examples()[info.param].label;
    std::ranges::replace(label, ' ', '_');
    std::ranges::replace(label, '-', '_');
    return label;
}

INSTANTIATE_TEST_SUITE_P(
    , EveryScheme, testing::Range<std::size_t>(0, examples().size()), label_of
);

}  // namespace
}  // namespace umavez::webhook
