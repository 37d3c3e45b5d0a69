// Mailings and their entries as clients see them.

#include "modules/mailing/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::mailing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// "a b c": the values of a member, in the order of the page.
std::string values_of(const Answer& page, std::string_view name)
{
    std::string values;
    const auto tree = JsonTree::parse(page.body);
    const auto items = tree ? tree->root().find("itens") : std::nullopt;
    if (!items) return page.body;
    for (const JsonValue item : items->elements()) {
        if (!values.empty()) values += ' ';
        const auto value = item.find(name);
        values += value && value->kind() == JsonKind::string   ? value->string()
                  : value && value->kind() == JsonKind::number ? value->number()
                                                               : "?";
    }
    return values;
}

TEST(Mailings, OneIsShownWithItsCounts)
{
    Office office;
    const std::string id = office.add_mailing("m1", "PROCESSING");
    office.add_entry(id, "ana@example.com", "SENT");
    office.add_entry(id, "bia@example.com", "PENDING");

    const Answer shown = office.get("/api/v1/mailings/m1");

    EXPECT_EQ(shown.status, 200) << shown;
    EXPECT_EQ(shown["mailingId"], "m1");
    EXPECT_EQ(shown["filename"], "m1.csv");
    EXPECT_EQ(shown["status"], "PROCESSING");
    EXPECT_EQ(shown["assunto"], "Olá {{nome}}");
    EXPECT_EQ(shown["incerteza"], "no-maximo-uma");
    EXPECT_EQ(shown["ingested"], "false");
    EXPECT_EQ(shown["lastAttempt"], "null");
    EXPECT_EQ(shown["createdAt"], "1970-01-01T00:00:01.000000Z");
    EXPECT_THAT(
        shown.body,
        HasSubstr(R"("counts":{"entries":2,"duplicates":0,"invalid":0,"pending":1,"sent":1,)"
                  R"("failed":0,"unknown":0})")
    );
}

TEST(Mailings, TenantsDoNotSeeEachOthers)
{
    Office office;
    office.add_mailing("m1", "DRAFT", false, "acme");
    office.add_mailing("m2", "DRAFT");

    EXPECT_EQ(office.get("/api/v1/mailings/m1").status, 404);
    EXPECT_EQ(office.get("/api/v1/mailings/m1/entries").status, 404);
    EXPECT_EQ(office.order("m1", "cancelar").status, 404);
    EXPECT_EQ(office.send("PATCH", "/api/v1/mailings/m1", R"({"assunto":"x"})").status, 404);
    EXPECT_EQ(values_of(office.get("/api/v1/mailings"), "mailingId"), "m2");
}

TEST(Mailings, ListsAreFilteredAndPaged)
{
    Office office;
    office.add_mailing("m1", "QUEUED");
    office.add_mailing("m2", "COMPLETED");
    office.add_mailing("m3", "QUEUED");

    const Answer first = office.get("/api/v1/mailings?limit=2");
    const Answer second = office.get("/api/v1/mailings?limit=2&cursor=" + first["proximo"]);

    EXPECT_EQ(values_of(first, "mailingId"), "m1 m2");
    EXPECT_EQ(values_of(second, "mailingId"), "m3");
    EXPECT_EQ(second["proximo"], "null");
    EXPECT_EQ(values_of(office.get("/api/v1/mailings?status=QUEUED"), "mailingId"), "m1 m3");
    EXPECT_EQ(office.get("/api/v1/mailings?status=LOST").status, 422);
}

TEST(Entries, AreListedInTheOrderOfTheFileWhateverTheirStatus)
{
    Office office;
    const std::string other = office.add_mailing("m0", "PROCESSING");
    office.add_entry(other, "x@example.com", "SENT");
    const std::string id = office.add_mailing("m1", "PROCESSING");
    office.add_entry(id, "a@example.com", "SENT");
    office.add_entry(id, "b@example.com", "PENDING");
    office.add_entry(id, "c@example.com", "UNKNOWN", true);
    office.add_entry(id, "d@example.com", "SENT", true);
    office.add_entry(id, "e@example.com", "FAILED");
    office.add_entry(id, "f@example.com", "SENDING");
    const std::string path = "/api/v1/mailings/m1/entries";

    const Answer first = office.get(path + "?limit=4");
    const Answer second = office.get(path + "?limit=4&cursor=" + first["proximo"]);
    const Answer sent = office.get(path + "?status=SENT");
    const Answer uncertain = office.get(path + "?uncertain=true");

    EXPECT_EQ(values_of(first, "status"), "SENT PENDING UNKNOWN SENT");
    EXPECT_EQ(values_of(first, "line"), "2 3 4 5");
    EXPECT_EQ(values_of(second, "email"), "e@example.com f@example.com");
    EXPECT_EQ(second["proximo"], "null");
    EXPECT_THAT(second.body, HasSubstr(R"("error":"550 no such user","uncertain":false)"));
    EXPECT_EQ(values_of(sent, "email"), "a@example.com d@example.com");
    EXPECT_EQ(values_of(uncertain, "email"), "c@example.com d@example.com");
    EXPECT_EQ(
        values_of(office.get(path + "?uncertain=true&status=UNKNOWN"), "email"), "c@example.com"
    );
    EXPECT_THAT(first.body, Not(HasSubstr("segredo")));
    EXPECT_EQ(office.get(path + "?uncertain=perhaps").status, 422);
}

TEST(Entries, InvalidLinesAreListedWithTheirReason)
{
    Office office;
    const std::string id = office.add_mailing("m1", "PROCESSING");
    for (const char* const line : {"9", "4", "6"}) {
        office.sql(fmt::format(
            "INSERT INTO mailing_invalid_lines (tenant_id, mailing_id, line, content, reason) "
            "VALUES ('default', {}, {}, 'bia at home', 'sem @')",
            id,
            line
        ));
    }

    const Answer first = office.get("/api/v1/mailings/m1/entries?status=INVALID&limit=2");
    const Answer second =
        office.get("/api/v1/mailings/m1/entries?status=INVALID&limit=2&cursor=" + first["proximo"]);

    EXPECT_EQ(values_of(first, "line"), "4 6");
    EXPECT_EQ(values_of(second, "line"), "9");
    EXPECT_THAT(
        first.body,
        HasSubstr(R"({"line":4,"content":"bia at home","reason":"sem @","status":"INVALID"})")
    );
}

}  // namespace
}  // namespace umavez::mailing
