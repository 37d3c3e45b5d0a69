#include "key_protocol/resource_problems.hpp"

#include "http/header_syntax.hpp"
#include "http/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace umavez::key_protocol {
namespace {

// "\"3\"" to 3; nullopt for a tag that we never gave out.
std::optional<std::int64_t> parse_version_tag(std::string_view tag)
{
    if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"') return std::nullopt;
    tag = tag.substr(1, tag.size() - 2);
    std::int64_t version = 0;
    const auto [end, error] = std::from_chars(tag.data(), tag.data() + tag.size(), version);
    const bool is_ours =
        error == std::errc{} && end == tag.data() + tag.size() && tag == std::to_string(version);
    return is_ours ? std::optional{version} : std::nullopt;
}

bool names(const ExpectedVersion& expected, std::int64_t version)
{
    return std::ranges::find(expected.versions, version) != expected.versions.end();
}

http::Problem contradiction()
{
    return {
        .name = "malformed-request",
        .detail =
            {
                "If-Match and versao name different versions",
                "If-Match e versao indicam versões diferentes",
            },
    };
}

http::Problem version_missing(http::Language language)
{
    const FieldError missing{
        "versao",
        {"send the version you have seen, here or in If-Match",
         "envie a versão que você viu, aqui ou em If-Match"},
    };
    return validation_problem({missing}, language);
}

}  // namespace

std::expected<ExpectedVersion, http::Problem> read_expected_version(
    const std::vector<Header>& headers, std::optional<std::int64_t> versao, http::Language language
)
{
    const std::vector<std::string_view> tags = http::list_elements(headers, "If-Match");
    if (!http::find_header(headers, "If-Match")) {
        if (!versao) return std::unexpected(version_missing(language));
        return ExpectedVersion{.versions = {*versao}};
    }
    ExpectedVersion expected{.is_precondition = true};
    for (const std::string_view tag : tags) {
        if (tag == "*") expected.is_any = true;
        if (const auto version = parse_version_tag(tag)) expected.versions.push_back(*version);
    }
    if (!versao) return expected;
    // "*" only demands that the resource exists; the body then says which version.
    if (expected.is_any) return ExpectedVersion{.versions = {*versao}};
    if (!names(expected, *versao)) {
        return std::unexpected(contradiction());
    }
    expected.versions = {*versao};
    return expected;
}

std::optional<http::Problem> check_version(const ExpectedVersion& expected, std::int64_t current)
{
    if (expected.is_any || names(expected, current)) return std::nullopt;
    http::Problem problem{
        .name = "version-conflict",
        .detail =
            {
                fmt::format("the current version is {}", current),
                fmt::format("a versão atual é {}", current),
            },
        .members = {http::number_member("versao", current)},
        .headers = {{"ETag", fmt::format("\"{}\"", current)}},
    };
    if (expected.is_precondition) problem.status = 412;
    return problem;
}

}  // namespace umavez::key_protocol
