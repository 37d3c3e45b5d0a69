#pragma once

// A loop around libcurl's own SMTP transfer, one handle and so one connection, and nothing else: no
// ledger, no template, no lock. Failures throw.

#include <cstddef>
#include <string>

namespace umavez::bench {

// Seconds for `count` messages of `content`.
double send_by_curl(const std::string& smtp_url, const std::string& content, std::size_t count);

}  // namespace umavez::bench
