// What we sign is judged by xmlsec1, and what others forge by us.

#include "xml/signature.hpp"

#include "support/certificates.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace umavez::xml {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view dps =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    "<DPS xmlns=\"http://www.sped.fazenda.gov.br/nfse\" xmlns:x=\"urn:x\" versao=\"1.01\">"
    "<infDPS Id=\"DPS1\"><tpAmb>2</tpAmb><xDesc>ação &amp; reação\n<!-- seen "
    "--></xDesc></infDPS></DPS>";

constexpr std::string_view enveloped_transform =
    "<Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>";

class SignatureTest : public testing::Test {
protected:
    static void SetUpTestSuite()
    {
        authority = new test::TestAuthority;
        issued = new test::Issued{authority->issue({.common_name = "LOJA LTDA:00574753000100"})};
        other = new test::Issued{authority->issue({.common_name = "OUTRA LTDA"})};
    }
    static void TearDownTestSuite()
    {
        delete authority;
        delete issued;
        delete other;
    }
    static Result<std::string> sign(
        std::string_view text,
        std::string_view id = "DPS1",
        SignatureAlgorithm algorithm = SignatureAlgorithm::rsa_sha256
    )
    {
        return sign_enveloped(text, id, {issued->certificate_pem, issued->key_pem}, algorithm);
    }
    static Result<CheckedSignature> check(std::string_view text)
    {
        const auto document = Document::parse(text);
        EXPECT_TRUE(document) << document.error().detail;
        const auto covered = document->root().find("infDPS");
        EXPECT_TRUE(covered);
        return check_signature(*document, *covered);
    }
    static std::string why_not(std::string_view text)
    {
        const auto checked = check(text);
        EXPECT_FALSE(checked);
        return checked ? "" : checked.error().detail;
    }

    static test::TestAuthority* authority;
    static test::Issued* issued;
    static test::Issued* other;
};
test::TestAuthority* SignatureTest::authority = nullptr;
test::Issued* SignatureTest::issued = nullptr;
test::Issued* SignatureTest::other = nullptr;

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string between(const std::string& text, std::string_view from, std::string_view to)
{
    const std::size_t begin = text.find(from);
    return text.substr(begin, text.find(to, begin) + to.size() - begin);
}

