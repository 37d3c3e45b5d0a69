// Asking what became of a document: POST …/conciliar, and a POST of what the authority holds.

#include "modules/fiscal/test_office.hpp"

namespace umavez::fiscal {
namespace {

TEST(ReconcileRoutes, AnAuthorisedDocumentIsVerified)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);
    EXPECT_EQ(office.conciliar(1)["origem"], "conciliacao");

    office.authority.cancel_behind("DPS1");
    const Answer asked = office.conciliar(1);

    EXPECT_EQ(asked.status, 200) << asked;
    EXPECT_EQ(Office::of(asked, "estado"), "CANCELADO");
}

TEST(ReconcileRoutes, ARejectedDocumentIsAskedAboutAndIsNoSuccess)
{
    Office office;
    office.authority.emit_faults = {Fault::refused};
    EXPECT_EQ(office.emit(1).status, 422);

    const Answer asked = office.conciliar(1);

    EXPECT_EQ(asked.status, 200) << asked;
    EXPECT_EQ(asked["sucesso"], "false");
    EXPECT_EQ(asked["effect"], "none");
    EXPECT_EQ(asked["origem"], "conciliacao");
    EXPECT_EQ(Office::of(asked, "estado"), "REJEITADO");
    EXPECT_EQ(office.authority.consults, 1);
}

TEST(ReconcileRoutes, ARejectedDocumentThatTheAuthorityHasAfterAllIsAuthorised)
{
    Office office;
    office.authority.emit_faults = {Fault::refused};
    EXPECT_EQ(office.emit(1).status, 422);
    office.authority.ledger["DPS1"] = {
        .xml = test_xml(1), .chave = "CHAVE-DPS1", .authorisations = 1
    };

    const Answer asked = office.conciliar(1);

    EXPECT_EQ(asked.status, 200) << asked;
    EXPECT_EQ(asked["sucesso"], "true");
    EXPECT_EQ(Office::of(asked, "estado"), "AUTORIZADO");
    EXPECT_EQ(Office::of(asked, "alerta"), describe(Concern::done_elsewhere));
    EXPECT_EQ(office.emit(1)["origem"], "cache");
}

TEST(ReconcileRoutes, ADoubtIsLookedIntoAtOnce)
{
    Office office;
    office.authority.settles_after = 50min;
    office.authority.emit_faults = {Fault::lands_later};
    EXPECT_EQ(office.emit(1).status, 202);
    const int before = office.authority.consults;
    EXPECT_EQ(office.conciliar(1).status, 202);
    EXPECT_EQ(office.authority.consults, before + 1);

    office.authority.land();
    const Answer asked = office.conciliar(1);

    EXPECT_EQ(asked.status, 200) << asked;
    EXPECT_EQ(Office::of(asked, "estado"), "AUTORIZADO");
    EXPECT_EQ(office.authority.emits, 1);
}

TEST(ReconcileRoutes, AnAuthorityThatDoesNotAnswerIsNoAnswer)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);
    office.authority.consult_faults = {Fault::request_lost, Fault::certificate};

    const Answer away = office.conciliar(1);
    const Answer refused = office.conciliar(1);

    EXPECT_TRUE(away.is_problem("autoridade-indisponivel")) << away;
    EXPECT_TRUE(refused.is_problem("autoridade-nao-configurada")) << refused;
}

TEST(ReconcileRoutes, AStrangersDocumentIsSettledByItsOwnBytes)
{
    Office office;
    office.authority.dedupes = true;
    office.authority.ledger["DPS1"] = {
        .xml = test_xml(1, "theirs"), .chave = "CHAVE-DPS1", .authorisations = 1
    };
    const Answer ours = office.emit(1, "ours");
    EXPECT_EQ(ours.status, 202) << ours;
    EXPECT_EQ(Office::of(ours, "alerta"), describe(Concern::not_ours));

    EXPECT_TRUE(office.emit(1, "others").is_problem("documento-em-duvida"));
    const Answer theirs = office.emit(1, "theirs");

    EXPECT_EQ(theirs.status, 200) << theirs;
    EXPECT_EQ(theirs["origem"], "conciliacao");
    EXPECT_EQ(Office::of(theirs, "estado"), "AUTORIZADO");
    EXPECT_EQ(Office::of(theirs, "xml_sha256"), to_hex(sha256(test_xml(1, "theirs"))));
    EXPECT_EQ(office.emit(1, "theirs")["origem"], "cache");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_records WHERE status = 'succeeded'"), "1");
}

}  // namespace
}  // namespace umavez::fiscal
