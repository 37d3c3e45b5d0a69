// Whatever comes, nothing throws, and nothing is authorised, cancelled or absent without what it must have.

#include "modules/fiscal/sao_paulo/answers.hpp"
#include "modules/fiscal/sao_paulo/test_documents.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace umavez::fiscal::sao_paulo {
namespace {

using namespace test_documents;

const SpRpsKey key = SpRpsKey::parse(rps_key).value();
const ChaveNfe chave = ChaveNfe::parse(chave_text).value();

const std::vector<std::string>& seeds()
{
    static const std::vector<std::string> texts = {
        envio_answer("true", issued_key()),
        envio_answer("true", alerta("217") + issued_key()),
        envio_answer("false", erro("1206", chave_rps())),
        consulta_answer("true", nota()),
        consulta_answer("true", nota({.numero = "986", .status = "C"}) + nota()),
        consulta_answer("false", erro("1106", chave_rps())),
        cancelamento_answer("true", ""),
        cancelamento_answer("false", alerta("1301", chave_nfe())),
    };
    return texts;
}

bool is_whole(const Said& said)
{
    switch (said.word) {
        case Word::authorised:
        case Word::cancelled:
        case Word::substituted:
            return ChaveNfe::parse(said.chave).has_value() && !said.xml.empty() &&
                   said.http_status == 200;
        case Word::refused:
        case Word::exists: return !said.mensagens.empty() && said.chave.empty();
        case Word::absent: return said.chave.empty() && said.http_status == 200;
        case Word::later:
        case Word::throttled:
        case Word::unknown: return said.chave.empty();
        case Word::under_analysis:
        case Word::denied:
        case Word::voided:
        case Word::unreached: break;
    }
    return false;
}

void expect_whole(const std::string& body, int status = 200)
{
    const HttpAnswer answer{.status = status, .body = body};
    RC_ASSERT(is_whole(read_emission(answer, key)));
    RC_ASSERT(read_emission(answer, key).word != Word::absent);
    RC_ASSERT(is_whole(read_consult(answer, {.key = key})));
    RC_ASSERT(is_whole(read_consult(answer, {.key = key, .chave = chave})));
    RC_ASSERT(is_whole(read_cancellation(answer, chave)));
}

TEST(SaoPauloAnswersProperty, CutAnywhere)
{
    for (const std::string& seed : seeds()) {
        for (std::size_t size = 0; size < seed.size(); ++size) {
            const std::string body = seed.substr(0, size);
            const HttpAnswer answer{.status = 200, .body = body};
            ASSERT_EQ(read_emission(answer, key).word, Word::unknown) << body;
            ASSERT_EQ(read_consult(answer, {.key = key}).word, Word::unknown) << body;
            ASSERT_EQ(read_cancellation(answer, chave).word, Word::unknown) << body;
        }
    }
}

RC_GTEST_PROP(SaoPauloAnswersProperty, BytesChangedInAnyWay, ())
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
            default: body.insert(at, 1, *rc::gen::elementOf(std::string{"<>/&;\"0123456789"}));
        }
        if (body.empty()) break;
    }
    expect_whole(body, *rc::gen::element(200, 200, 200, 201, 400, 403, 426, 429, 500, 0));
}

// Parts that are well-formed and do not belong together.
RC_GTEST_PROP(SaoPauloAnswersProperty, PartsThatDoNotBelongTogether, ())
{
    std::string more;
    const auto parts = *rc::gen::inRange(0, 5);
    bool has_issued = false;
    for (int i = 0; i < parts; ++i) {
        const auto code = *rc::gen::element<std::string>(
            "", "216", "217", "218", "1106", "1206", "1301", "1302", "1304", "1305", "9999"
        );
        const auto numero = *rc::gen::element<std::string>("987", "986", "x", "0");
        const auto status = *rc::gen::element<std::string>("N", "C", "E", "");
        switch (*rc::gen::inRange(0, 4)) {
            case 0: more += alerta(code, *rc::gen::element(std::string{}, chave_rps())); break;
            case 1: more += erro(code, *rc::gen::element(chave_nfe(), chave_rps("2"))); break;
            case 2: more += nota({.numero = numero, .status = status}); break;
            default: more += issued_key(); has_issued = true;
        }
    }
    const auto sucesso = *rc::gen::element<std::string>("true", "false", "");
    expect_whole(envio_answer(sucesso, more));
    expect_whole(consulta_answer(sucesso, more));
    expect_whole(cancelamento_answer(sucesso, more));
    const std::string body = envio_answer(sucesso, more);
    const Said said = read_emission({.status = 200, .body = body}, key);
    RC_ASSERT(said.word != Word::authorised || (has_issued && sucesso == "true"));
}

}  // namespace
}  // namespace umavez::fiscal::sao_paulo
