// `umavez webhook send`: signs an event as its provider would and sends it, to try a receiver.

#include "app/commands.hpp"
#include "app/load.hpp"
#include "app/people.hpp"
#include "app/read_input.hpp"
#include "base/random.hpp"
#include "base/shown.hpp"
#include "base/uuid.hpp"
#include "outbound/call.hpp"
#include "webhook/scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace umavez {
namespace {

constexpr std::size_t event_bytes_max = 1024 * 1024;

std::string names_of(const std::vector<webhook::Provider>& providers)
{
    std::vector<std::string> names;
    for (const webhook::Provider& provider : providers) names.push_back(provider.name);
    return names.empty() ? "the configuration has none"
                         : fmt::format("there are {}", fmt::join(names, ", "));
}

outbound::Call to_call(std::string url, std::string body, webhook::SignedRequest signature)
{
    outbound::Call call{.method = "POST", .url = std::move(url)};
    if (!signature.query.empty()) {
        call.url += call.url.find('?') == std::string::npos ? '?' : '&';
        call.url += signature.query;
    }
    call.headers = std::move(signature.headers);
    const bool has_type = std::ranges::any_of(call.headers, [](const Header& header) {
        return is_same_header(header.name, "Content-Type");
    });
    if (!has_type) call.headers.push_back({"Content-Type", "application/json"});
    call.body = std::move(body);
    return call;
}

int tell(const Invocation& invocation, outbound::Reply reply)
{
    const bool is_taken = reply.status >= 200 && reply.status < 300;
    if (invocation.has("--json")) {
        fmt::print("{}", reply.body);
    } else {
        reply.body.erase(reply.body.find_last_not_of(" \r\n") + 1);
        const Colour colour = is_taken ? Colour::green : Colour::red;
        fmt::print("{} {}\n", painted(std::to_string(reply.status), colour), shown(reply.body));
    }
    return is_taken ? exit_done : exit_failed;
}

int send(const Invocation& invocation)
{
    const auto settings = load_settings(invocation);
    if (!settings) return refuse_settings(settings.error());
    const auto name = invocation.find("--provider");
    const auto url = invocation.find("--url");
    const auto file = invocation.find("--file");
    if (!name || !url || !file) {
        return complain(
            "--provider, --url and --file are needed; see umavez webhook send --help", exit_usage
        );
    }
    const auto providers = settings->webhook.providers();
    const auto provider = std::ranges::find(providers, *name, &webhook::Provider::name);
    if (provider == providers.end()) {
        return complain(
            fmt::format(
                "--provider: no [[webhook.provider]] \"{}\"; {}", shown(*name), names_of(providers)
            ),
            exit_usage
        );
    }
    auto body = read_input(*file, event_bytes_max);
    if (!body) return complain("--file: " + body.error().detail);
    const auto scheme = webhook::make_scheme(*provider);
    if (!scheme) return complain(scheme.error().detail);
    const Instant now = system_clock().realtime();
    const webhook::SignInput input{
        .id = invocation.find("--id").value_or(make_uuid7(now, system_random())),
        .type = invocation.find("--type").value_or(""),
        .resource = invocation.find("--resource").value_or(""),
    };
    auto signature = (*scheme)->sign(*body, input, now);
    if (!signature) return complain(signature.error().detail, exit_usage);
    // A receiver on one's own machine is what this is for.
    auto reply = outbound::call(
        to_call(*url, *std::move(body), *std::move(signature)), {.allow_private = true}
    );
    if (!reply) {
        return complain(fmt::format(
            "{}: {} (effect {})", shown(*url), reply.error().detail, to_text(reply.error().effect)
        ));
    }
    return tell(invocation, *std::move(reply));
}

}  // namespace

Command webhook_send_command()
{
    return {
        .name = "webhook send",
        .summary = "Sign an event as its provider would, and send it",
        .example =
            "umavez webhook send --provider stripe --url http://127.0.0.1:8080/webhooks/stripe "
            "--file event.json",
        .options =
            {
                {"--provider", "NAME", "the [[webhook.provider]] whose first secret signs"},
                {"--url", "URL", "where to send it"},
                {"--file", "FILE", "the body; - is standard input"},
                {"--id", "ID", "of the event, where it travels in a header [a new one]"},
                {"--type", "TYPE", "of the event, where it travels in a header"},
                {"--resource", "ID", "mercadopago: the data.id"},
                {"--json", "", "the answer's body alone"},
            },
        .takes_settings = true,
        .argument = {},
        .run = send,
    };
}

}  // namespace umavez
