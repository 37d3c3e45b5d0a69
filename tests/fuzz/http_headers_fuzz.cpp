// Hostile values of headers: the pieces they are made of, and what the server reads of them.
//
// An input is lines, each the value of a header. Every one is read as everything that a stranger's header can
// be, and each reading is compared to a second one, written plainly from the rules: lists, quality, quoted
// strings, media types, Accept, Accept-Language, traceparent, Host and Origin on this machine, request ids.

#include "http/accept.hpp"
#include "http/framing.hpp"
#include "http/header_syntax.hpp"
#include "http/language.hpp"
#include "http/loopback.hpp"
#include "http/media_type.hpp"
#include "http/message.hpp"
#include "http/request_id.hpp"
#include "http/trace_context.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::http;

using Texts = std::vector<std::string>;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

// The second reading -----------------------------------------------------------------------------------

std::string plain_trim(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string plain_lower(std::string text)
{
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return text;
}

bool is_plain_token(const std::string& text)
{
    constexpr std::string_view allowed =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return !text.empty() && text.find_first_not_of(allowed) == std::string::npos;
}

bool is_plain_value(const std::string& text)
{
    return std::ranges::all_of(text, [](char c) {
        return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127);
    });
}

// Where a quoted string that begins at `at` ends; the end of the text where it does not.
std::size_t after_quotes(const std::string& text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

Texts plain_split(const std::string& text, char separator)
{
    Texts pieces;
    std::size_t begin = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '"') {
            at = after_quotes(text, at);
            continue;
        }
        if (text[at] == separator) {
            pieces.push_back(text.substr(begin, at - begin));
            begin = at + 1;
        }
        ++at;
    }
    pieces.push_back(text.substr(begin));
    return pieces;
}

Texts plain_list(const Texts& lines)
{
    Texts elements;
    for (const std::string& line : lines) {
        for (const std::string& piece : plain_split(line, ',')) {
            if (!plain_trim(piece).empty()) elements.push_back(plain_trim(piece));
        }
    }
    return elements;
}

std::optional<std::string> plain_unquote(const std::string& text)
{
    if (is_plain_token(text)) return text;
    if (text.size() < 2 || text[0] != '"' || after_quotes(text, 0) != text.size())
        return std::nullopt;
    std::string plain;
    std::size_t at = 1;
    while (at < text.size() && text[at] != '"') {
        if (text[at] == '\\') ++at;
        if (at + 1 >= text.size()) return std::nullopt;
        plain += text[at++];
    }
    if (at + 1 != text.size() || !is_plain_value(plain)) return std::nullopt;
    return plain;
}

// Name and value at the first "=".
std::pair<std::string, std::string> plain_parameter(const std::string& piece)
{
    const std::size_t equals = std::min(piece.find('='), piece.size());
    return {
        plain_trim(piece.substr(0, equals)),
        equals == piece.size() ? "" : plain_trim(piece.substr(equals + 1)),
    };
}

// Of "a;b;q=0.5" in thousandths; nullopt: it cannot be read.
std::optional<int> plain_quality(const std::string& element)
{
    static const std::regex grammar{"0(\\.[0-9]{0,3})?|1(\\.0{0,3})?"};
    int quality = 1000;
    const Texts pieces = plain_split(element, ';');
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        const auto [name, value] = plain_parameter(pieces[i]);
        if (name != "q" && name != "Q") continue;
        if (value.size() > 5 || !std::regex_match(value, grammar)) return std::nullopt;
        quality = static_cast<int>(std::lround(std::stod(value) * 1000));
    }
    return quality;
}

struct PlainMediaType {
    std::string essence;
    std::map<std::string, std::string> parameters;
};

