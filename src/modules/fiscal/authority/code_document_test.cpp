#include "modules/fiscal/authority/code_document.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace umavez::fiscal {
namespace {

TEST(CodeDocument, IsWhatTheTablesSay)
{
    std::ifstream file{UMAVEZ_DOCS_DIR "/reference/fiscal-codes.md"};
    ASSERT_TRUE(file.is_open());
    std::stringstream text;
    text << file.rdbuf();

    EXPECT_EQ(text.str(), codes_markdown())
        << "umavez fiscal codes --markdown > docs/reference/fiscal-codes.md";
}

TEST(CodeDocument, EveryWordAndEveryCallHasAText)
{
    for (const Word word : all_words()) EXPECT_FALSE(describe(word).empty()) << to_text(word);
    for (const CodeTable& table : code_tables()) {
        EXPECT_FALSE(table.rows.empty());
        for (const CodeRow& row : table.rows) EXPECT_FALSE(calls_text(row.calls).empty());
    }
    EXPECT_EQ(calls_text(of(Call::emit, Call::receipt)), "emit, receipt");
    EXPECT_EQ(calls_text(any_call), "any");
}

}  // namespace
}  // namespace umavez::fiscal
