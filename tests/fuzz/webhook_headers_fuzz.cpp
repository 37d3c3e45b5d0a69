// Hostile headers around deliveries that are signed right: what reads a signature's header, and what an
// event becomes when somebody on the path adds to its headers or its query.
//
// An input is a line with the id, one with the type, one with the resource, one with a number of seconds, one
// with a query, lines with headers, an empty line, and the body. Checked: times and signatures are read as a
// second reader reads them; with anything added a delivery is the same event or refused; names of headers
// have no case; and a signed time holds as long as its tolerance, to the second.

#include "webhook/header_text.hpp"
#include "webhook/place.hpp"
#include "webhook/scheme.hpp"
#include "webhook/stamp.hpp"
#include "webhook/timed_signature.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::webhook;

constexpr Instant noon = from_micros(1'760'000'000'000'000);

void require(bool condition, std::string_view where, const char* promise)
{
    if (condition) return;
    std::fprintf(
        stderr, "%.*s: broken promise: %s\n", static_cast<int>(where.size()), where.data(), promise
    );
    std::abort();
}

// Headers of signatures -----------------------------------------------------------------------------------

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> pieces{""};
    for (const char c : text) {
        if (c == separator) {
            pieces.emplace_back();
        } else {
            pieces.back() += c;
        }
    }
    return pieces;
}