std::optional<PlainMediaType> plain_media_type(const std::string& text)
{
    const Texts pieces = plain_split(text, ';');
    PlainMediaType read{.essence = plain_lower(plain_trim(pieces[0])), .parameters = {}};
    const std::size_t slash = std::min(read.essence.find('/'), read.essence.size());
    if (!is_plain_token(read.essence.substr(0, slash)) || slash == read.essence.size())
        return std::nullopt;
    if (!is_plain_token(read.essence.substr(slash + 1))) return std::nullopt;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        if (plain_trim(pieces[i]).empty()) continue;
        const auto [name, value] = plain_parameter(pieces[i]);
        const auto plain = plain_unquote(value);
        if (!is_plain_token(name) || !plain) return std::nullopt;
        const bool is_charset = plain_lower(name) == "charset";
        const bool is_new =
            read.parameters.emplace(plain_lower(name), is_charset ? plain_lower(*plain) : *plain)
                .second;
        if (!is_new) return std::nullopt;
    }
    return read;
}

// The comparisons ----------------------------------------------------------------------------------------

Texts to_texts(const std::vector<std::string_view>& views)
{
    return {views.begin(), views.end()};
}

void check_pieces(const std::string& text)
{
    require(trim(text) == plain_trim(text), "blanks at both ends");
    require(to_lower_ascii(text) == plain_lower(text), "lower case");
    require(is_token(text) == is_plain_token(text), "tokens");
    require(unquote(text) == plain_unquote(text), "quoted strings");
    for (const char separator : {',', ';'}) {
        require(
            to_texts(split_outside_quotes(text, separator)) == plain_split(text, separator),
            "pieces outside quotes"
        );
    }
    const Parameter parameter = split_parameter(text);
    const auto [name, value] = plain_parameter(text);
    require(parameter.name == name && parameter.value == value, "name and value");
    require(find_quality(split_outside_quotes(text, ';')) == plain_quality(text), "quality");
}

void check_field(const std::string& line)
{
    const auto parsed = parse_field(line);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string value = colon == line.size() ? "" : plain_trim(line.substr(colon + 1));
    const bool is_field =
        colon < line.size() && is_plain_token(line.substr(0, colon)) && is_plain_value(value);
    const auto* const field = std::get_if<FieldLine>(&parsed);
    require((field != nullptr) == is_field, "a line is a header or not");
    if (field == nullptr) return;
    require(field->name == line.substr(0, colon) && field->value == value, "with name and value");
}

void check_media_type(const std::string& text)
{
    const auto read = parse_media_type(text);
    const auto plain = plain_media_type(text);
    require(read.has_value() == plain.has_value(), "both read a media type");
    if (!read) return;
    require(read->type + "/" + read->subtype == plain->essence, "the same type");
    const std::map<std::string, std::string> parameters{
        read->parameters.begin(), read->parameters.end()
    };
    require(parameters == plain->parameters, "with the same parameters");
    const auto again = parse_media_type(read->text());
    require(again && again->text() == read->text(), "in one spelling");
    require(again->parameters == read->parameters, "that means the same");
}

void check_accept(const Texts& lines, const std::vector<Header>& headers)
{
    constexpr std::array<std::string_view, 3> offered{
        "text/html", "application/json", "text/plain"
    };
    std::size_t best = 0;
    int best_quality = 0;
    for (std::size_t place = 0; place < offered.size(); ++place) {
        const std::string type{offered.at(place)};
        const Texts ranges{"*/*", type.substr(0, type.find('/')) + "/*", type};
        std::map<std::size_t, int> by_closeness;
        for (const std::string& element : plain_list(lines)) {
            const std::string range = plain_lower(plain_trim(plain_split(element, ';')[0]));
            const auto found = std::ranges::find(ranges, range);
            const auto quality = plain_quality(element);
            if (found == ranges.end() || !quality) continue;
            by_closeness.emplace(static_cast<std::size_t>(found - ranges.begin()), *quality);
        }
        const int quality = by_closeness.empty() ? 0 : by_closeness.rbegin()->second;
        if (quality <= best_quality) continue;
        best = place;
        best_quality = quality;
    }
    require(choose_media_type(headers, offered) == best, "the wished type");
}

