#pragma once

// Whole answers as clients see them, compared with files under golden/. A change of such a file is
// a change of the API; UMAVEZ_BLESS=1 writes them anew. Confined to the thread of the tests.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace umavez::functional {

// Without what differs from run to run.
inline std::string without_time(std::string text)
{
    static const std::regex instant{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)"};
    static const std::regex date{R"((\r\n(?:Date|Idempotency-Key-Expires): )[^\r]*)"};
    text = std::regex_replace(text, instant, "<instant>");
    text = std::regex_replace(text, date, "$1<date>");
    std::erase(text, '\r');
    return text;
}

inline void expect_golden(const std::string& name, const std::string& answer)
{
    const std::filesystem::path file = std::filesystem::path{UMAVEZ_FUNCTIONAL_GOLDEN} / name;
    const std::string actual = without_time(answer);
    if (std::getenv("UMAVEZ_BLESS") != nullptr) std::ofstream{file} << actual;
    std::stringstream expected;
    expected << std::ifstream{file}.rdbuf();
    EXPECT_EQ(actual, expected.str())
        << "golden/" << name << " differs; UMAVEZ_BLESS=1 rewrites it";
}

}  // namespace umavez::functional
