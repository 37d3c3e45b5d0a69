// `umavez authority-simulator`: plays Sefin Nacional, SEFAZ and São Paulo on this machine, with their
// certificates, their ledger and their bad days.

#include "app/commands.hpp"
#include "app/listen_address.hpp"
#include "app/stop_signal.hpp"
#include "app/units.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/simulator/played_authority.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace umavez {
namespace {

using namespace fiscal::simulator;

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        words.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return words;
}

std::unexpected<Error> refuse(std::string_view flag, std::string_view text, std::string_view cure)
{
    return fail(Errc::misconfigured, fmt::format("{}: \"{}\" {}", flag, shown(text), cure));
}

// An authority that authorises whatever it is sent is for this machine only.
Result<ListenAddress> read_address(
    const Invocation& invocation, std::string_view flag, std::string_view otherwise
)
{
    const std::string text = invocation.find(flag).value_or(std::string{otherwise});
    auto address = parse_listen(text);
    if (!address)
        return fail(Errc::misconfigured, fmt::format("{}: {}", flag, address.error().detail));
    if (!address->is_loopback()) {
        return refuse(
            flag, text, "is not of this machine; the simulator listens on 127.0.0.1 or [::1]"
        );
    }
    return address;
}

Result<std::vector<std::string>> read_issuers(const Invocation& invocation)
{
    std::vector<std::string> issuers =
        split(invocation.find("--issuer").value_or("00574753000100"));
    if (issuers.empty()) return refuse("--issuer", "", "is empty; write a CNPJ or a CPF");
    for (const std::string& issuer : issuers) {
        const bool is_plain =
            issuer.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
        if (!is_plain || (issuer.size() != 14 && issuer.size() != 11)) {
            return refuse(
                "--issuer",
                issuer,
                "is no CNPJ or CPF; write 14 or 11 positions without punctuation"
            );
        }
    }
    return issuers;
}

template <typename Number>
bool is_number(const std::string& text, Number& number)
{
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end;
}

Result<ChanceOfFaults> read_chance(const Invocation& invocation)
{
    ChanceOfFaults chance;
    const std::string seed = invocation.find("--seed").value_or("1");
    if (!is_number(seed, chance.seed)) return refuse("--seed", seed, "is not a whole number");
    const std::string rate = invocation.find("--fault-rate").value_or("0");
    if (!is_number(rate, chance.rate) || chance.rate < 0 || chance.rate > 1) {
        return refuse("--fault-rate", rate, "is not a number from 0 to 1");
    }
    for (const std::string& word : split(invocation.find("--faults").value_or(""))) {
        const auto fault = parse_fault(word);
        const std::vector<std::string> words = fault_words();
        if (!fault) {
            const std::string cure =
                fmt::format("is not one of {}{}", fmt::join(words, ", "), suggestion(word, words));
            return refuse("--faults", word, cure);
        }
        chance.faults.push_back(*fault);
    }
    if (!chance.faults.empty() && !invocation.has("--fault-rate")) {
        return fail(
            Errc::misconfigured,
            "--faults: without --fault-rate none of them comes; write --fault-rate 0.2"
        );
    }
    if (chance.faults.empty()) {
        for (const FaultSpec& spec : fault_specs()) chance.faults.push_back(spec.fault);
    }
    return chance;
}

Result<PlayOptions> read_options(const Invocation& invocation)
{
    const auto listen = read_address(invocation, "--listen", "127.0.0.1:8443");
    if (!listen) return std::unexpected(listen.error());
    const auto control = read_address(invocation, "--control", "127.0.0.1:8444");
    if (!control) return std::unexpected(control.error());
    auto issuers = read_issuers(invocation);
    if (!issuers) return std::unexpected(issuers.error());
    auto chance = read_chance(invocation);
    if (!chance) return std::unexpected(chance.error());
    const std::string slow = invocation.find("--slow").value_or("2s");
    const auto slow_for = parse_duration(slow);
    if (!slow_for) return refuse("--slow", slow, "is not a duration; write 2s or 500ms");
    const std::string throttle = invocation.find("--throttle").value_or("1h");
    const auto throttle_for = parse_duration(throttle);
    if (!throttle_for) return refuse("--throttle", throttle, "is not a duration; write 1h or 5s");
    const std::string ambiente = invocation.find("--environment").value_or("homologacao");
    if (ambiente != "producao" && ambiente != "homologacao") {
        return refuse("--environment", ambiente, "is not one of producao, homologacao");
    }
    const std::string folder = invocation.find("--folder").value_or("");
    if (folder.empty()) {
        return fail(
            Errc::misconfigured,
            "--folder is missing: where its certificates and its ledger are kept"
        );
    }
    return PlayOptions{
        .folder =
            (std::filesystem::absolute(folder) / "").lexically_normal().parent_path().string(),
        .address = listen->address,
        .port = listen->port,
        .control_address = control->address,
        .control_port = control->port,
        .issuers = *std::move(issuers),
        .ambiente = ambiente == "producao" ? "1" : "2",
        .chance = *std::move(chance),
        .slow = *slow_for,
        .throttle = *throttle_for,
    };
}

int authority_simulator(const Invocation& invocation)
{
    auto options = read_options(invocation);
    if (!options) return complain(options.error().detail, exit_usage);
    block_signals();
    const auto played = PlayedAuthority::start(*std::move(options));
    if (!played) return complain(played.error().detail);
    const PlayedAuthority& authority = **played;
    fmt::print("{}", authority.settings());
    std::fflush(stdout);
    fmt::print(
        stderr,
        "umavez: plays Sefin Nacional, SEFAZ and São Paulo on {}, control on {}, ledger {}\n",
        authority.base_url(),
        authority.control_url(),
        authority.ledger_path()
    );
    wait_for_stop_signal({.on_hangup = [] {}, .every_second = [] {}});
    return exit_done;
}

}  // namespace

Command authority_simulator_command()
{
    return {
        .name = "authority-simulator",
        .summary =
            "Play Sefin Nacional, SEFAZ and São Paulo on this machine: TLS, a ledger, and faults",
        .example =
            "umavez authority-simulator --folder sim --fault-rate 0.2 --faults answer-lost,slow",
        .options =
            {{"--folder",
              "FOLDER",
              "where its certificates and its ledger are kept; made on the first start"},
             {"--listen", "ADDRESS", "of this machine only [127.0.0.1:8443]"},
             {"--control", "ADDRESS", "faults and the ledger, plain HTTP [127.0.0.1:8444]"},
             {"--issuer", "LIST", "CNPJ or CPF that get a certificate [00574753000100]"},
             {"--environment", "NAME", "producao or homologacao [homologacao]"},
             {"--fault-rate", "PART", "of requests that get a fault, 0 to 1 [0]"},
             {"--faults", "LIST", fmt::format("of which [all]: {}", fmt::join(fault_words(), ", "))
             },
             {"--seed", "N", "the same requests get the same faults [1]"},
             {"--slow", "TIME", "how long the slow faults last [2s]"},
             {"--throttle", "TIME", "how long SEFAZ answers 656 after the last call [1h]"}},
        .takes_settings = false,
        .argument = {},
        .run = authority_simulator,
    };
}

}  // namespace umavez
