#pragma once

// A directory that goes with its object, unless the test failed: then it stays as evidence.
// Confined to the test.

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

namespace umavez::crash {

class TemporaryDirectory {
public:
    TemporaryDirectory()
    {
        std::string pattern = ::testing::TempDir() + "umavez-crash-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::system_error{errno, std::generic_category(), pattern};
        }
        path_ = pattern;
    }
    ~TemporaryDirectory()
    {
        if (::testing::Test::HasFailure()) {
            std::cout << "evidence: " << path_ << '\n';
            return;
        }
        std::error_code ignored;  // what cannot be removed stays, and nothing depends on it
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace umavez::crash
