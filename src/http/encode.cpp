#include "http/encode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

namespace umavez::http {
namespace {

std::string_view phrase_of(int status) noexcept
{
    switch (status) {
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 304: return "Not Modified";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 412: return "Precondition Failed";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 422: return "Unprocessable Content";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 503: return "Service Unavailable";
        case 505: return "HTTP Version Not Supported";
        default: return "";
    }
}

bool is_of_the_server(std::string_view name) noexcept
{
    constexpr std::array<std::string_view, 6> names{
        "Date", "Content-Length", "Connection", "X-Request-Id", "Transfer-Encoding", "Keep-Alive"
    };
    return std::ranges::any_of(names, [name](std::string_view own) {
        return is_same_header(name, own);
    });
}

bool keeps_its_line(const Header& header) noexcept
{
    const auto is_unsafe = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
    return !header.name.empty() && header.name.find(':') == std::string::npos &&
           std::ranges::none_of(header.name, is_unsafe) &&
           std::ranges::none_of(header.value, is_unsafe);
}

bool has_no_body(int status) noexcept
{
    return status < 200 || status == 204 || status == 304;
}

}  // namespace

std::string encode_head(const Response& response, const Delivery& delivery)
{
    std::string head;
    head.reserve(256);
    auto out = std::back_inserter(head);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\n", response.status, phrase_of(response.status));
    for (const Header& header : response.headers) {
        if (is_of_the_server(header.name) || !keeps_its_line(header)) continue;
        fmt::format_to(out, "{}: {}\r\n", header.name, header.value);
    }
    fmt::format_to(out, "Date: {}\r\n", to_http_date(delivery.now));
    if (!delivery.request_id.empty())
        fmt::format_to(out, "X-Request-Id: {}\r\n", delivery.request_id);
    if (!has_no_body(response.status)) {
        fmt::format_to(out, "Content-Length: {}\r\n", response.body.size());
    }
    fmt::format_to(out, "Connection: {}\r\n\r\n", delivery.keep_alive ? "keep-alive" : "close");
    return head;
}

bool sends_body(const Response& response, const Delivery& delivery) noexcept
{
    return !delivery.is_head && !has_no_body(response.status) && !response.body.empty();
}

std::string to_http_date(Instant instant)
{
    constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(instant - day)};
    return fmt::format(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        days[std::chrono::weekday{day}.c_encoding()],
        static_cast<unsigned>(date.day()),
        months[static_cast<unsigned>(date.month()) - 1],
        static_cast<int>(date.year()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count()
    );
}

}  // namespace umavez::http
