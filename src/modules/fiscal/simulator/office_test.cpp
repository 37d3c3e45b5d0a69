// The rules of the office, without sockets and files: a request in, an answer and a line of the ledger out.

#include "modules/fiscal/simulator/office.hpp"

#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/test_documents.hpp"
#include "support/certificates.hpp"
#include "xml/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::simulator {
namespace {

using testing::HasSubstr;

const Instant t0 = from_micros(1'772'551'057'000'000);  // 2026-03-03, 12:17:37 in Brasília
const std::string issuer = "00574753000100";

class Office : public testing::Test {
protected:
    Answer ask(const http::Request& request, const std::string& caller = issuer)
    {
        const auto asked = read_call(request, caller);
        EXPECT_TRUE(asked.has_value());
        Decision decision = office_.decide(*asked, book_, {.now = t0, .chance = 703'271'102});
        if (decision.event) book_.apply(*decision.event);
        return std::move(decision.answer);
    }
    Answer emit(const TestDps& dps) { return ask(post_dps(dps.xml())); }
    std::string refusal_of(const Answer& answer)
    {
        return answer.erros.empty() ? "" : answer.erros.front().codigo;
    }
    std::string emit_code(const TestDps& dps) { return refusal_of(emit(dps)); }

    NacionalOffice office_{"2"};
    Book book_;
};

TEST_F(Office, AuthorisesADpsAndKeepsItInTheNote)
{
    const TestDps dps;

    const Answer answer = emit(dps);

    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.documento, dps.id);
    EXPECT_EQ(answer.chave.size(), 50U);
    EXPECT_TRUE(
        answer.chave.starts_with("2111300"
                                 "2"
                                 "2"
                                 "00574753000100"
                                 "0000000000001"
                                 "2603")
    );
    EXPECT_EQ(answer.chave.back(), check_digit(std::string_view{answer.chave}.substr(0, 49)));
    EXPECT_THAT(answer.xml, HasSubstr(R"(<infNFSe Id="NFS)" + answer.chave));
    const std::string sent = dps.xml();
    EXPECT_THAT(answer.xml, HasSubstr(sent.substr(sent.find("<DPS"))));
}

TEST_F(Office, NumbersTheNotesOfEachIssuerByThemselves)
{
    emit(TestDps::of_number(1));
    const TestDps other{
        .id = "DPS211130021122233300018100003000000000000001",
        .numero = "1",
        .prestador = "<CNPJ>11222333000181</CNPJ>",
    };

    EXPECT_EQ(emit(TestDps::of_number(2)).chave.substr(23, 13), "0000000000002");
    EXPECT_EQ(emit(other).chave.substr(23, 13), "0000000000001");
}

TEST_F(Office, SecondDpsOfOneNumberIsE0014WhateverItsContent)
{
    const Answer first = emit(TestDps{});
    TestDps changed;
    changed.valor = "99.00";

    EXPECT_EQ(emit_code(TestDps{}), "E0014");
    EXPECT_EQ(emit_code(changed), "E0014");
    EXPECT_EQ(book_.find_by_documento(TestDps{}.id)->authorised.chave, first.chave);
}

TEST_F(Office, IdOfOtherFieldsIsE0004)
{
    TestDps other_number;
    other_number.numero = "5307";
    TestDps cpf_said_to_be_cnpj;
    cpf_said_to_be_cnpj.id.replace(10, 1, "1");

    EXPECT_EQ(emit_code(other_number), "E0004");
    EXPECT_EQ(emit_code(cpf_said_to_be_cnpj), "E0004");
    EXPECT_EQ(book_.find_by_documento(TestDps{}.id), nullptr);
}

TEST_F(Office, PersonsAndCompaniesWithLettersAreIssuersToo)
{
    const TestDps person{
        .id = "DPS211130010000123456789700003000000000005306",
        .prestador = "<CPF>01234567897</CPF>",
    };
    const TestDps letters{
        .id = "DPS2111300212ABC34501DE3500003000000000005306",
        .prestador = "<CNPJ>12ABC34501DE35</CNPJ>",
    };

    EXPECT_EQ(emit(person).status, 201);
    const Answer answer = emit(letters);
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.chave.substr(9, 14), "12ABC34501DE35");
}

TEST_F(Office, OtherEnvironmentIsE0006)
{
    TestDps production;
    production.ambiente = "1";

    EXPECT_EQ(emit_code(production), "E0006");
}

TEST_F(Office, WhatCannotBeReadHasTheCodesOfTheReception)
{
    http::Request request = post_dps("");
    const auto code_of = [&](std::string body) {
        request.body = std::move(body);
        return refusal_of(ask(request));
    };

    EXPECT_EQ(code_of("not json"), "E1242");
    EXPECT_EQ(code_of(R"({"dpsXmlGZipB64":"*"})"), "E1225");
    EXPECT_EQ(code_of(R"({"dpsXmlGZipB64":"aGVsbG8="})"), "E1226");
    EXPECT_EQ(code_of(post_dps("<DPS></dps>").body), "E1235");
    EXPECT_EQ(code_of(post_dps("<!DOCTYPE DPS><DPS/>").body), "E1235");
    EXPECT_EQ(code_of(post_dps("<NFSe/>").body), "E1235");
}

TEST_F(Office, WrongSignatureIsRefusedAndAGoodOnePasses)
{
    const test::Issued key = test::TestAuthority{}.issue({.common_name = "LOJA LTDA"});
    const TestDps dps;
    const auto made = xml::sign_enveloped(
        dps.xml(), dps.id, {key.certificate_pem, key.key_pem}, xml::SignatureAlgorithm::rsa_sha256
    );
    ASSERT_TRUE(made) << made.error().detail;
    const std::string& good = *made;
    std::string changed = good;
    changed.replace(changed.find("51.60"), 5, "99.60");

    EXPECT_EQ(refusal_of(ask(post_dps(changed))), "E0714");
    EXPECT_EQ(ask(post_dps(good)).status, 201);
    const std::string chave = book_.find_by_documento(dps.id)->authorised.chave;
    std::string pedido = *xml::sign_enveloped(
        pedido_xml(chave, "PRE" + chave + "101101"),
        "PRE" + chave + "101101",
        {key.certificate_pem, key.key_pem},
        xml::SignatureAlgorithm::rsa_sha1
    );
    std::string other = pedido;
    other.replace(other.find("Erro"), 4, "Ato_");
    EXPECT_EQ(refusal_of(ask(post_pedido(chave, other))), "E1980");
    EXPECT_EQ(ask(post_pedido(chave, pedido)).status, 201);
}

TEST_F(Office, TellsTheKeyOfADpsToThoseOnTheNoteOnly)
{
    const Answer note = emit(TestDps{});
    http::Request head = get("/dps/" + TestDps{}.id);
    head.method = "HEAD";

    EXPECT_EQ(ask(get("/dps/" + TestDps{}.id)).chave, note.chave);
    EXPECT_EQ(ask(get("/dps/" + TestDps{}.id), "11222333000181").status, 403);
    EXPECT_EQ(ask(get("/dps/" + TestDps{}.id), "00574753000282").status, 200);  // a branch
    EXPECT_EQ(ask(head, "11222333000181").status, 200);
}

TEST_F(Office, UnknownIs404AndMalformedIs400)
{
    const std::string chave(50, '1');

    EXPECT_EQ(ask(get("/dps/" + TestDps{}.id)).status, 404);
    EXPECT_EQ(ask(get("/dps/DPS1")).status, 400);
    EXPECT_EQ(ask(get("/nfse/" + chave)).status, 404);
    EXPECT_EQ(ask(get("/nfse/1")).status, 400);
    EXPECT_EQ(ask(get("/nfse/" + chave + "/eventos/101101/1")).status, 404);
    EXPECT_FALSE(read_call(get("/nfse/" + chave + "/eventos/101101"), issuer).has_value());
    EXPECT_FALSE(read_call(get("/"), issuer).has_value());
}

TEST_F(Office, RegistersACancellationOnce)
{
    const std::string chave = emit(TestDps{}).chave;

    const Answer cancelled = ask(cancel(chave));
    const Answer again = ask(cancel(chave));
    const Answer found = ask(get("/nfse/" + chave + "/eventos/101101/1"));

    EXPECT_EQ(cancelled.status, 201);
    EXPECT_THAT(cancelled.xml, HasSubstr(R"(<infEvento Id="EVT)" + chave + "101101001"));
    EXPECT_EQ(refusal_of(again), "E0802");
    EXPECT_EQ(found.status, 200);
    EXPECT_EQ(found.xml, cancelled.xml);
    EXPECT_TRUE(book_.find_by_chave(chave)->is_cancelled());
}

TEST_F(Office, CancellationAfterAnotherEventIsE0840)
{
    for (const std::string tipo : {"101101", "105102", "101103"}) {
        const TestDps dps = TestDps::of_number(std::stoi(tipo));
        const std::string chave = emit(dps).chave;
        book_.apply(EventRegistered{.at = t0, .chave = chave, .tipo = tipo});

        EXPECT_EQ(refusal_of(ask(cancel(chave))), "E0840") << tipo;
    }
}

TEST_F(Office, CancellationUnderAnIdOfAnotherFormIsE1827)
{
    const std::string chave = emit(TestDps{}).chave;
    const auto code_of = [&](const std::string& id) {
        return refusal_of(ask(post_pedido(chave, pedido_xml(chave, id))));
    };

    EXPECT_EQ(
        code_of("PRE" + chave + "101101001"), "E1827"
    );  // 62 positions, as in the older schema
    EXPECT_EQ(code_of("PRE" + chave + "105102"), "E1827");
    EXPECT_FALSE(book_.find_by_chave(chave)->is_cancelled());
}

TEST_F(Office, CancellationOfNothingOrForNoReasonIsRefused)
{
    const std::string chave = emit(TestDps{}).chave;
    const std::string id = "PRE" + chave + "101101";
    const std::string unknown(50, '1');

    EXPECT_EQ(refusal_of(ask(cancel(unknown))), "E1831");
    EXPECT_EQ(
        refusal_of(ask(post_pedido(chave, pedido_xml(chave, id, "101101", "curto")))), "E1235"
    );
    EXPECT_EQ(
        refusal_of(ask(post_pedido(chave, pedido_xml(chave, "PRE" + chave + "105102", "105102")))),
        "E1235"
    );
}

TEST_F(Office, SubstitutionRegistersItsEventOnTheOldNote)
{
    const std::string old = emit(TestDps::of_number(1)).chave;
    TestDps substitute = TestDps::of_number(2);
    substitute.subst = old;

    EXPECT_EQ(emit(substitute).status, 201);

    EXPECT_EQ(ask(get("/nfse/" + old + "/eventos/105102/1")).status, 200);
    EXPECT_TRUE(book_.find_by_chave(old)->is_substituted());
    EXPECT_EQ(refusal_of(ask(cancel(old))), "E0840");
}

}  // namespace
}  // namespace umavez::fiscal::simulator
