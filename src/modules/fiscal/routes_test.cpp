// What clients see: statuses, problems, where an answer comes from.

#include "modules/fiscal/rules/post_rule.hpp"
#include "modules/fiscal/test_office.hpp"

namespace umavez::fiscal {
namespace {

TEST(DocumentRoutes, TheFirstIsCreatedTheSecondComesFromTheTable)
{
    Office office;

    const Answer first = office.emit(1);
    const Answer second = office.emit(1);

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_EQ(first["origem"], "emissao");
    EXPECT_EQ(first["sucesso"], "true");
    EXPECT_EQ(Office::of(first, "estado"), "AUTORIZADO");
    EXPECT_EQ(first.header("Location"), "/api/v1/documentos-fiscais/1");
    EXPECT_FALSE(first.is_replay());
    EXPECT_EQ(second.status, 200) << second;
    EXPECT_EQ(second["origem"], "cache");
    EXPECT_TRUE(second.is_replay());
    EXPECT_EQ(office.authority.emits, 1);
}

TEST(DocumentRoutes, AuthorisedIsAnsweredWhateverTheBytes)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);

    const Answer other = office.emit(1, "99.00");

    EXPECT_EQ(other.status, 200);
    EXPECT_EQ(other["origem"], "cache");
}

TEST(DocumentRoutes, WhatWasFoundByAskingSaysSo)
{
    Office office;
    office.authority.emit_faults = {Fault::answer_lost};

    const Answer answer = office.emit(1);

    EXPECT_EQ(answer.status, 200) << answer;
    EXPECT_EQ(answer["origem"], "conciliacao");
}

TEST(DocumentRoutes, ADoubtIsAcceptedAndOtherBytesAreRefusedMeanwhile)
{
    Office office;
    office.authority.settles_after = 50min;
    office.authority.emit_faults = {Fault::lands_later};

    const Answer doubt = office.emit(1);

    EXPECT_EQ(doubt.status, 202) << doubt;
    EXPECT_EQ(doubt["sucesso"], "false");
    EXPECT_EQ(doubt["effect"], "unknown");
    EXPECT_EQ(Office::of(doubt, "estado"), "INDETERMINADO");
    EXPECT_NE(Office::of(doubt, "proxima_conciliacao_em"), "null");
    EXPECT_FALSE(doubt.header("Retry-After").empty());
    const Answer others = office.emit(1, "99.00");
    EXPECT_EQ(others.status, 409);
    EXPECT_TRUE(others.is_problem("documento-em-duvida")) << others;
    EXPECT_EQ(others["effect"], "unknown");

    office.authority.land();
    const Answer same = Office::ask_until_known([&office] { return office.emit(1); });
    EXPECT_EQ(same.status, 200) << same;
    EXPECT_EQ(same["origem"], "conciliacao");
    EXPECT_EQ(office.authority.emits, 1);
}

TEST(DocumentRoutes, ARejectionTellsTheAuthoritysWordsAndLetsCorrectedBytesIn)
{
    Office office;
    office.authority.emit_faults = {Fault::refused};

    const Answer refused = office.emit(1);

    EXPECT_EQ(refused.status, 422);
    EXPECT_TRUE(refused.is_problem("documento-rejeitado")) << refused;
    EXPECT_NE(refused.body.find("E0160"), std::string::npos);
    EXPECT_EQ(refused["effect"], "none");
    EXPECT_EQ(Office::of(refused, "estado"), "REJEITADO");
    EXPECT_EQ(office.emit(1, "12.00").status, 201);
}

TEST(DocumentRoutes, ACorrectionThatWasNotLookedAtIsNotRejected)
{
    Office office;
    office.authority.emit_faults = {
        Fault::refused, Fault::unreached, Fault::unreached, Fault::unreached
    };
    EXPECT_TRUE(office.emit(1).is_problem("documento-rejeitado"));

    const Answer away = office.emit(1, "12.00");

    EXPECT_TRUE(away.is_problem("autoridade-indisponivel")) << away;
    EXPECT_EQ(Office::of(away, "estado"), "REJEITADO");
}

TEST(DocumentRoutes, ADenialUsesTheNumberUp)
{
    Office office;
    office.authority.emit_faults = {Fault::denied};

    EXPECT_TRUE(office.emit(1).is_problem("documento-rejeitado"));
    const Answer again = office.emit(1, "12.00");
    EXPECT_EQ(again.status, 409);
    EXPECT_TRUE(again.is_problem("estado-nao-permite")) << again;
}