TEST_F(SignatureTest, WhatWeSignWeBelieve)
{
    for (const auto algorithm : {SignatureAlgorithm::rsa_sha1, SignatureAlgorithm::rsa_sha256}) {
        const auto text = sign(dps, "DPS1", algorithm);
        ASSERT_TRUE(text) << text.error().detail;
        EXPECT_THAT(*text, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
        EXPECT_THAT(*text, HasSubstr("</X509Certificate></X509Data></KeyInfo></Signature></DPS>"));
        const auto checked = check(*text);
        ASSERT_TRUE(checked) << checked.error().detail;
        EXPECT_EQ(checked->algorithm, algorithm);
        EXPECT_FALSE(checked->certificate_der.empty());
    }
}

TEST_F(SignatureTest, Xmlsec1BelievesWhatWeSign)
{
    if (std::system("command -v xmlsec1 >/dev/null") != 0)
        GTEST_SKIP() << "xmlsec1 is not installed";
    const test::TemporaryFolder folder;
    std::ofstream{folder.path() + "/ca.pem"} << authority->pem();
    const std::string verify = "xmlsec1 --verify --trusted-pem " + folder.path() +
                               "/ca.pem --id-attr:Id infDPS " + folder.path() +
                               "/signed.xml >/dev/null 2>&1";
    for (const auto algorithm : {SignatureAlgorithm::rsa_sha1, SignatureAlgorithm::rsa_sha256}) {
        const auto text = sign(dps, "DPS1", algorithm);
        ASSERT_TRUE(text) << text.error().detail;
        std::ofstream{folder.path() + "/signed.xml"} << *text;
        EXPECT_EQ(std::system(verify.c_str()), 0) << *text;
        std::ofstream{folder.path() + "/signed.xml"} << replaced(*text, "<tpAmb>2", "<tpAmb>1");
        EXPECT_NE(std::system(verify.c_str()), 0) << "xmlsec1 believes everything";
    }
}

// Signed by xmlsec1 from a template with the other canonical forms.
TEST_F(SignatureTest, WeBelieveWhatXmlsec1Signs)
{
    if (std::system("command -v xmlsec1 >/dev/null") != 0)
        GTEST_SKIP() << "xmlsec1 is not installed";
    const test::TemporaryFolder folder;
    std::ofstream{folder.path() + "/key.pem"} << issued->key_pem;
    std::ofstream{folder.path() + "/cert.pem"} << issued->certificate_pem;
    for (const std::string form :
         {"http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
          "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
          "http://www.w3.org/2001/10/xml-exc-c14n#",
          "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"}) {
        const std::string frame = replaced(
            std::string{dps},
            "</infDPS>",
            "</infDPS><Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><SignedInfo>"
            "<CanonicalizationMethod Algorithm=\"" +
                form +
                "\"/><SignatureMethod "
                "Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"/><Reference "
                "URI=\"#DPS1\">"
                "<Transforms><Transform "
                "Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>"
                "<Transform Algorithm=\"" +
                form +
                "\"/></Transforms><DigestMethod "
                "Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/><DigestValue/></Reference>"
                "</SignedInfo><SignatureValue/><KeyInfo><X509Data><X509Certificate/></X509Data></"
                "KeyInfo>"
                "</Signature>"
        );
        std::ofstream{folder.path() + "/frame.xml"} << frame;
        const std::string command =
            "cd " + folder.path() +
            " && xmlsec1 --sign --privkey-pem key.pem,cert.pem --id-attr:Id infDPS"
            " --output signed.xml frame.xml >/dev/null 2>&1";
        ASSERT_EQ(std::system(command.c_str()), 0);
        std::ifstream file{folder.path() + "/signed.xml"};
        const std::string text{std::istreambuf_iterator<char>{file}, {}};
        const auto checked = check(text);
        EXPECT_TRUE(checked) << form << checked.error().detail << text;
    }
}

TEST_F(SignatureTest, WhatWasChangedIsNoticed)
{
    const std::string text = *sign(dps);
    EXPECT_THAT(
        why_not(replaced(text, "<tpAmb>2", "<tpAmb>1")), HasSubstr("changed after it was signed")
    );
    EXPECT_THAT(why_not(replaced(text, "reação\n", "reação")), HasSubstr("changed after"));
    const std::string digest = between(text, "<DigestValue>", "</DigestValue>");
    const std::string forged =
        replaced(replaced(text, "<tpAmb>2", "<tpAmb>1"), digest, "<DigestValue>AAAA</DigestValue>");
    EXPECT_THAT(why_not(forged), HasSubstr("changed after"));
    const std::string value = between(text, "<SignatureValue>", "</SignatureValue>");
    std::string bent = value;
    bent[20] = bent[20] == 'A' ? 'B' : 'A';
    EXPECT_THAT(why_not(replaced(text, value, bent)), HasSubstr("not that of its certificate"));
    EXPECT_THAT(
        why_not(replaced(text, value, "<SignatureValue/>")),
        HasSubstr("not that of its certificate")
    );
    const std::string theirs = *sign_enveloped(
        dps, "DPS1", {other->certificate_pem, other->key_pem}, SignatureAlgorithm::rsa_sha256
    );
    const std::string_view tag = "<X509Certificate>";
    EXPECT_THAT(
        why_not(replaced(text, between(text, tag, "</X509"), between(theirs, tag, "</X509"))),
        HasSubstr("not that of its certificate")
    );
}

// Signature wrapping: what is signed is kept somewhere, and what is read is another element.
TEST_F(SignatureTest, WrappingIsRefused)
{
    const std::string text = *sign(dps);
    const std::string covered = between(text, "<infDPS", "</infDPS>");
    const std::string signature = between(text, "<Signature ", "</Signature>");
    const std::string evil = replaced(covered, "<tpAmb>2", "<tpAmb>1");
    const std::string other_id = replaced(evil, "DPS1", "DPS2");
    // The signed one beside, under an Object, in the Signature, and in what is read.
    EXPECT_THAT(why_not(replaced(text, covered, evil + covered)), HasSubstr("several elements"));
    EXPECT_THAT(why_not(replaced(text, covered, other_id + covered)), HasSubstr("not to #DPS2"));
    EXPECT_THAT(
        why_not(replaced(
            replaced(text, covered, other_id),
            "</Signature>",
            "<Object>" + covered + "</Object></Signature>"
        )),
        HasSubstr("nothing else")
    );
    EXPECT_THAT(
        why_not(replaced(text, covered, replaced(other_id, "</infDPS>", covered + "</infDPS>"))),
        HasSubstr("not to #DPS2")
    );
    EXPECT_THAT(
        why_not(replaced(
            replaced(text, signature, ""), covered, other_id + "<w>" + covered + signature + "</w>"
        )),
        HasSubstr("must stand beside")
    );
    EXPECT_THAT(
        why_not(replaced(text, signature, signature + signature)), HasSubstr("there are 2")
    );
    EXPECT_THAT(why_not(replaced(text, signature, "")), HasSubstr("there are 0"));
    // The same Id under another spelling of the attribute.
    EXPECT_THAT(
        why_not(replaced(text, covered, covered + "<w ID=\"DPS1\"/>")),
        HasSubstr("several elements")
    );
}

TEST_F(SignatureTest, OtherFormsAreRefused)
{
    const std::string text = *sign(dps);
    const std::string reference = between(text, "<Reference ", "</Reference>");
    const std::string transform =
        "<Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>";
    EXPECT_THAT(
        why_not(replaced(text, reference, reference + reference)), HasSubstr("one Reference")
    );
    EXPECT_THAT(why_not(replaced(text, "#DPS1", "")), HasSubstr("refers to"));
    EXPECT_THAT(why_not(replaced(text, "#DPS1", "file:///etc/passwd")), HasSubstr("refers to"));
    for (const char* const algorithm :
         {"http://www.w3.org/TR/1999/REC-xslt-19991116",
          "http://www.w3.org/TR/1999/REC-xpath-19991116",
          "http://www.w3.org/2000/09/xmldsig#base64"}) {
        EXPECT_THAT(
            why_not(replaced(
                text, transform, std::string{"<Transform Algorithm=\""} + algorithm + "\"/>"
            )),
            HasSubstr("has a transform")
        );
    }
    EXPECT_THAT(
        why_not(replaced(text, "xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256")),
        HasSubstr("must be of RSA")
    );
    EXPECT_THAT(
        why_not(replaced(text, between(text, "<X509Data>", "</X509Data>"), "<X509Data/>")),
        HasSubstr("no certificate")
    );
}

// A message of São Paulo: the Signature is about the whole of it.
TEST_F(SignatureTest, AWholeDocument)
{
    const xml::SigningKey key{issued->certificate_pem, issued->key_pem};
    const auto sign_all = [&](std::string_view text) {
        return sign_whole(text, key, SignatureAlgorithm::rsa_sha1);
    };
    const auto check_all = [](std::string_view text) {
        const auto document = Document::parse(text);
        EXPECT_TRUE(document) << document.error().detail;
        return check_whole_signature(*document);
    };
    const auto refusal = [&](std::string_view text) {
        const auto checked = check_all(text);
        EXPECT_FALSE(checked) << text;
        return checked ? "" : checked.error().detail;
    };
    const auto signed_text = sign_all(dps);
    ASSERT_TRUE(signed_text) << signed_text.error().detail;
    const std::string& text = *signed_text;
    const auto checked = check_all(text);
    ASSERT_TRUE(checked) << checked.error().detail;
    EXPECT_EQ(checked->algorithm, SignatureAlgorithm::rsa_sha1);

    EXPECT_THAT(refusal(replaced(text, "<tpAmb>2", "<tpAmb>1")), HasSubstr("changed after"));
    EXPECT_THAT(refusal(replaced(text, "<infDPS", "<x/><infDPS")), HasSubstr("changed after"));
    EXPECT_THAT(refusal(replaced(text, "URI=\"\"", "")), HasSubstr("refers to nothing"));
    EXPECT_THAT(refusal(replaced(text, "URI=\"\"", "URI=\"#DPS1\"")), HasSubstr("refers to #DPS1"));
    EXPECT_THAT(refusal(text + "<?x y?>"), HasSubstr("an instruction beside the root"));
    EXPECT_THAT(
        refusal(replaced(text, std::string{enveloped_transform}, "")),
        HasSubstr("enveloped-signature")
    );
    const std::string signature = between(text, "<Signature ", "</Signature>");
    EXPECT_THAT(refusal(replaced(text, signature, "")), HasSubstr("there are 0"));
    EXPECT_THAT(refusal(replaced(text, signature, signature + signature)), HasSubstr("are 2"));
    EXPECT_THAT(
        refusal(replaced(replaced(text, signature, ""), "</infDPS>", signature + "</infDPS>")),
        HasSubstr("must stand in DPS")
    );
    // The signed message, inside of another one.
    const std::string inner = text.substr(text.find("<DPS"));
    EXPECT_THAT(refusal("<DPS>" + inner + "</DPS>"), HasSubstr("must stand in DPS"));
    EXPECT_THAT(sign_all(text).error().detail, HasSubstr("a Signature already"));
    EXPECT_THAT(sign_all("<a/><?x y?>").error().detail, HasSubstr("an instruction"));

    if (std::system("command -v xmlsec1 >/dev/null") != 0)
        GTEST_SKIP() << "xmlsec1 is not installed";
    const test::TemporaryFolder folder;
    std::ofstream{folder.path() + "/ca.pem"} << authority->pem();
    const std::string verify =
        "cd " + folder.path() +
        " && xmlsec1 --verify --trusted-pem ca.pem signed.xml >/dev/null 2>&1";
    std::ofstream{folder.path() + "/signed.xml"} << text;
    EXPECT_EQ(std::system(verify.c_str()), 0) << text;
    std::ofstream{folder.path() + "/signed.xml"} << replaced(text, "<tpAmb>2", "<tpAmb>1");
    EXPECT_NE(std::system(verify.c_str()), 0) << "xmlsec1 believes everything";
}

TEST_F(SignatureTest, WhatCannotBeSigned)
{
    EXPECT_THAT(sign(dps, "other").error().detail, HasSubstr("0 elements have the Id"));
    EXPECT_THAT(sign(*sign(dps)).error().detail, HasSubstr("a Signature already"));
    EXPECT_THAT(sign("<a Id='DPS1'/>").error().detail, HasSubstr("one around it"));
    EXPECT_EQ(
        sign_enveloped(dps, "DPS1", {"", ""}, SignatureAlgorithm::rsa_sha256).error().code,
        Errc::misconfigured
    );
}

}  // namespace
}  // namespace umavez::xml
