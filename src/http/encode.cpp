#include "http/encode.hpp"

#include "base/char_set.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace umavez::http {
namespace {

std::string_view phrase_of(int status) noexcept
{
    switch (status) {
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 205: return "Reset Content";
        case 301: return "Moved Permanently";
        case 302: return "Found";
        case 303: return "See Other";
        case 304: return "Not Modified";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 410: return "Gone";
        case 412: return "Precondition Failed";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 422: return "Unprocessable Content";
        case 428: return "Precondition Required";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        case 505: return "HTTP Version Not Supported";
        default: return "";
    }
}

bool is_of_the_server(std::string_view name) noexcept
{
    switch (name.size()) {
        case 4: return is_same_header(name, "Date");
        case 10: return is_same_header(name, "Connection") || is_same_header(name, "Keep-Alive");
        case 12: return is_same_header(name, "X-Request-Id");
        case 14: return is_same_header(name, "Content-Length");
        case 17: return is_same_header(name, "Transfer-Encoding");
        default: return false;
    }
}

constexpr CharSet of_a_line{[](unsigned char byte) {
    return byte != '\r' && byte != '\n' && byte != '\0';
}};
constexpr CharSet of_a_name{[](unsigned char byte) {
    return byte != ':' && of_a_line.has(static_cast<char>(byte));
}};

bool keeps_its_line(const Header& header) noexcept
{
    return !header.name.empty() && of_a_name.has_all(header.name) &&
           of_a_line.has_all(header.value);
}

bool has_no_body(int status) noexcept
{
    return status < 200 || status == 204 || status == 205 || status == 304;
}

// 205 says that there is nothing, the others need not.
bool tells_length(int status) noexcept
{
    return !has_no_body(status) || status == 205;
}

void append_number(std::string& out, std::size_t number)
{
    const fmt::format_int digits{number};
    out.append(digits.data(), digits.size());
}

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out.append(name).append(": ").append(value).append("\r\n");
}

void put_two_digits(std::string& text, std::size_t at, unsigned number)
{
    text[at] = static_cast<char>('0' + number / 10);
    text[at + 1] = static_cast<char>('0' + number % 10);
}

}  // namespace

void append_head(std::string& out, const Response& response, const Delivery& delivery)
{
    out += "HTTP/1.1 ";
    append_number(out, static_cast<std::size_t>(response.status));
    out.append(" ").append(phrase_of(response.status)).append("\r\n");
    for (const Header& header : response.headers) {
        if (is_of_the_server(header.name) || !keeps_its_line(header)) continue;
        append_field(out, header.name, header.value);
    }
    thread_local HttpDate date;
    append_field(out, "Date", date.at(delivery.now));
    if (!delivery.request_id.empty()) append_field(out, "X-Request-Id", delivery.request_id);
    if (tells_length(response.status)) {
        out += "Content-Length: ";
        append_number(out, has_no_body(response.status) ? 0 : response.body.size());
        out += "\r\n";
    }
    append_field(out, "Connection", delivery.keep_alive ? "keep-alive" : "close");
    out += "\r\n";
}

const std::string& HttpDate::at(Instant instant)
{
    const auto asked = std::chrono::floor<std::chrono::seconds>(instant);
    if (text_.empty() || asked != second_) {
        text_ = to_http_date(instant);
        second_ = asked;
    }
    return text_;
}

bool sends_body(const Response& response, const Delivery& delivery) noexcept
{
    return !delivery.is_head && !has_no_body(response.status) && !response.body.empty();
}

// By hand: formatting by a pattern took a tenth of a protected request.
std::string to_http_date(Instant instant)
{
    constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(instant - day)};
    const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
    std::string text = "day, dd mon yyyy hh:mm:ss GMT";
    text.replace(0, 3, days[std::chrono::weekday{day}.c_encoding()]);
    put_two_digits(text, 5, static_cast<unsigned>(date.day()));
    text.replace(8, 3, months[static_cast<unsigned>(date.month()) - 1]);
    put_two_digits(text, 12, year / 100 % 100);
    put_two_digits(text, 14, year % 100);
    put_two_digits(text, 17, static_cast<unsigned>(time.hours().count()));
    put_two_digits(text, 20, static_cast<unsigned>(time.minutes().count()));
    put_two_digits(text, 23, static_cast<unsigned>(time.seconds().count()));
    return text;
}

}  // namespace umavez::http
