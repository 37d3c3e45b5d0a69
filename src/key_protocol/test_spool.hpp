#pragma once

// A body in a file, for tests of what is done with uploads. Thread-safe.

#include "http/spooled_body.hpp"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace umavez::key_protocol {

inline std::shared_ptr<const http::SpooledBody> spooled(
    std::string_view text,
    const std::string& folder = std::filesystem::temp_directory_path().string()
)
{
    auto file = File::make_unnamed(folder);
    if (!file || !file->append(text)) throw std::runtime_error("no file for the test");
    return std::make_shared<const http::SpooledBody>(*std::move(file), text.size());
}

}  // namespace umavez::key_protocol