TEST(DocumentRoutes, AnAuthorityThatIsAwayIsUnavailableWithoutEffect)
{
    Office office;
    office.authority.emit_faults = {Fault::unreached, Fault::unreached, Fault::later};

    const Answer away = office.emit(1);

    EXPECT_EQ(away.status, 503);
    EXPECT_TRUE(away.is_problem("autoridade-indisponivel")) << away;
    EXPECT_EQ(away["effect"], "none");
    EXPECT_FALSE(away.header("Retry-After").empty());
    EXPECT_EQ(office.emit(1).status, 201);
}

TEST(DocumentRoutes, ABlockedAuthorityIsNotCalled)
{
    Office office;
    office.authority.emit_faults = {Fault::throttled};
    const Answer first = office.emit(1);
    EXPECT_TRUE(first.is_problem("autoridade-bloqueada"));
    EXPECT_GT(std::stoi(first.header("Retry-After")), 3000);

    const Answer blocked = office.emit(2);

    EXPECT_EQ(blocked.status, 503);
    EXPECT_TRUE(blocked.is_problem("autoridade-bloqueada")) << blocked;
    EXPECT_GT(std::stoi(blocked.header("Retry-After")), 3000);
    EXPECT_EQ(office.authority.emits, 1);
}

TEST(DocumentRoutes, ACertificateThatCannotBeUsedIsToldBeforeAnythingIsMarked)
{
    Office office;
    office.authority.check_error = "the certificate of 00574753000100 expired";

    const Answer refused = office.emit(1);

    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.is_problem("autoridade-nao-configurada")) << refused;
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "0");
}

TEST(DocumentRoutes, WhatTheBodySaysMustAgreeWithTheXml)
{
    Office office;
    const auto post = [&](const std::string& body) {
        return office.send("POST", "/api/v1/documentos-fiscais", body);
    };

    const Answer other = post(
        R"({"tipo":"nfse-nacional","numero":2,"ambiente":"producao","xml":")" + test_xml(1) +
        R"("})"
    );
    EXPECT_EQ(other.status, 422) << other;
    EXPECT_NE(other.body.find("\"numero\""), std::string::npos);
    EXPECT_NE(other.body.find("\"ambiente\""), std::string::npos);
    EXPECT_EQ(post(R"({"tipo":"nfse-nacional","xml":"<other/>"})").status, 422);
    EXPECT_EQ(post(R"({"tipo":"nfe","xml":"<nfe/>"})").status, 422);
    EXPECT_EQ(post(R"({"tipo":"nfse-nacional"})").status, 422);
    EXPECT_EQ(post(R"({"tipo":"x","xml":"y","typo":1})").status, 422);
    EXPECT_EQ(
        post(
            R"({"tipo":"nfse-nacional","serie":"00001","emitente":"00.574.753/0001-00","numero":1,)"
            R"("ambiente":"homologacao","xml":")" +
            test_xml(1) + R"("})"
        )
            .status,
        201
    );
}

TEST(DocumentRoutes, AKeyBelongsToOneDocument)
{
    Office office;
    EXPECT_EQ(office.emit(1, "10.00", "venda-1").status, 201);

    const Answer again = office.emit(1, "10.00", "venda-1");
    const Answer other = office.emit(2, "10.00", "venda-1");

    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(Office::of(again, "idempotencia_key"), "venda-1");
    EXPECT_EQ(other.status, 409);
    EXPECT_TRUE(other.is_problem("idempotency-key-reused")) << other;
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "1");
}

TEST(DocumentRoutes, AKeyThatComesLaterBelongsToTheDocumentToo)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);
    EXPECT_EQ(office.emit(1, "10.00", "late").status, 200);
    office.authority.emit_faults = {Fault::refused};
    EXPECT_EQ(office.emit(2, "10.00", "refused").status, 422);
    EXPECT_EQ(office.emit(2, "11.00", "corrected").status, 201);

    for (const char* const key : {"late", "refused", "corrected"}) {
        const Answer other = office.emit(3, "10.00", key);
        EXPECT_TRUE(other.is_problem("idempotency-key-reused")) << key << other;
    }
    // Who was refused used up nothing.
    EXPECT_EQ(office.emit(3, "10.00", "third").status, 201);
}

TEST(DocumentRoutes, BytesThatWereRefusedAgainAndAgainAreNotSentAnyMore)
{
    Office office;
    office.authority.emit_faults.resize(20, Fault::refused);
    for (int i = 0; i < equal_refusals_max; ++i) EXPECT_EQ(office.emit(1).status, 422);

    const Answer refused = office.emit(1);

    EXPECT_EQ(refused.status, 422) << refused;
    EXPECT_TRUE(refused.is_problem("documento-rejeitado"));
    EXPECT_EQ(refused["origem"], "cache");
    EXPECT_EQ(office.authority.emits, equal_refusals_max);
    office.authority.emit_faults.clear();
    EXPECT_EQ(office.emit(1, "11.00").status, 201);
}

