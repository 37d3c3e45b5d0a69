#pragma once

// The bytes of a response's head. Pure, thread-safe.

#include "http/message.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace umavez::http {

struct Delivery {
    Instant now;
    std::string_view request_id;
    bool keep_alive = true;
    bool is_head = false;  // the answer to HEAD tells the length of a body that does not follow
};

// Appends status line and headers with their empty line. Date, Content-Length, Connection and
// X-Request-Id are the server's own; a handler's are dropped. A header that would break its line is
// dropped too.
void append_head(std::string& out, const Response& response, const Delivery& delivery);

// Whether the body follows the head.
bool sends_body(const Response& response, const Delivery& delivery) noexcept;

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string to_http_date(Instant instant);

// The same for who asks again and again, mostly within one second. Confined to a thread.
class HttpDate {
public:
    const std::string& at(Instant instant);

private:
    std::chrono::sys_seconds second_{};
    std::string text_;
};

}  // namespace umavez::http
