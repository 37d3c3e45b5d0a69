// The shapes of answers: those of the manual word by word, and the odd ones that production was seen to use.

#include "modules/fiscal/simulator/shapes.hpp"

#include "json/tree.hpp"
#include "modules/fiscal/simulator/packing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::simulator {
namespace {

using testing::HasSubstr;
using testing::Not;

const Instant t0 = from_micros(1'772'551'057'000'000);
const Wording declared{.ambiente = "2", .now = t0};
const Wording odd_even{.ambiente = "2", .now = t0, .shape = Shape::odd, .turn = 2};
const Wording odd_uneven{.ambiente = "2", .now = t0, .shape = Shape::odd, .turn = 3};

TEST(Shapes, EveryAnswerHasTheSameHead)
{
    const http::Response response = to_response({.status = 404}, Call::consultar_evento, declared);

    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(
        response.body,
        R"({"tipoAmbiente":2,"versaoAplicativo":"umavez-simulador",)"
        R"("dataHoraProcessamento":"2026-03-03T12:17:37-03:00"})"
    );
}

TEST(Shapes, AuthorisedSaysIdDps)
{
    const Answer answer{.status = 201, .documento = "DPS1", .chave = "123", .xml = "<NFSe/>"};

    EXPECT_THAT(
        to_response(answer, Call::emitir, declared).body,
        HasSubstr(R"("idDps":"DPS1","chaveAcesso":"123","nfseXmlGZipB64":")")
    );
    EXPECT_THAT(to_response(answer, Call::emitir, odd_even).body, HasSubstr(R"("idDPS":"DPS1")"));
    EXPECT_THAT(to_response(answer, Call::emitir, odd_even).body, HasSubstr(R"("alertas":null)"));
}

TEST(Shapes, RefusedEmissionHasAListAndAnotherSpellingOfItsId)
{
    const Answer answer{.status = 400, .erros = {{"E0014", "há"}}, .documento = "DPS1"};

    EXPECT_THAT(
        to_response(answer, Call::emitir, declared).body,
        HasSubstr(R"("idDPS":"DPS1","erros":[{"codigo":"E0014","descricao":"há"}])")
    );
    EXPECT_THAT(
        to_response(answer, Call::emitir, odd_uneven).body,
        HasSubstr(R"("idDps":"DPS1","erros":[{"Codigo":"E0014","Descricao":"há"}])")
    );
}

TEST(Shapes, OtherRefusalsAreAnObjectOrAList)
{
    const Answer answer{.status = 400, .erros = {{"E0802", "há"}}};

    EXPECT_THAT(
        to_response(answer, Call::cancelar, declared).body,
        HasSubstr(R"("erro":{"codigo":"E0802","descricao":"há"})")
    );
    EXPECT_THAT(
        to_response(answer, Call::cancelar, odd_even).body,
        HasSubstr(R"("erro":[{"codigo":"E0802","descricao":"há"}])")
    );
}

TEST(Shapes, FoundDpsMayStandNextToAnEmptyListOfErrors)
{
    const Answer answer{.documento = "DPS1", .chave = "123"};

    EXPECT_THAT(to_response(answer, Call::consultar, declared).body, Not(HasSubstr("erro")));
    EXPECT_THAT(
        to_response(answer, Call::consultar, odd_uneven).body,
        HasSubstr(R"("idDps":"DPS1","chaveAcesso":"123","erro":[])")
    );
}

TEST(Shapes, EventIsInOneOfTwoEnvelopes)
{
    const Answer answer{.chave = "123", .xml = "<evento/>", .tipo = "101101", .at = t0};

    const std::string plain = to_response(answer, Call::consultar_evento, declared).body;
    const std::string wrapped = to_response(answer, Call::consultar_evento, odd_even).body;

    const auto first = JsonTree::parse(plain);
    EXPECT_EQ(unzip(*decode_base64(first->root().find("eventoXmlGZipB64")->string())), "<evento/>");
    const auto second = JsonTree::parse(wrapped);
    const JsonValue evento = *second->root().find("eventos")->elements().begin();
    const std::string once = *decode_base64(evento.find("arquivoXml")->string());
    EXPECT_EQ(unzip(*decode_base64(once)), "<evento/>");
    EXPECT_THAT(wrapped, HasSubstr(R"("tipoEvento":101101,)"));
    EXPECT_THAT(
        to_response(answer, Call::consultar_evento, odd_uneven).body,
        HasSubstr(R"("tipoEvento":"101101",)")
    );
}

}  // namespace
}  // namespace umavez::fiscal::simulator
