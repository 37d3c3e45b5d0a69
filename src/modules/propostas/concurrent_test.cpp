// Many at once: one row, one winner.

#include "modules/propostas/test_office.hpp"

namespace umavez::propostas {
namespace {

using modules::at_once;
using modules::until_answered;

TEST(Concurrent, IdenticalRequestsMakeOneClient)
{
    Office office;
    std::atomic<bool> is_unsure = false;

    const auto answers = at_once(50, [&](std::size_t) {
        const auto send = [&] { return office.post("/api/v1/clientes", "k", Office::joao); };
        return until_answered(send, &is_unsure);
    });

    int created = 0;
    for (const Answer& answer : answers) {
        if (answer.status == 201) {
            ++created;
        } else {
            EXPECT_EQ(answer.status, 200) << answer;
            EXPECT_TRUE(answer.is_replay());
        }
        EXPECT_EQ(answer["id"], "1");
    }
    EXPECT_TRUE(created == 1 || (created == 0 && is_unsure)) << created;
    EXPECT_EQ(office.ask("SELECT count(*) FROM clientes"), "1");
}

TEST(Concurrent, OfTwoWhoSawTheSameVersionOneIsTold)
{
    Office office;
    office.open_draft();

    const auto answers = at_once(8, [&](std::size_t i) {
        return until_answered([&] {
            return office.patch(
                "/api/v1/propostas/1", "k" + std::to_string(i), R"({"valor":9,"versao":1})"
            );
        });
    });

    int changed = 0;
    for (const Answer& answer : answers) {
        if (answer.status == 200) {
            ++changed;
        } else {
            EXPECT_TRUE(answer.is_problem("version-conflict")) << answer;
        }
    }
    EXPECT_EQ(changed, 1);
    EXPECT_EQ(office.get("/api/v1/propostas/1")["versao"], "2");
}

}  // namespace
}  // namespace umavez::propostas
