#include "fuzz/reference_http.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <zlib.h>

namespace umavez::reference {
namespace {

struct Refused {};
struct Waiting {};

constexpr std::string_view crlf = "\r\n";

bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_tchar(char c)
{
    return is_alnum(c) || (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool is_field_char(char c)
{
    const int byte = static_cast<unsigned char>(c);
    return byte == 9 || (byte >= 32 && byte != 127);
}

bool is_number(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string lower(std::string text)
{
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    return text;
}

std::string without_blanks(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> split(const std::string& text, std::string_view separator)
{
    std::vector<std::string> pieces;
    std::size_t begin = 0;
    for (std::size_t at = text.find(separator); at != std::string::npos;
         at = text.find(separator, begin)) {
        pieces.push_back(text.substr(begin, at - begin));
        begin = at + separator.size();
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

// host [":" port], where the host is a name or something in brackets.
bool is_authority(const std::string& text)
{
    std::size_t end = 0;
    if (!text.empty() && text[0] == '[') {
        const std::size_t bracket = text.find(']');
        if (bracket == std::string::npos || bracket < 3) return false;
        for (std::size_t i = 1; i < bracket; ++i) {
            if (!is_alnum(text[i]) && text[i] != ':' && text[i] != '.') return false;
        }
        end = bracket + 1;
    } else {
        while (end < text.size() && text[end] != ':') {
            const char c = text[end];
            if (!is_alnum(c) && (c == '\0' || std::strchr("-._~%!$&'()*+,;=", c) == nullptr))
                return false;
            ++end;
        }
        if (end == 0) return false;
    }
    if (end == text.size()) return true;
    const std::string port = text.substr(end + 1);
    return text[end] == ':' && port.size() <= 5 && (port.empty() || is_number(port));
}

std::pair<std::string, std::string> read_field_line(const std::string& line)
{
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) throw Refused{};
    const std::string name = line.substr(0, colon);
    const std::string value = without_blanks(line.substr(colon + 1));
    if (!std::ranges::all_of(name, is_tchar)) throw Refused{};
    if (!std::ranges::all_of(value, is_field_char)) throw Refused{};
    return {name, value};
}

void read_target(std::string target, HttpRequest& request)
{
    const std::size_t authority = lower(target).starts_with("http://")    ? 7
                                  : lower(target).starts_with("https://") ? 8
                                                                          : 0;
    if (authority != 0) {
        const std::size_t end = std::min(target.find_first_of("/?", authority), target.size());
        if (!is_authority(target.substr(authority, end - authority))) throw Refused{};
        target = target.substr(end);
        if (!target.starts_with('/')) target = "/" + target;
    }
    if (target != "*" && !target.starts_with('/')) throw Refused{};
    const std::size_t mark = std::min(target.find('?'), target.size());
    request.path = target.substr(0, mark);
    request.query = target.substr(std::min(mark + 1, target.size()));
}

void read_request_line(const std::string& line, HttpRequest& request)
{
    const std::vector<std::string> words = split(line, " ");
    if (words.size() != 3 || words[0].empty() || words[1].empty()) throw Refused{};
    if (!std::ranges::all_of(words[0], is_tchar)) throw Refused{};
    for (const char c : words[1]) {
        if (c <= ' ' || c == 127) throw Refused{};  // those beyond 127 are negative
    }
    if (words[2].size() != 8 || !words[2].starts_with("HTTP/1.")) throw Refused{};
    if (words[2][7] < '0' || words[2][7] > '9') throw Refused{};
    request.method = words[0];
    request.version_minor = words[2][7] == '0' ? 0 : 1;
    read_target(words[1], request);
}

// What the head says of the body.
struct Announced {
    bool is_chunked = false;
    std::uint64_t length = 0;
    bool is_gzip = false;
    bool is_foreign = false;  // packed in a way that nobody unpacks
};

Announced read_announced(const std::multimap<std::string, std::string>& fields)
{
    Announced announced;
    const auto lengths = fields.equal_range("content-length");
    const auto codings = fields.equal_range("transfer-encoding");
    const auto length_count = std::distance(lengths.first, lengths.second);
    const auto coding_count = std::distance(codings.first, codings.second);
    if (length_count + coding_count > 1) throw Refused{};
    if (length_count == 1) {
        std::string digits = lengths.first->second;
        if (!is_number(digits)) throw Refused{};
        digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
        constexpr std::string_view largest = "18446744073709551615";
        if (digits.size() > largest.size() || (digits.size() == largest.size() && digits > largest))
            throw Refused{};
        announced.length = digits.empty() ? 0 : std::stoull(digits);
    }
    if (coding_count == 1) {
        if (lower(codings.first->second) != "chunked") throw Refused{};
        announced.is_chunked = true;
    }
    std::vector<std::string> packings;
    const auto encodings = fields.equal_range("content-encoding");
    for (auto at = encodings.first; at != encodings.second; ++at) {
        const std::string packing = lower(at->second);
        if (!packing.empty() && packing != "identity") packings.push_back(packing);
    }
    announced.is_gzip = packings.size() == 1 && (packings[0] == "gzip" || packings[0] == "x-gzip");
    announced.is_foreign = !packings.empty() && !announced.is_gzip;
    return announced;
}

void check_connection(const std::multimap<std::string, std::string>& fields, HttpRequest& request)
{
    bool asks_to_close = false;
    bool asks_to_stay = false;
    const auto lines = fields.equal_range("connection");
    for (auto at = lines.first; at != lines.second; ++at) {
        for (const std::string& option : split(lower(at->second), ",")) {
            asks_to_close |= without_blanks(option) == "close";
            asks_to_stay |= without_blanks(option) == "keep-alive";
        }
    }
    request.keep_alive = !asks_to_close && (request.version_minor == 1 || asks_to_stay);
}

Announced read_head_lines(const std::vector<std::string>& lines, HttpRequest& request)
{
    read_request_line(lines[0], request);
    std::multimap<std::string, std::string> fields;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        request.headers.push_back(read_field_line(lines[i]));
        fields.emplace(lower(request.headers.back().first), request.headers.back().second);
    }
    const std::size_t hosts = fields.count("host");
    if (hosts > 1 || (hosts == 0 && request.version_minor == 1)) throw Refused{};
    if (hosts == 1 && !is_authority(fields.find("host")->second)) throw Refused{};
    const auto expectations = fields.equal_range("expect");
    for (auto at = expectations.first; at != expectations.second; ++at) {
        if (request.version_minor == 1 && lower(at->second) != "100-continue") throw Refused{};
    }
    check_connection(fields, request);
    const Announced announced = read_announced(fields);
    if (announced.is_chunked && request.version_minor == 0) throw Refused{};
    return announced;
}

// The bytes of one request one after the other; the end of them is Waiting.
class Cursor {
public:
    Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    std::size_t at() const { return at_; }
    char peek() const
    {
        if (at_ == text_.size()) throw Waiting{};
        return text_[at_];
    }
    char take()
    {
        const char c = peek();
        ++at_;
        return c;
    }
    void expect(std::string_view wanted)
    {
        for (const char c : wanted) {
            if (take() != c) throw Refused{};
        }
    }
    std::string take(std::uint64_t count)
    {
        const std::string taken{text_.substr(at_, count)};
        at_ += taken.size();
        if (taken.size() < count) throw Waiting{};
        return taken;
    }

private:
    std::string_view text_;
    std::size_t at_;
};

std::uint64_t read_chunk_size(Cursor& cursor)
{
    std::string digits;
    while (std::strchr("0123456789abcdefABCDEF", cursor.peek()) != nullptr && cursor.peek() != '\0'
    ) {
        digits += cursor.take();
        if (digits.size() > 16) throw Refused{};
    }
    if (digits.empty()) throw Refused{};
    return std::stoull(digits, nullptr, 16);
}

bool has_open_quote(const std::string& text)
{
    std::size_t at = text.find('"');
    while (at != std::string::npos) {
        do {
            at = text.find_first_of("\\\"", at + 1);
            if (at == std::string::npos) return true;
        } while (text[at] == '\\' && ++at < text.size());
        if (at >= text.size()) return true;
        at = text.find('"', at + 1);
    }
    return false;
}

// Up to its line end; `left` is how many more bytes of extensions are borne.
void read_extension(Cursor& cursor, std::size_t& left)
{
    std::string extension;
    while (cursor.peek() != '\r') {
        extension += cursor.take();
        if (!is_field_char(extension.back()) || left == 0) throw Refused{};
        --left;
        const std::string before = extension.substr(0, extension.find(';'));
        if (!without_blanks(before).empty()) throw Refused{};
    }
    if (has_open_quote(extension)) throw Refused{};
    cursor.expect(crlf);
}

void read_trailers(Cursor& cursor, std::size_t left)
{
    for (;;) {
        std::string line;
        while (!line.ends_with('\n')) {
            const char c = cursor.take();
            if (left-- == 0) throw Refused{};
            if (line.ends_with('\r') != (c == '\n')) throw Refused{};
            line += c;
        }
        line.resize(line.size() - 2);
        if (line.empty()) return;
        read_field_line(line);
    }
}

std::string read_chunks(Cursor& cursor, const HttpLimits& limits)
{
    std::string body;
    std::size_t extensions_left = limits.head_bytes_max;
    for (;;) {
        const std::uint64_t size = read_chunk_size(cursor);
        read_extension(cursor, extensions_left);
        if (size > limits.body_bytes_max || body.size() + size > limits.body_bytes_max)
            throw Refused{};
        if (size == 0) break;
        body += cursor.take(size);
        cursor.expect(crlf);
    }
    read_trailers(cursor, limits.head_bytes_max);
    return body;
}

void read_body(
    Cursor& cursor, const Announced& announced, const HttpLimits& limits, HttpRequest& request
)
{
    const bool has_body = announced.is_chunked || announced.length > 0;
    if (!has_body) return;
    if (announced.length > limits.body_bytes_max || announced.is_foreign) throw Refused{};
    request.body =
        announced.is_chunked ? read_chunks(cursor, limits) : cursor.take(announced.length);
    if (!announced.is_gzip || !limits.unpacks_gzip) return;
    auto plain = gunzip(request.body, limits.body_bytes_max);
    if (!plain) throw Refused{};
    request.body = *std::move(plain);
    std::erase_if(request.headers, [](const auto& header) {
        return lower(header.first) == "content-encoding" || lower(header.first) == "content-length";
    });
}

std::size_t find_head_end(std::string_view text, std::size_t begin, std::size_t bytes_max)
{
    const std::string_view seen = text.substr(begin, bytes_max);
    const std::size_t end = seen.find("\r\n\r\n");
    const std::string_view head = seen.substr(0, end == std::string_view::npos ? end : end + 4);
    for (std::size_t i = 0; i < head.size(); ++i) {
        if (head[i] == '\n' && (i == 0 || head[i - 1] != '\r')) throw Refused{};
    }
    if (end != std::string_view::npos) return begin + end;
    if (seen.size() == bytes_max) throw Refused{};
    throw Waiting{};
}

}  // namespace

HttpReading read_http(std::string_view text, const HttpLimits& limits)
{
    HttpReading reading;
    try {
        std::size_t begin = 0;
        while (text.substr(begin).starts_with(crlf)) begin += 2;
        if (text.substr(begin).empty() || text.substr(begin) == "\r") throw Waiting{};
        const std::size_t end = find_head_end(text, begin, limits.head_bytes_max);
        const std::string head{text.substr(begin, end - begin)};
        const Announced announced = read_head_lines(split(head, crlf), reading.request);
        Cursor cursor{text, end + 4};
        read_body(cursor, announced, limits, reading.request);
        reading.bytes = cursor.at();
        reading.verdict = HttpVerdict::taken;
    } catch (const Refused&) {
        reading.verdict = HttpVerdict::refused;
    } catch (const Waiting&) {
        reading.verdict = HttpVerdict::waiting;
    }
    return reading;
}

std::optional<std::string> gunzip(std::string_view packed, std::size_t bytes_max)
{
    std::string plain;
    if (packed.empty()) return std::nullopt;
    while (!packed.empty()) {
        z_stream stream{};
        // Room for one byte too many, so that a body beyond the limit does not end.
        std::string member(bytes_max - plain.size() + 1, '\0');
        if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream.avail_in = static_cast<uInt>(packed.size());
        stream.next_out = reinterpret_cast<Bytef*>(member.data());
        stream.avail_out = static_cast<uInt>(member.size());
        const int result = inflate(&stream, Z_FINISH);
        member.resize(stream.total_out);
        packed.remove_prefix(stream.total_in);
        inflateEnd(&stream);
        if (result != Z_STREAM_END) return std::nullopt;
        plain += member;
        if (plain.size() > bytes_max) return std::nullopt;
    }
    return plain;
}

}  // namespace umavez::reference
