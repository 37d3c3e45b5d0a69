// Hostile forms and queries (application/x-www-form-urlencoded), for all who read one: the fingerprint
// of a body, the parameters of a route, the fields of webhooks; and the Content-Disposition of a part.
//
// An input is a form. Checked: each reader finds what a second one finds, which decodes the whole form
// plainly and then counts; a refusal names the first broken escape; and what is written with escapes is
// read as it was.

#include "http/escapes.hpp"
#include "http/parameters.hpp"
#include "key_protocol/content_disposition.hpp"
#include "key_protocol/form.hpp"
#include "webhook/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

// The second reading -----------------------------------------------------------------------------------

// A text, or the offset of the "%" at which it breaks.
struct Decoded {
    std::optional<std::string> text;
    std::size_t broken_at = 0;
};

Decoded plain_decode(const std::string& text, bool plus_is_space)
{
    constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
    std::string decoded;
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] != '%') {
            decoded += plus_is_space && text[at] == '+' ? ' ' : text[at];
            ++at;
            continue;
        }
        const std::size_t high =
            at + 1 < text.size() ? digits.find(text[at + 1]) : std::string::npos;
        const std::size_t low =
            at + 2 < text.size() ? digits.find(text[at + 2]) : std::string::npos;
        // Upper-case letters stand in the second half; zero to nine are found in the first.
        if (high == std::string_view::npos || low == std::string_view::npos)
            return {std::nullopt, at};
        decoded += static_cast<char>(high % 16 * 16 + low % 16);
        at += 3;
    }
    return {decoded, 0};
}

struct Pair {
    Decoded name;
    Decoded value;
    std::size_t name_at = 0;
    std::size_t value_at = 0;
    bool is_empty = false;  // nothing between two "&"
    bool has_value = false;
};

std::vector<Pair> plain_pairs(const std::string& form)
{
    std::vector<Pair> pairs;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= form.size(); ++at) {
        if (at < form.size() && form[at] != '&') continue;
        const std::string field = form.substr(begin, at - begin);
        const std::size_t equals = std::min(field.find('='), field.size());
        const std::size_t after = std::min(equals + 1, field.size());
        pairs.push_back({
            .name = plain_decode(field.substr(0, equals), true),
            .value = plain_decode(field.substr(after), true),
            .name_at = begin,
            .value_at = begin + after,
            .is_empty = field.empty(),
            .has_value = after < field.size(),
        });
        begin = at + 1;
    }
    return pairs;
}

// The comparisons ----------------------------------------------------------------------------------------

void check_body(const std::string& form, const std::vector<Pair>& pairs)
{
    key_protocol::FormPairs expected;
    std::optional<std::size_t> broken_at;
    for (const Pair& pair : pairs) {
        if (pair.is_empty || broken_at) continue;
        if (!pair.name.text) broken_at = pair.name_at + pair.name.broken_at;
        if (!broken_at && !pair.value.text) broken_at = pair.value_at + pair.value.broken_at;
        if (!broken_at) expected.emplace_back(*pair.name.text, *pair.value.text);
    }
    const auto read = key_protocol::parse_form(form);
    require(read.has_value() == !broken_at, "both read the form");
    if (!read) {
        require(
            read.error().offset == *broken_at && form.at(*broken_at) == '%',
            "a refusal names the place"
        );
        return;
    }
    require(*read == expected, "the same fields");
    // Fields of different names have no order; those of one name keep theirs.
    std::map<std::string, std::vector<std::string>> by_name;
    for (const auto& [name, value] : expected) by_name[name].push_back(value);
    key_protocol::FormPairs sorted;
    for (const auto& [name, values] : by_name) {
        for (const std::string& value : values) sorted.emplace_back(name, value);
    }
    require(
        key_protocol::to_canonical(sorted) == key_protocol::to_canonical(*read),
        "in one canonical text"
    );
}

std::vector<const Pair*> named(const std::vector<Pair>& pairs, std::string_view name)
{
    std::vector<const Pair*> found;
    for (const Pair& pair : pairs) {
        if (!pair.is_empty && pair.name.text == name) found.push_back(&pair);
    }
    return found;
}

void check_webhook(const std::string& form, const std::vector<Pair>& pairs, const std::string& name)
{
    if (name.empty()) return;
    const auto found = named(pairs, name);
    const auto read = webhook::find_field(form, name);
    const bool is_absent = found.empty() || (found.size() == 1 && !found[0]->has_value);
    const bool is_refused =
        found.size() > 1 || (!is_absent && found.size() == 1 && !found[0]->value.text);
    require(read.has_value() == !is_refused, "a field is given once and is right, or is refused");
    if (!read) {
        require(read.error().fault == webhook::Fault::malformed, "as malformed");
    } else {
        require(read->has_value() == !is_absent, "an empty field is none");
        require(is_absent || **read == *found[0]->value.text, "the same value");
    }
}