TEST(DocumentRoutes, ACertificateThatTheAuthorityDoesNotTakeIsNamed)
{
    Office office;
    office.authority.emit_faults = {Fault::certificate};

    const Answer refused = office.emit(1);

    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.is_problem("autoridade-nao-configurada")) << refused;
    EXPECT_NE(refused["detail"].find("00574753000100"), std::string::npos) << refused;
    EXPECT_EQ(refused["effect"], "none");
    EXPECT_EQ(Office::of(refused, "estado"), "RESERVADO");
    EXPECT_EQ(office.authority.emits, 1);
}

TEST(DocumentRoutes, ANumberThatIsTakenMeanwhileIsNotUsedTwice)
{
    Office office;
    bool is_taken = false;
    office.check_number = [&](Transaction&, const TenantId&, const Identidade&, NumberCheck why
                          ) -> Result<std::optional<http::Problem>> {
        if (why == NumberCheck::before_use) is_taken = true;  // between the look and the use
        if (!is_taken) return std::nullopt;
        return http::Problem{.name = "estado-nao-permite"};
    };

    EXPECT_TRUE(office.emit(1).is_problem("estado-nao-permite"));

    EXPECT_EQ(office.authority.emits, 0);
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "0");
}

TEST(DocumentRoutes, ANumberMayHaveToBeReserved)
{
    Office office;
    office.check_number = [](Transaction&, const TenantId&, const Identidade&, NumberCheck
                          ) -> Result<std::optional<http::Problem>> {
        return http::Problem{.name = "estado-nao-permite"};
    };

    EXPECT_EQ(office.emit(1).status, 409);
    EXPECT_EQ(office.authority.emits, 0);
}

TEST(DocumentRoutes, FiftyAtOnceAreOneEmission)
{
    Office office;

    const auto answers = modules::at_once(50, [&](std::size_t) { return office.emit(1); });

    int created = 0;
    for (const Answer& answer : answers) {
        created += answer.status == 201 ? 1 : 0;
        EXPECT_TRUE(
            answer.status == 201 || answer.status == 200 ||
            answer.is_problem("idempotency-in-progress")
        ) << answer;
    }
    EXPECT_EQ(created, 1);
    EXPECT_EQ(office.authority.entry("DPS1").authorisations, 1);
}

TEST(DocumentRoutes, ShowListXmlAndAttempts)
{
    Office office;
    office.authority.emit_faults = {Fault::answer_lost, Fault::none, Fault::refused};
    EXPECT_EQ(office.emit(1).status, 200);
    EXPECT_EQ(office.emit(2).status, 201);
    EXPECT_EQ(office.emit(3).status, 422);

    EXPECT_EQ(office.get("/api/v1/documentos-fiscais/1")["estado"], "AUTORIZADO");
    EXPECT_EQ(office.get("/api/v1/documentos-fiscais/9").status, 404);
    const Answer xml = office.get("/api/v1/documentos-fiscais/1/xml");
    EXPECT_EQ(xml.body, "<nfse>" + test_xml(1) + "</nfse>");
    EXPECT_EQ(office.get("/api/v1/documentos-fiscais/3/xml").body, test_xml(3));
    EXPECT_EQ(office.get("/api/v1/documentos-fiscais/9/xml").status, 404);
    const Answer attempts = office.get("/api/v1/documentos-fiscais/1/tentativas");
    EXPECT_NE(attempts.body.find(R"("operacao":"emitir","tentativa":1)"), std::string::npos)
        << attempts;
    EXPECT_NE(attempts.body.find(R"("palavra":"unknown")"), std::string::npos);
    EXPECT_NE(attempts.body.find(R"("operacao":"consultar")"), std::string::npos);
    const Answer authorised = office.get("/api/v1/documentos-fiscais?estado=AUTORIZADO&limit=1");
    EXPECT_EQ(authorised.status, 200);
    EXPECT_NE(authorised["proximo"], "null");
    EXPECT_NE(
        office.get("/api/v1/documentos-fiscais?chave_acesso=CHAVE-DPS2").body.find(R"("numero":2)"),
        std::string::npos
    );
}

