// Random bodies and random damage under every scheme, and the parts that read text.

#include "base/digest.hpp"
#include "webhook/encoding.hpp"
#include "webhook/examples_test.hpp"
#include "webhook/fields.hpp"
#include "webhook/mac.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace umavez::webhook {
namespace {

bool is_about_the_signature(const std::expected<Event, Refusal>& verified)
{
    if (verified) return false;
    const Fault fault = verified.error().fault;
    return fault == Fault::unsigned_ || fault == Fault::bad_signature ||
           fault == Fault::bad_timestamp;
}

RC_GTEST_PROP(AnyBody, ThatWasSignedPassesTheSignatureAndNoOther, (const std::string& body))
{
    const auto& all = examples();
    const Example& example = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    const auto scheme = make(example.provider);
    const SignedRequest request = sign(*scheme, body, example.input);
    std::string changed = body;
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, body.size() + 1);
    if (*rc::gen::arbitrary<bool>() && at < body.size()) {
        changed.erase(at, 1);
    } else {
        changed.insert(at, 1, *rc::gen::arbitrary<char>());
    }

    const auto verified = scheme->verify(delivery_of(body, request), noon);
    RC_ASSERT(!is_about_the_signature(verified));
    if (example.has_free_body) return;
    const auto other = scheme->verify(delivery_of(changed, request), noon);
    RC_ASSERT(fault_of(other) == "bad_signature");
}

RC_GTEST_PROP(Base64, IsReadBackAndHasOneText, (const std::string& bytes))
{
    const std::string text = to_base64(bytes);

    RC_ASSERT(parse_base64(text) == bytes);
    RC_ASSERT(text.size() == (bytes.size() + 2) / 3 * 4);
    std::string other = text;
    if (other.empty()) return;
    char& c = other[*rc::gen::inRange<std::size_t>(0, other.size())];
    c = *rc::gen::distinctFrom(c);
    RC_ASSERT(parse_base64(other) != bytes);
}

TEST(Base64, OtherSpellingsAreRefused)
{
    EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
    for (const std::string text :
         {"Zm9vYg", "Zm9vYg=", "Zm9vYh==", "Zm9v Yg=", "Zm9v\n", "====", "Zm=v", "Zm9-"})
        EXPECT_EQ(parse_base64(text), std::nullopt) << text;
}

RC_GTEST_PROP(Field, IsReadBackFromItsEscapedForm, (const std::string& value))
{
    const std::string form = "a=1&name=" + escape_field(value) + "&b";

    const auto found = find_field(form, "name");

    RC_ASSERT(found.has_value());
    RC_ASSERT(found->value_or("") == value);
}

// RFC 4231, test case 2, and RFC 2202, test case 2.
TEST(MacKey, MakesTheHmacsOfTheRfcs)
{
    const auto hex = [](Algorithm algorithm) {
        return to_hex(MacKey{algorithm, "Jefe"}.sign({"what do ya want", " ", "for nothing?"}));
    };

    EXPECT_EQ(
        hex(Algorithm::sha256), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    EXPECT_EQ(
        hex(Algorithm::sha512),
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    );
    EXPECT_EQ(hex(Algorithm::sha1), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
}

}  // namespace
}  // namespace umavez::webhook