bool is_small_number(const std::string& text)
{
    if (text.empty() || text.size() > 3 ||
        text.find_first_not_of("0123456789") != std::string::npos)
        return false;
    return std::stoi(text) >= 1 && std::stoi(text) <= 100;
}

void check_route(const std::string& form, const std::vector<Pair>& pairs)
{
    const std::vector<http::Field> declared{
        {.name = "a", .type = http::any(), .required = false},
        {.name = "n", .type = http::integer({.min = 1, .max = 100}), .required = true},
        {.name = "o", .type = http::one_of({"x", "y z"}), .required = false},
    };
    http::Request request;
    request.query = form;
    const auto errors = http::take_query(declared, request);
    std::size_t expected = 0;
    for (const http::Field& field : declared) {
        const auto found = named(pairs, field.name);
        const std::optional<std::string> value =
            found.size() == 1 ? found[0]->value.text : std::nullopt;
        const bool is_right = value && (field.name == "a" ||
                                        (field.name == "o" && (*value == "x" || *value == "y z")) ||
                                        (field.name == "n" && is_small_number(*value)));
        const auto taken = http::find_parameter(request, field.name);
        // Zeros before a number are a question of taste.
        if (field.name == "n" && value && value->starts_with('0')) continue;
        require(taken.has_value() == is_right, "what is right is taken");
        require(!taken || *taken == *value, "as it was given");
        const bool is_wrong = !found.empty() ? !is_right : field.required;
        const bool is_told =
            std::ranges::find(errors, field.name, &http::FieldError::field) != errors.end();
        require(is_told == is_wrong, "what is wrong is told");
        expected += is_wrong ? 1 : 0;
    }
    require(errors.size() <= declared.size() && errors.size() >= expected, "once for each");
    const bool has_unknown = std::ranges::any_of(pairs, [](const Pair& pair) {
        if (pair.is_empty) return false;
        return !pair.name.text ||
               (*pair.name.text != "a" && *pair.name.text != "n" && *pair.name.text != "o");
    });
    require(
        http::find_unknown_parameter(declared, form).has_value() == has_unknown,
        "what is unknown is told"
    );
}

void check_escapes(const std::string& text)
{
    for (const auto kind : {http::Escapes::form, http::Escapes::path}) {
        const auto read = http::decode_escapes(text, kind);
        const Decoded plain = plain_decode(text, kind == http::Escapes::form);
        require(read.has_value() == plain.text.has_value(), "both decode");
        require(!read || *read == *plain.text, "the same text");
        require(read || read.error() == plain.broken_at, "or break at the same place");
        const auto again = http::decode_escapes(webhook::escape_field(text), kind);
        require(again && *again == text, "what is escaped comes back");
    }
}

// A quote, blanks and a ";" look like the end of a value that ends with a backslash, as browsers write it.
bool looks_closed(const std::string& text)
{
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
        const std::size_t next = text.find_first_not_of(" \t", at + 1);
        if (next == std::string::npos ? at + 1 < text.size() : text[next] == ';') return true;
    }
    return false;
}

void check_disposition(const std::string& text)
{
    if (const auto read = key_protocol::parse_form_disposition(text)) {
        const auto again = key_protocol::parse_form_disposition(" " + text + "\t");
        require(
            again && again->name == read->name && again->filename == read->filename,
            "blanks mean nothing"
        );
    }
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    quoted += '"';
    const std::string extended = "UTF-8''" + webhook::escape_field(text);
    const auto by_star = key_protocol::parse_form_disposition(
        "form-data; name=a; filename=\"b\"; filename*=" + extended
    );
    require(
        by_star && by_star->name == "a" && by_star->filename == text, "an extended name comes back"
    );
    if (looks_closed(text)) return;
    const auto by_quotes =
        key_protocol::parse_form_disposition("form-data; name=" + quoted + "; filename=\"b\"");
    require(
        by_quotes && by_quotes->name == text && by_quotes->filename == "b",
        "a quoted name comes back"
    );
    const auto twice =
        key_protocol::parse_form_disposition("form-data; name=" + quoted + ";name=" + quoted);
    require(!twice, "one that is given twice is none");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string form{reinterpret_cast<const char*>(data), size};
    const std::vector<Pair> pairs = plain_pairs(form);
    check_body(form, pairs);
    check_webhook(form, pairs, "data.id");
    check_webhook(form, pairs, pairs.back().name.text.value_or("id"));
    check_route(form, pairs);
    check_escapes(form);
    check_disposition(form);
    return 0;
}