// Quality and place of the wish for one language.
std::pair<int, long> plain_rank(const Texts& elements, const std::string& language)
{
    std::optional<std::pair<int, long>> named;
    std::pair<int, long> any{0, 0};
    long place = 0;
    for (const std::string& element : elements) {
        const std::string range = plain_lower(plain_trim(plain_split(element, ';')[0]));
        const auto quality = plain_quality(element);
        if (range.empty() || !quality) continue;
        const std::pair rank{*quality, -place++};
        const bool is_variant = (range + "-").starts_with(language + "-");
        if (is_variant && (!named || rank > *named)) named = rank;
        if (range == "*") any = rank;
    }
    return named.value_or(any);
}

void check_language(const Texts& lines, const std::vector<Header>& headers)
{
    const Texts elements = plain_list(lines);
    const auto english = plain_rank(elements, "en");
    const auto portuguese = plain_rank(elements, "pt");
    // A higher quality, or the same named earlier.
    const bool is_portuguese = portuguese.first > 0 && portuguese > english;
    require(
        (choose_language(headers) == Language::portuguese) == is_portuguese, "the wished language"
    );
}

void check_trace(const std::string& text)
{
    static const std::regex grammar{
        "([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?"
    };
    const std::string trimmed = plain_trim(text);
    const auto read = parse_traceparent(text);
    std::smatch parts;
    // A later version may go on after a dash; what follows is nobody's.
    const std::string known = trimmed.substr(0, 56);
    bool is_right = std::regex_match(known, parts, grammar) && parts[1] != "ff";
    is_right = is_right && (parts[1] != "00" || trimmed.size() == 55);
    is_right = is_right && parts[2] != std::string(32, '0') && parts[3] != std::string(16, '0');
    require(read.has_value() == is_right, "both read a traceparent");
    if (!read) return;
    require(read->traceparent == "00" + trimmed.substr(2, 53), "the parts that are known");
    require(read->is_sampled() == ((std::stoi(parts[4], nullptr, 16) & 1) == 1), "and the flag");
}

void check_loopback(const std::string& text)
{
    static const std::regex grammar{
        "(localhost|127\\.[0-9.]*|\\[::1\\])(:[0-9]*)?", std::regex::icase
    };
    if (text.size() > 300) return;
    const bool is_ours = std::regex_match(text, grammar);
    require(is_loopback_authority(text) == is_ours, "both know this machine");
    const std::string host = "localhost";
    for (const std::string scheme : {"http://", "https://", "ftp://", ""}) {
        const bool has_scheme = scheme.starts_with("http");
        const std::string origin = scheme + text;
        const bool is_nested = !has_scheme && text.starts_with("http");
        if (is_nested) continue;
        require(
            speaks_to_loopback({{"host", host}, {"origin", origin}}) == (has_scheme && is_ours),
            "an origin is this machine's"
        );
    }
    require(speaks_to_loopback({{"Host", text}}) == is_ours, "a host is this machine's");
}

void check_request_id(const std::string& text)
{
    constexpr std::string_view allowed =
        "._:+/=@-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool is_sane =
        !text.empty() && text.size() <= 128 && text.find_first_not_of(allowed) == std::string::npos;
    const std::string chosen = choose_request_id({{"x-request-id", text}});
    require(!is_sane || chosen == text, "a sane id is kept");
    require(is_sane || (chosen.size() == 36 && chosen != text), "another is made");
    const std::string twice = choose_request_id({{"X-Request-Id", text}, {"X-Request-Id", text}});
    require(twice.size() == 36 && (twice != text || !is_sane), "two are none");
}

Texts to_lines(std::string_view input)
{
    Texts lines;
    while (!input.empty()) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        lines.emplace_back(input.substr(0, end));
        input.remove_prefix(std::min(end + 1, input.size()));
    }
    return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Texts lines = to_lines({reinterpret_cast<const char*>(data), size});
    std::vector<Header> accept;
    std::vector<Header> language;
    for (const std::string& line : lines) {
        check_pieces(line);
        check_field(line);
        check_media_type(line);
        check_trace(line);
        check_loopback(line);
        check_request_id(line);
        accept.push_back({"accept", line});
        language.push_back({"ACCEPT-LANGUAGE", line});
    }
    require(
        to_texts(list_elements(accept, "Accept")) == plain_list(lines), "the elements of all lines"
    );
    check_accept(lines, accept);
    check_language(lines, language);
    return 0;
}