std::string without_blanks(std::string text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.erase(0, 1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
    return text;
}

void check_timed(const std::string& text, const TimedSignatureSyntax& syntax)
{
    std::vector<std::string> times;
    std::vector<std::string> signatures;
    for (const std::string& piece : split(text, ',')) {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        std::string name = piece.substr(0, equals);
        std::string value = piece.substr(std::min(equals + 1, piece.size()));
        if (syntax.blanks == Blanks::are_ignored) {
            name = without_blanks(name);
            value = without_blanks(value);
        }
        if (name == syntax.time_name) times.push_back(value);
        if (name == "v1" && !value.empty()) signatures.push_back(value);
    }
    std::optional<Fault> fault;
    if (times.empty() || times[0].empty()) fault = Fault::bad_timestamp;
    if (signatures.empty()) fault = Fault::unsigned_;
    if (times.size() > 1 || signatures.size() > signatures_max) fault = Fault::malformed;

    const auto read = parse_timed_signature(text, syntax);
    require(read.has_value() == !fault, syntax.header, "both read a signature");
    if (!read) {
        require(read.error().fault == *fault, syntax.header, "or find the same fault");
        return;
    }
    require(read->time == times[0], syntax.header, "the same time");
    require(std::ranges::equal(read->signatures, signatures), syntax.header, "the same signatures");
}

void check_stamp(const std::string& text)
{
    const bool is_number = !text.empty() && text.size() <= 15 &&
                           text.find_first_not_of("0123456789") == std::string::npos;
    for (const StampUnit unit : {StampUnit::seconds, StampUnit::by_magnitude}) {
        const auto read = parse_stamp(text, unit, "t");
        require(read.has_value() == is_number, "stamp", "1 to 15 digits are a time");
        if (!read) continue;
        long long seconds = std::stoll(text);
        if (unit == StampUnit::by_magnitude && seconds >= 100'000'000'000) seconds /= 1000;
        require(read->time_since_epoch().count() == seconds, "stamp", "the same time");
    }
}

void check_place(const std::string& text)
{
    const auto place = Place::parse(text);
    if (!place) return;
    require(place->text() == text, "place", "a place is written as it was");
    const bool is_header = text.starts_with("header:") && is_header_name(text.substr(7));
    require((place->kind == PlaceKind::header) == is_header, "place", "a header has a name");
}

// Deliveries -----------------------------------------------------------------------------------------------

struct Subject {
    std::string name;
    std::unique_ptr<const Scheme> scheme;
    bool has_time = false;
};

std::vector<Subject> make_subjects()
{
    const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    std::vector<Subject> subjects;
    const auto add = [&subjects](Provider provider, bool has_time) {
        provider.name = "p";
        auto made = make_scheme(provider);
        require(made.has_value(), provider.scheme, "the settings are right");
        subjects.push_back({provider.scheme, *std::move(made), has_time});
    };
    for (const std::string scheme : {"stripe", "standard-webhooks", "svix"})
        add({.scheme = scheme, .secrets = {secret, secret + "AAAA"}, .account = "/account"}, true);
    for (const std::string scheme : {"github", "shopify", "pagarme", "pagbank", "asaas"})
        add({.scheme = scheme, .secrets = {secret}}, false);
    add({.scheme = "mercadopago", .secrets = {secret}, .tolerance = tolerance_default}, true);
    add({.scheme = "square", .secrets = {secret}, .url = "https://a.example/"}, false);
    add({.scheme = "token",
         .secrets = {secret},
         .header = "X-Token",
         .id = "header:X-Event",
         .type = "header:X-Type"},
        false);
    add({.scheme = "hmac",
         .secrets = {secret},
         .header = "X-Mac",
         .algorithm = "sha512",
         .encoding = "base64",
         .prefix = "mac=",
         .id = "/data/0/id",
         .type = "header:X-Type"},
        false);
    return subjects;
}

struct Input {
    SignInput signing;
    long long seconds = 0;
    std::string query;
    std::vector<Header> headers;
    std::string_view body;
};

std::string take_line(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line{rest.substr(0, end)};
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

Input take_input(std::string_view rest)
{
    Input input;
    input.signing.id = take_line(rest);
    input.signing.type = take_line(rest);
    input.signing.resource = take_line(rest);
    input.seconds = std::strtol(take_line(rest).c_str(), nullptr, 10) % 100'000;
    input.query = take_line(rest);
    for (std::string line = take_line(rest); !line.empty(); line = take_line(rest)) {
        const std::size_t colon = std::min(line.find(": "), line.size());
        input.headers.push_back(
            {line.substr(0, colon), line.substr(std::min(colon + 2, line.size()))}
        );
    }
    input.body = rest;
    return input;
}

bool is_same_event(const Event& left, const Event& right)
{
    return left.id == right.id && left.account == right.account &&
           left.body_digest == right.body_digest && left.id_is_signed == right.id_is_signed &&
           left.body_is_signed == right.body_is_signed;
}

void check_event(const Subject& subject, const Event& event)
{
    require(!event.id.empty() && event.id.size() <= 255, subject.name, "an event has an id");
    for (const std::string& text : {event.id, event.type, event.account}) {
        const bool is_plain = std::ranges::none_of(text, [](char c) {
            return static_cast<unsigned char>(c) < ' ' || c == 127;
        });
        require(is_plain, subject.name, "no text of it has a control character");
    }
}

// What somebody on the path may do: before, behind, and in the query.
void check_added(
    const Subject& subject, const SignedRequest& request, const Event& event, const Input& input
)
{
    std::vector<Header> behind = request.headers;
    behind.insert(behind.end(), input.headers.begin(), input.headers.end());
    std::vector<Header> before = input.headers;
    before.insert(before.end(), request.headers.begin(), request.headers.end());
    const std::string query = request.query + "&" + input.query;
    for (const std::vector<Header>* const headers : {&behind, &before}) {
        const auto with_headers =
            subject.scheme->verify({input.body, *headers, request.query}, noon);
        require(
            !with_headers || is_same_event(*with_headers, event),
            subject.name,
            "no header makes another event"
        );
    }
    const auto with_query = subject.scheme->verify({input.body, request.headers, query}, noon);
    require(
        !with_query || is_same_event(*with_query, event),
        subject.name,
        "no query makes another event"
    );
}

void check_cases(
    const Subject& subject, const SignedRequest& request, const Event& event, std::string_view body
)
{
    std::vector<Header> headers = request.headers;
    for (Header& header : headers) {
        for (char& c : header.name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
    std::ranges::reverse(headers);
    const auto verified = subject.scheme->verify({body, headers, request.query}, noon);
    const bool is_same =
        verified && is_same_event(*verified, event) && verified->type == event.type;
    require(is_same, subject.name, "names have no case and no order");
}

void try_delivery(const Subject& subject, const Input& input)
{
    const auto request = subject.scheme->sign(input.body, input.signing, noon);
    if (!request) {
        require(
            request.error().code == Errc::invalid_argument,
            subject.name,
            "what is given can be signed"
        );
        return;
    }
    const auto event = subject.scheme->verify({input.body, request->headers, request->query}, noon);
    const auto late = subject.scheme->verify(
        {input.body, request->headers, request->query}, noon + std::chrono::seconds{input.seconds}
    );
    if (!event) {
        const Fault fault = event.error().fault;
        require(
            fault == Fault::missing_id || fault == Fault::malformed,
            subject.name,
            "what was signed is signed"
        );
        require(!late, subject.name, "and is not better later");
        return;
    }
    check_event(subject, *event);
    const bool holds = !subject.has_time || std::abs(input.seconds) <= 300;
    require(late.has_value() == holds, subject.name, "a time holds as long as its tolerance");
    check_added(subject, *request, *event, input);
    check_cases(subject, *request, *event, input.body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::vector<Subject> subjects = make_subjects();
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const Input input = take_input(bytes);
    for (const std::string& text : {input.signing.id, input.signing.type, input.query}) {
        check_timed(text, {.header = "a", .time_name = "t"});
        check_timed(text, {.header = "b", .time_name = "ts", .blanks = Blanks::are_ignored});
        check_stamp(text);
        check_place(text);
    }
    for (const Subject& subject : subjects) try_delivery(subject, input);
    return 0;
}
