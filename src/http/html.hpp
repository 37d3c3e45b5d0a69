#pragma once

// HTML of our own pages: escaping, and the frame around the content. No page loads anything from
// elsewhere. Pure, thread-safe.

#include "http/message.hpp"

#include <string>
#include <string_view>

namespace umavez::http {

// Safe inside elements and quoted attributes.
std::string escaped(std::string_view text);

// Escaped, with what stands between `backticks` as code.
std::string to_html(std::string_view text);

// A whole page. Without a style of its own it has the common one.
struct Page {
    std::string_view title;
    std::string_view content;
    std::string_view head = {};  // instead of the common style: links to what this server serves
    std::string_view policy = "default-src 'none'; style-src 'unsafe-inline'";
};
Response page_response(const Page& page);

}  // namespace umavez::http
