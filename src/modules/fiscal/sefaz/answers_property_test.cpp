// Whatever comes, nothing throws, and nothing is authorised, cancelled or voided without what it must have.

#include "modules/fiscal/sefaz/answers.hpp"
#include "modules/fiscal/sefaz/test_answers.hpp"
#include "modules/fiscal/sefaz/test_documents.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace umavez::fiscal::sefaz {
namespace {

using namespace test_answers;
using namespace test_documents;

const std::string& chave()
{
    static const std::string text = key_of();
    return text;
}

const std::vector<std::string>& seeds()
{
    static const std::vector<std::string> texts = {
        ret("retEnviNFe", "104", prot(chave(), {.dig_val = "AAAA"})),
        ret("retEnviNFe", "103", receipt("351000012345678")),
        ret("retConsReciNFe", "104", prot(chave())),
        ret("retConsSitNFe", "100", prot(chave(), {.dig_val = "AAAA"})),
        ret("retConsSitNFe", "101", prot(chave()) + proc_evento(chave())),
        ret("retConsSitNFe", "217"),
        ret("retConsSitNFe", "562", "", "[chNFe:" + key_of({.c_nf = "11112222"}) + "]"),
        ret("retEnvEvento", "128", ret_evento(chave(), "135")),
        ret_inut("102"),
        ret_inut("563"),
        ret("retConsStatServ", "107"),
    };
    return texts;
}

bool is_whole(const Said& said)
{
    const bool has_both = !said.chave.empty() && !said.protocolo.empty() && !said.xml.empty();
    if (said.word == Word::authorised) return has_both && said.chave == chave();
    const bool has_ended = said.word == Word::cancelled || said.word == Word::substituted;
    return has_ended ? said.chave == chave() : said.chave.empty();
}

void expect_whole(const std::string& body, int status = 200)
{
    const HttpAnswer answer{.status = status, .body = body};
    const Sent sent{.chave = chave(), .nfe = "<NFe/>", .dig_val = "AAAA"};
    const Instant now{};
    const Said event = read_event(answer, {.chave = chave(), .tp_evento = "110111"});
    RC_ASSERT(is_whole(read_emission(answer, sent, now)));
    RC_ASSERT(is_whole(read_receipt(answer, "351000012345678", sent, now).said));
    RC_ASSERT(is_whole(read_situacao(answer, sent).said));
    RC_ASSERT(is_whole(event));
    RC_ASSERT(event.word != Word::cancelled || !event.protocolo.empty());
    const Said voided = read_voiding(answer, inut());
    RC_ASSERT(voided.word != Word::voided || status == 200);
    RC_ASSERT(voided.word != Word::authorised);
    read_status(answer, Ambiente::homologacao);
}

TEST(AnswersProperty, CutAnywhere)
{
    for (const std::string& seed : seeds()) {
        for (std::size_t size = 0; size < seed.size(); size += 3) {
            const std::string body = seed.substr(0, size);
            const HttpAnswer answer{.status = 200, .body = body};
            const Sent sent{.chave = chave(), .nfe = "<NFe/>", .dig_val = "AAAA"};
            ASSERT_EQ(read_emission(answer, sent, {}).word, Word::unknown) << body;
            ASSERT_EQ(read_receipt(answer, "1", sent, {}).said.word, Word::unknown) << body;
            ASSERT_EQ(read_situacao(answer, sent).said.word, Word::unknown) << body;
            ASSERT_EQ(read_event(answer, {.chave = chave()}).word, Word::unknown) << body;
            ASSERT_EQ(read_voiding(answer, inut()).word, Word::unknown) << body;
        }
    }
}

RC_GTEST_PROP(AnswersProperty, BytesChangedInAnyWay, ())
{
    std::string body = *rc::gen::elementOf(seeds());
    const auto changes = *rc::gen::inRange(1, 8);
    for (int i = 0; i < changes; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, body.size());
        switch (*rc::gen::inRange(0, 4)) {
            case 0: body[at] = *rc::gen::arbitrary<char>(); break;
            case 1: body.erase(at, *rc::gen::inRange<std::size_t>(1, 60)); break;
            case 2: {
                const auto from = *rc::gen::inRange<std::size_t>(0, body.size());
                body.insert(at, body.substr(from, *rc::gen::inRange<std::size_t>(1, 200)));
                break;
            }
            default: body.insert(at, 1, *rc::gen::elementOf(std::string{"<>/&\"0123456789"}));
        }
        if (body.empty()) break;
    }
    expect_whole(body, *rc::gen::element(200, 200, 200, 201, 400, 500, 0));
}

// Codes and elements that are well-formed and do not belong together.
RC_GTEST_PROP(AnswersProperty, PartsThatDoNotBelongTogether, ())
{
    const auto code = [] { return std::to_string(*rc::gen::inRange(95, 1005)); };
    const std::string name = *rc::gen::element<std::string>(
        "retEnviNFe", "retConsReciNFe", "retConsSitNFe", "retEnvEvento", "retInutNFe"
    );
    const std::string key = *rc::gen::element(chave(), key_of({.c_nf = "11112222"}), std::string{});
    std::string inside;
    const auto parts = *rc::gen::inRange(0, 4);
    for (int i = 0; i < parts; ++i) {
        const std::string n_prot = *rc::gen::element<std::string>("", "1", "x", "135260000000123");
        switch (*rc::gen::inRange(0, 4)) {
            case 0: inside += prot(key, {.code = code(), .n_prot = n_prot}); break;
            case 1: inside += ret_evento(key, code(), "110111", n_prot); break;
            case 2: inside += proc_evento(key, "110111", code()); break;
            default: inside += receipt(n_prot);
        }
    }
    expect_whole(ret(name, code(), inside));
}

}  // namespace
}  // namespace umavez::fiscal::sefaz
