#include "database/postgres/statement_kind.hpp"

#include <algorithm>
#include <array>

namespace umavez::pg {
namespace {

char upper(char c) noexcept
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool is_letter(char c) noexcept
{
    return upper(c) >= 'A' && upper(c) <= 'Z';
}

// Past spaces, comments and opening parentheses.
std::string_view skip(std::string_view sql)
{
    while (!sql.empty()) {
        if (sql.starts_with("--")) {
            sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
        } else if (sql.starts_with("/*")) {
            int depth = 0;  // PostgreSQL's comments nest
            do {
                if (sql.starts_with("/*")) {
                    ++depth;
                    sql.remove_prefix(2);
                } else if (sql.starts_with("*/")) {
                    --depth;
                    sql.remove_prefix(2);
                } else {
                    sql.remove_prefix(1);
                }
            } while (depth > 0 && !sql.empty());
        } else if (is_letter(sql.front())) {
            break;
        } else {
            sql.remove_prefix(1);
        }
    }
    return sql;
}

std::string first_word(std::string_view sql)
{
    std::string word;
    for (const char c : skip(sql)) {
        if (!is_letter(c)) break;
        word += upper(c);
    }
    return word;
}

bool contains_words(std::string_view sql, std::string_view words)
{
    const auto equal = [](char a, char b) { return upper(a) == b; };
    return !std::ranges::search(sql, words, equal).empty();
}

}  // namespace

bool is_ours_alone(std::string_view sql)
{
    static constexpr std::array words = {
        "BEGIN",
        "START",
        "COMMIT",
        "END",
        "ABORT",
        "ROLLBACK",
        "SAVEPOINT",
        "RELEASE",
        "PREPARE",
        "EXECUTE",
        "SET",
        "DEALLOCATE",
        "RESET",
        "DISCARD",
        "LISTEN",
        "NOTIFY",
        "COPY",
        "DECLARE",
        "UNLISTEN"
    };
    const std::string word = first_word(sql);
    return std::ranges::any_of(words, [&](std::string_view ours) { return ours == word; });
}

bool only_reads(std::string_view sql)
{
    return first_word(sql) == "SELECT";
}

Result<std::string> returning_id(std::string_view sql)
{
    if (contains_words(sql, "DO UPDATE") || contains_words(sql, "RETURNING")) {
        return fail(
            Errc::invalid_argument,
            "insert() is for a row that is new, in a table with an integer id: " + std::string{sql}
        );
    }
    while (!sql.empty() && (sql.back() == ';' || sql.back() == ' ' || sql.back() == '\n')) {
        sql.remove_suffix(1);
    }
    return std::string{sql} + " RETURNING id";
}

}  // namespace umavez::pg