TEST(OrderRoutes, CancelOnceAndTellTheSecond)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);

    const Answer first = office.cancel(1);
    const Answer second = office.cancel(1);

    EXPECT_EQ(first.status, 200) << first;
    EXPECT_EQ(Office::of(first, "estado"), "CANCELADO");
    EXPECT_EQ(first["origem"], "emissao");
    EXPECT_EQ(second["origem"], "cache");
    EXPECT_TRUE(second.is_replay());
    EXPECT_EQ(office.authority.cancels, 1);
    EXPECT_TRUE(office.emit(1).is_problem("estado-nao-permite"));
}

TEST(OrderRoutes, TwoCancelsAtOnceAreOneEvent)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);

    const auto answers = modules::at_once(8, [&](std::size_t) { return office.cancel(1); });

    for (const Answer& answer : answers) {
        EXPECT_TRUE(
            answer.status == 200 || answer.status == 202 ||
            answer.is_problem("idempotency-in-progress")
        ) << answer;
    }
    EXPECT_EQ(office.authority.entry("DPS1").cancellations, 1);
    EXPECT_EQ(office.authority.cancels, 1);
}

TEST(OrderRoutes, ARefusedCancellationLeavesItAuthorised)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);
    office.authority.cancel_faults = {Fault::refused};

    const Answer refused = office.cancel(1);

    EXPECT_EQ(refused.status, 422);
    EXPECT_TRUE(refused.is_problem("cancelamento-recusado")) << refused;
    EXPECT_EQ(Office::of(refused, "estado"), "AUTORIZADO");
}

TEST(OrderRoutes, ACancellationThatIsNotKnownIsAcceptedAndFoundLater)
{
    Settings settings = quick_settings();
    settings.settle = 50min;  // longer than it takes to land
    Office office{settings};
    EXPECT_EQ(office.emit(1).status, 201);
    office.authority.cancel_faults = {Fault::lands_later};

    const Answer doubt = office.cancel(1);
    EXPECT_EQ(doubt.status, 202) << doubt;
    EXPECT_EQ(Office::of(doubt, "estado"), "CANCELAMENTO_PENDENTE");
    office.authority.land();
    const Answer asked = Office::ask_until_known([&office] { return office.conciliar(1); });

    EXPECT_EQ(asked.status, 200) << asked;
    EXPECT_EQ(asked["origem"], "conciliacao");
    EXPECT_EQ(Office::of(asked, "estado"), "CANCELADO");
    EXPECT_EQ(office.authority.cancels, 1);
}

TEST(OrderRoutes, WhoAsksAboutAPendingCancellationDoesNotAskForAnother)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);
    office.authority.cancel_faults = {Fault::analysis};
    EXPECT_EQ(Office::of(office.cancel(1), "estado"), "CANCELAMENTO_EM_ANALISE");

    office.authority.decide_analysis("DPS1", false);
    const Answer asked = Office::ask_until_known([&office] { return office.cancel(1); });

    EXPECT_EQ(asked.status, 422) << asked;
    EXPECT_TRUE(asked.is_problem("cancelamento-recusado"));
    EXPECT_EQ(office.authority.cancels, 1);
    EXPECT_EQ(office.cancel(1).status, 200) << "now it is asked for again";
}

TEST(OrderRoutes, AProcessThatWantsToEndBeginsNothing)
{
    Office office;
    office.module->leave();

    const Answer refused = office.emit(1);

    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused["effect"], "none");
    EXPECT_EQ(office.authority.emits, 0);
}

TEST(OrderRoutes, JustificationsAreAsTheAuthoritiesTakeThem)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);

    for (const char* const body :
         {R"({"justificativa":"curta"})",
          R"({"justificativa":"curta               "})",
          R"({"justificativa":"pedido do cliente — em duplicidade"})"}) {
        const Answer refused = office.send("POST", "/api/v1/documentos-fiscais/1/cancelar", body);
        EXPECT_EQ(refused.status, 422) << body;
        EXPECT_TRUE(refused.is_problem("validation")) << refused;
    }
    EXPECT_EQ(office.authority.cancels, 0);
    EXPECT_EQ(office.cancel(7).status, 404);
}

TEST(OrderRoutes, NumbersOfThisAuthorityAreNotVoided)
{
    Office office;

    const Answer refused = office.send(
        "POST", "/api/v1/documentos-fiscais/inutilizacoes", R"({"tipo":"nfse-nacional"})"
    );

    EXPECT_EQ(refused.status, 422);
    EXPECT_TRUE(refused.is_problem("inutilizacao-nao-oferecida")) << refused;
}

}  // namespace
}  // namespace umavez::fiscal
