#include "modules/fiscal/simulator/ledger.hpp"

#include "modules/fiscal/simulator/book.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace umavez::fiscal::simulator {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const Instant t0 = from_micros(1'772'551'057'000'000);

const RequestSeen seen{
    .at = t0,
    .number = 1,
    .call = Call::emitir,
    .documento = "DPS1",
    .sha256 = "ab",
    .fault = "slow"
};
const Authorised authorised{
    .at = t0,
    .documento = "DPS1",
    .chave = "123",
    .numero = 7,
    .inscricao = "00574753000100",
    .sha256 = "ab",
    .xml = "<DPS>\n\"ção\"</DPS>",
    .substitui = "122",
};
const EventRegistered cancelled{
    .at = t0, .chave = "123", .tipo = "101101", .pedido = "<pedRegEvento/>"
};

const Authorised nfe{
    .at = t0,
    .documento = "NFe350057475300010055001000000042",
    .chave = "35",
    .numero = 42,
    .inscricao = "00574753000100",
    .sha256 = "cd",
    .xml = "<NFe/>",
    .protocolo = "135260000000001",
    .cstat = "100",
    .digest = "abc=",
};
const Received received{
    .at = t0, .recibo = "351", .documento = nfe.documento, .chave = "35", .xml = "<enviNFe/>"
};
const EventRegistered substituted{
    .at = t0,
    .chave = "35",
    .tipo = "110112",
    .pedido = "<envEvento/>",
    .protocolo = "135260000000002",
    .cstat = "135",
    .substituta = "36",
};
const Voided voided{
    .at = t0,
    .id = "ID35260057475300010055001000000010000000012",
    .primeiro = 10,
    .ultimo = 12,
    .protocolo = "135260000000003",
    .pedido = "<inutNFe/>",
};

class LedgerFile : public testing::Test {
protected:
    Result<Ledger> open()
    {
        events_.clear();
        return Ledger::open(path_, events_);
    }
    void write(std::string_view bytes) const { std::ofstream{path_, std::ios::app} << bytes; }

    test::TemporaryFolder folder_;
    std::string path_ = folder_.path() + "/ledger.jsonl";
    std::vector<LedgerEvent> events_;
};

TEST_F(LedgerFile, IsReadBackAsItWasWritten)
{
    {
        auto ledger = open();
        for (const LedgerEvent& event :
             {LedgerEvent{seen}, LedgerEvent{authorised}, LedgerEvent{cancelled}}) {
            ASSERT_TRUE(ledger->append({&event, 1}).has_value());
        }
    }

    const auto again = open();

    ASSERT_TRUE(again.has_value());
    ASSERT_THAT(events_, SizeIs(3));
    EXPECT_EQ(std::get<RequestSeen>(events_[0]), seen);
    EXPECT_EQ(std::get<Authorised>(events_[1]), authorised);
    EXPECT_EQ(std::get<EventRegistered>(events_[2]), cancelled);
}

TEST_F(LedgerFile, LinesOfSefazAreReadBackToo)
{
    const std::vector<LedgerEvent> lines{nfe, received, substituted, voided};
    {
        auto ledger = open();
        for (const LedgerEvent& event : lines) ASSERT_TRUE(ledger->append({&event, 1}).has_value());
    }

    ASSERT_TRUE(open().has_value());

    EXPECT_EQ(events_, lines);
    EXPECT_THAT(to_line(nfe), HasSubstr(R"("documento":"NFe350057475300010055001000000042")"));
    EXPECT_THAT(to_line(authorised), HasSubstr(R"("id_dps":"DPS1")"));
}

TEST_F(LedgerFile, LineWithoutAnEndWasNeverAnswered)
{
    write(to_line(authorised) + "\n" + to_line(cancelled).substr(0, 30));

    {
        auto ledger = open();
        ASSERT_TRUE(ledger.has_value());
        EXPECT_THAT(events_, SizeIs(1));
        ASSERT_TRUE(ledger->append(std::vector<LedgerEvent>{cancelled}).has_value());
    }

    ASSERT_TRUE(open().has_value());
    EXPECT_THAT(events_, SizeIs(2));
}

TEST_F(LedgerFile, UnreadableLineIsNotPassedOver)
{
    write(to_line(authorised) + "\n{\"event\":\"authorised\"}\n");

    const auto ledger = open();

    ASSERT_FALSE(ledger.has_value());
    EXPECT_THAT(ledger.error().detail, HasSubstr("line 2"));
}

TEST_F(LedgerFile, BelongsToOneSimulator)
{
    const auto first = open();

    const auto second = open();

    ASSERT_FALSE(second.has_value());
    EXPECT_THAT(second.error().detail, HasSubstr("another simulator"));
}

TEST(Book, CountsLinesAndNothingElse)
{
    Book book;
    book.apply(seen);
    book.apply(authorised);
    book.apply(authorised);
    book.apply(cancelled);

    EXPECT_THAT(book.to_json("DPS1"), HasSubstr(R"("DPS1":{"authorisations":2,"chave":"123")"));
    EXPECT_THAT(book.stats_json(), HasSubstr(R"("authorised":1,"authorised_twice":1,)"));
    EXPECT_EQ(book.last_numero("00574753000100"), 7U);
    EXPECT_TRUE(book.find_by_chave("123")->is_cancelled());
    EXPECT_EQ(book.find_by_chave("122"), nullptr);
}

TEST(Book, KnowsNumbersThatAreUsedOrVoided)
{
    const auto range = [](int first, int last) {
        return fmt::format("ID35260057475300010055001{:09}{:09}", first, last);
    };
    Book book;
    book.apply(nfe);
    book.apply(voided);

    EXPECT_TRUE(book.is_range_used(range(42, 42)));
    EXPECT_TRUE(book.is_range_used(range(1, 100)));
    EXPECT_FALSE(book.is_range_used(range(43, 100)));
    EXPECT_EQ(book.find_voided(range(12, 20))->protocolo, voided.protocolo);
    EXPECT_EQ(book.find_voided(range(13, 20)), nullptr);
    EXPECT_EQ(book.protocols(), 2U);
}

}  // namespace
}  // namespace umavez::fiscal::simulator
