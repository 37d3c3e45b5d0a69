// `umavez fiscal codes`: what the codes of authorities mean, from the tables that decide.

#include "app/commands.hpp"
#include "app/people.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/authority/code_document.hpp"

#include <fmt/format.h>

namespace umavez {
namespace {

int run(const Invocation& invocation)
{
    if (invocation.has("--markdown")) {
        fmt::print("{}", fiscal::codes_markdown());
        return exit_done;
    }
    const std::string code = invocation.find("--code").value_or("");
    std::vector<std::vector<Cell>> rows;
    for (const fiscal::CodeTable& table : fiscal::code_tables()) {
        for (const fiscal::CodeRow& row : table.rows) {
            if (!code.empty() && row.code != code) continue;
            rows.push_back({
                {std::string{table.authority}},
                {std::string{row.code}},
                {fiscal::calls_text(row.calls)},
                {std::string{to_text(row.word)}},
                {std::string{row.meaning}},
                {std::string{describe(row.word)}},
            });
        }
    }
    if (rows.empty()) {
        return complain(fmt::format(
            "the code \"{}\" is in no table: of 201 to 998 and of the form E0000 it is a refusal, "
            "everything else is unknown and asked about",
            shown(code)
        ));
    }
    fmt::print("{}", to_columns({"AUTHORITY", "CODE", "ANSWERS", "WORD", "MEANING", "THEN"}, rows));
    return exit_done;
}

}  // namespace

Command fiscal_codes_command()
{
    return {
        .name = "fiscal codes",
        .summary = "What the codes of authorities mean, and what is done then",
        .example = "umavez fiscal codes --code 539\n  umavez fiscal codes",
        .options =
            {{"--code", "CODE", "this one alone"},
             {"--markdown", "", "all of them, as docs/reference/fiscal-codes.md has them"}},
        .takes_settings = false,
        .argument = {},
        .run = run,
    };
}

}  // namespace umavez
