#pragma once

// A file of any size to a server, as a form (RFC 7578): read from the disk while it is sent. Blocks;
// thread-safe.

#include "operators/desk.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace umavez {

struct FileUpload {
    std::string url;    // "http://127.0.0.1:8080/api/v1/mailings"
    std::string token;  // may be empty
    std::string path;
    std::string filename;                                     // what the server calls it
    std::vector<std::pair<std::string, std::string>> fields;  // beside the file
};

// store_unavailable: nothing was sent. store_unknown: no whole answer came.
Result<operators::Reply> upload_file(
    const FileUpload& upload,
    const std::function<void(std::int64_t sent, std::int64_t total)>& on_progress
);

}  // namespace umavez
