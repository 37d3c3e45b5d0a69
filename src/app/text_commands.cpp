// Commands that need no database: fingerprint, key new, version.

#include "app/commands.hpp"
#include "app/read_input.hpp"
#include "app/version.hpp"
#include "base/digest.hpp"
#include "base/limits.hpp"
#include "base/shown.hpp"
#include "base/uuid.hpp"

#include <umavez/fingerprint.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

int print_fingerprint(const Invocation& invocation)
{
    const std::string& name = invocation.arguments.front();
    const auto text = read_input(name, limits::document_bytes_max);
    if (!text) return complain(text.error().detail);
    if (invocation.has("--canonical")) {
        const auto canonical = canonical_json(*text);
        if (!canonical)
            return complain(fmt::format("{}: {}", shown(name), canonical.error().detail));
        std::fwrite(canonical->data(), 1, canonical->size(), stdout);
        std::fputc('\n', stdout);
        return exit_done;
    }
    const auto fingerprint = fingerprint_json(*text);
    if (!fingerprint)
        return complain(fmt::format("{}: {}", shown(name), fingerprint.error().detail));
    fmt::print("v{}:{}\n", fingerprint->version, to_hex(fingerprint->digest));
    return exit_done;
}

int print_key(const Invocation&)
{
    fmt::print("{}\n", make_uuid7(system_clock().realtime(), system_random()));
    return exit_done;
}

int print_version(const Invocation&)
{
    fmt::print("umavez {}\n", program_version);
    return exit_done;
}

}  // namespace

Command fingerprint_command()
{
    return {
        .name = "fingerprint",
        .summary = "Print the fingerprint of a JSON document",
        .example = "echo '{\"total\": 10.0}' | umavez fingerprint -",
        .options = {{"--canonical", "", "print the canonical text behind it"}},
        .takes_settings = false,
        .argument = "FILE",
        .run = print_fingerprint,
    };
}

Command key_new_command()
{
    return {
        .name = "key new",
        .summary = "Make a key (UUID version 7)",
        .example = "curl -H \"Idempotency-Key: $(umavez key new)\" ...",
        .options = {},
        .takes_settings = false,
        .argument = {},
        .run = print_key,
    };
}

Command version_command()
{
    return {
        .name = "version",
        .summary = "Print the version",
        .example = "umavez version",
        .options = {},
        .takes_settings = false,
        .argument = {},
        .run = print_version,
    };
}

}  // namespace umavez
