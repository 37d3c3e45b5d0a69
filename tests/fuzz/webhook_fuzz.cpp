// Hostile deliveries for the webhook schemes.
//
// An input is one line per header ("name: value"), an empty line, a line with the query, and the body.
// Every scheme judges it as it is: none may crash, and none may accept what it did not sign. Then every
// scheme signs the body itself, and one bit of body or signature, chosen by the input, is flipped: that
// must be refused.

#include "webhook/scheme.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::webhook;

constexpr Instant noon = from_micros(1'760'000'000'000'000);

void require(bool condition, std::string_view scheme, const char* promise)
{
    if (condition) return;
    std::fprintf(
        stderr,
        "%.*s: broken promise: %s\n",
        static_cast<int>(scheme.size()),
        scheme.data(),
        promise
    );
    std::abort();
}

struct Subject {
    std::string name;
    std::unique_ptr<const Scheme> scheme;
    bool has_free_body;  // nothing signs it
};

Subject make_subject(const Provider& provider, bool has_free_body)
{
    auto made = make_scheme(provider);
    require(made.has_value(), provider.scheme, "the settings are right");
    return {provider.scheme, *std::move(made), has_free_body};
}

std::vector<Subject> make_subjects()
{
    // The fuzzer cannot guess it, so whatever it makes is not signed.
    const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const std::string pair = "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";
    std::vector<Subject> subjects;
    for (const std::string scheme :
         {"stripe",
          "standard-webhooks",
          "svix",
          "github",
          "mercadopago",
          "shopify",
          "pagarme",
          "pagbank",
          "asaas"}) {
        const bool is_free = scheme == "mercadopago" || scheme == "asaas";
        subjects.push_back(
            make_subject({.name = "p", .scheme = scheme, .secrets = {secret}}, is_free)
        );
    }
    const Provider v1a{.name = "p", .scheme = "standard-webhooks", .secrets = {pair}};
    const Provider square{
        .name = "p",
        .scheme = "square",
        .secrets = {secret},
        .account = "/a",
        .url = "https://a.example/"
    };
    const Provider token{.name = "p", .scheme = "token", .secrets = {secret}, .header = "X-Token"};
    const Provider hmac{
        .name = "p", .scheme = "hmac", .secrets = {secret}, .header = "X-Mac", .id = "/data/0/id"
    };
    subjects.push_back(make_subject(v1a, false));
    subjects.push_back(make_subject(square, false));
    subjects.push_back(make_subject(token, true));
    subjects.push_back(make_subject(hmac, false));
    return subjects;
}

std::string_view take_line(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

std::vector<Header> take_headers(std::string_view& rest)
{
    std::vector<Header> headers;
    for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
        const std::size_t colon = std::min(line.find(": "), line.size());
        const std::size_t value = std::min(colon + 2, line.size());
        headers.push_back({std::string{line.substr(0, colon)}, std::string{line.substr(value)}});
    }
    return headers;
}

void flip(std::string& text, std::size_t choice)
{
    if (text.empty()) return;
    char& c = text[choice / 8 % text.size()];
    c = static_cast<char>(c ^ (1 << choice % 8));
}

void try_signed(const Subject& subject, std::string_view body, std::size_t choice)
{
    const SignInput input{.id = "msg_1", .type = "a", .resource = "1"};
    const auto request = subject.scheme->sign(body, input, noon);
    require(request.has_value(), subject.name, "any body can be signed");
    const auto verified = subject.scheme->verify({body, request->headers, request->query}, noon);
    const bool is_refused_for_content = !verified && (verified.error().fault == Fault::missing_id ||
                                                      verified.error().fault == Fault::malformed);
    require(verified || is_refused_for_content, subject.name, "what was signed passes");

    if (!subject.has_free_body && !body.empty()) {
        std::string other{body};
        flip(other, choice);
        const auto changed =
            subject.scheme->verify({other, request->headers, request->query}, noon);
        require(!changed, subject.name, "a changed body is refused");
    }
    std::vector<Header> headers = request->headers;
    for (Header& header : headers)
        if (header.value.size() > input.id.size()) flip(header.value, choice);
    const auto forged = subject.scheme->verify({body, headers, request->query}, noon);
    require(!forged, subject.name, "a changed signature is refused");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::vector<Subject> subjects = make_subjects();
    std::string_view rest{reinterpret_cast<const char*>(data), size};
    const std::vector<Header> headers = take_headers(rest);
    const std::string_view query = take_line(rest);
    for (const Subject& subject : subjects) {
        const auto verified = subject.scheme->verify({rest, headers, query}, noon);
        require(!verified, subject.name, "nobody else can sign");
        try_signed(subject, rest, size * 7 + rest.size());
    }
    return 0;
}
