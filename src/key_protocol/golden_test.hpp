#pragma once

// Answers as clients see them, compared with files under golden/. A change of such a file is a
// change of the API and is reviewed as one; UMAVEZ_BLESS=1 writes them anew. Confined to the thread
// of the tests.

#include "http/message.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace umavez::key_protocol {

inline std::string to_golden(const http::Response& answer)
{
    std::string text = std::to_string(answer.status) + "\n";
    for (const Header& header : answer.headers) text += header.name + ": " + header.value + "\n";
    return text + "\n" + answer.body;
}

inline void expect_golden(const std::string& name, const http::Response& answer)
{
    const std::filesystem::path file = std::filesystem::path{UMAVEZ_KEY_PROTOCOL_GOLDEN} / name;
    const std::string actual = to_golden(answer);
    if (std::getenv("UMAVEZ_BLESS") != nullptr) std::ofstream{file} << actual;
    std::stringstream expected;
    expected << std::ifstream{file}.rdbuf();
    EXPECT_EQ(actual, expected.str())
        << "golden/" << name << " differs; UMAVEZ_BLESS=1 rewrites it";
}

}  // namespace umavez::key_protocol
