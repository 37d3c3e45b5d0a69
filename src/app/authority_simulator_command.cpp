// `umavez authority-simulator`: plays Sefin Nacional on this machine, with its certificates, its ledger and
// its bad days.

#include "app/commands.hpp"
#include "app/listen_address.hpp"
#include "app/stop_signal.hpp"
#include "app/units.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "http/server.hpp"
#include "modules/fiscal/simulator/certificates.hpp"
#include "modules/fiscal/simulator/control.hpp"
#include "modules/fiscal/simulator/door.hpp"
#include "modules/fiscal/simulator/simulator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace umavez {
namespace {

using namespace fiscal::simulator;

struct Choices {
    ListenAddress listen;
    ListenAddress control;
    std::string folder;
    std::vector<std::string> issuers;
    SimulatorOptions simulator;
};

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
    if (!address) return fail(Errc::misconfigured, fmt::format("{}: {}", flag, address.error().detail));
    if (!address->is_loopback()) {
        return refuse(flag, text, "is not of this machine; the simulator listens on 127.0.0.1 or [::1]");
    }
    return address;
}

Result<std::vector<std::string>> read_issuers(const Invocation& invocation)
{
    std::vector<std::string> issuers = split(invocation.find("--issuer").value_or("00574753000100"));
    if (issuers.empty()) return refuse("--issuer", "", "is empty; write a CNPJ or a CPF");
    for (const std::string& issuer : issuers) {
        const bool is_plain =
            issuer.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
        if (!is_plain || (issuer.size() != 14 && issuer.size() != 11)) {
            return refuse("--issuer", issuer, "is no CNPJ or CPF; write 14 or 11 positions without punctuation");
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
    if (chance.faults.empty()) {
        for (const FaultSpec& spec : fault_specs()) chance.faults.push_back(spec.fault);
    }
    return chance;
}

Result<Choices> read_choices(const Invocation& invocation)
{
    Choices choices;
    auto listen = read_address(invocation, "--listen", "127.0.0.1:8443");
    if (!listen) return std::unexpected(listen.error());
    auto control = read_address(invocation, "--control", "127.0.0.1:8444");
    if (!control) return std::unexpected(control.error());
    auto issuers = read_issuers(invocation);
    if (!issuers) return std::unexpected(issuers.error());
    auto chance = read_chance(invocation);
    if (!chance) return std::unexpected(chance.error());
    const std::string slow = invocation.find("--slow").value_or("2s");
    const auto slow_for = parse_duration(slow);
    if (!slow_for) return refuse("--slow", slow, "is not a duration; write 2s or 500ms");
    const std::string ambiente = invocation.find("--environment").value_or("homologacao");
    if (ambiente != "producao" && ambiente != "homologacao") {
        return refuse("--environment", ambiente, "is not one of producao, homologacao");
    }
    const auto folder = invocation.find("--folder");
    if (!folder || folder->empty()) {
        return fail(Errc::misconfigured, "--folder is missing: where its certificates and its ledger are kept");
    }
    choices.listen = *std::move(listen);
    choices.control = *std::move(control);
    choices.issuers = *std::move(issuers);
    choices.folder = std::filesystem::absolute(*folder).lexically_normal().string();
    if (choices.folder.ends_with('/')) choices.folder.pop_back();
    choices.simulator = {
        .ledger = choices.folder + "/ledger.jsonl",
        .ambiente = ambiente == "producao" ? "1" : "2",
        .chance = *std::move(chance),
        .slow = *slow_for,
    };
    return choices;
}

std::string in_url(const ListenAddress& address)
{
    return address.address.contains(':') ? '[' + address.address + ']' : address.address;
}

std::string settings_to_paste(const Choices& choices, const CertificateFiles& files, std::uint16_t port)
{
    std::string text = fmt::format(
        "[fiscal.nacional]\n{} = \"https://{}:{}/SefinNacional\"\nca_file = \"{}\"\n",
        choices.simulator.ambiente == "1" ? "producao" : "homologacao",
        in_url(choices.listen),
        port,
        files.ca
    );
    for (const IssuerFiles& issuer : files.issuers) {
        text += fmt::format(
            "\n[[fiscal.emitente]]\ninscricao = \"{}\"\ntenant = \"default\"\ncertificado = \"{}\"\nsenha = \"{}\"\n",
            issuer.inscricao,
            issuer.pfx,
            pfx_password
        );
    }
    return text;
}

// Everything until a signal comes.
Result<void> play(const Choices& choices)
{
    std::error_code error;
    std::filesystem::create_directories(choices.folder, error);
    if (error) return refuse("--folder", choices.folder, "cannot be made: " + error.message());
    const auto simulator = Simulator::open(choices.simulator);
    if (!simulator) return std::unexpected(simulator.error());
    const auto files = make_certificates(choices.folder, choices.issuers);
    if (!files) return std::unexpected(files.error());
    Simulator& office = **simulator;
    auto control = http::Server::listen(
        {.address = choices.control.address, .port = choices.control.port, .threads = 1},
        [&office](http::Request request) {
            return Task<http::Response>::ready(answer_control(office, request));
        },
        {}
    );
    if (!control) return std::unexpected(control.error());
    (*control)->start();
    const auto door = Door::open(
        {.address = choices.listen.address,
         .port = choices.listen.port,
         .server_pem = files->server,
         .client_ca = files->ca},
        [&office](const http::Request& request, std::string caller, const std::stop_token& stop) {
            return office.serve(request, std::move(caller), stop);
        }
    );
    if (!door) return std::unexpected(door.error());
    fmt::print("{}", settings_to_paste(choices, *files, (*door)->port()));
    std::fflush(stdout);
    fmt::print(
        stderr,
        "umavez: plays Sefin Nacional on https://{}:{}/SefinNacional, control on http://{}:{}, ledger {}\n",
        in_url(choices.listen),
        (*door)->port(),
        in_url(choices.control),
        (*control)->port(),
        choices.simulator.ledger
    );
    wait_for_stop_signal({.on_hangup = [] {}, .every_second = [] {}});
    return {};
}

int authority_simulator(const Invocation& invocation)
{
    const auto choices = read_choices(invocation);
    if (!choices) return complain(choices.error().detail, exit_usage);
    block_signals();
    const auto played = play(*choices);
    return played ? exit_done : complain(played.error().detail);
}

}  // namespace

Command authority_simulator_command()
{
    return {
        .name = "authority-simulator",
        .summary = "Play Sefin Nacional on this machine: mutual TLS, a ledger of its own, and faults",
        .example = "umavez authority-simulator --folder sim --fault-rate 0.2 --faults answer-lost,slow",
        .options =
            {{"--folder", "FOLDER", "where its certificates and its ledger are kept; made on the first start"},
             {"--listen", "ADDRESS", "of this machine only [127.0.0.1:8443]"},
             {"--control", "ADDRESS", "faults and the ledger, plain HTTP [127.0.0.1:8444]"},
             {"--issuer", "LIST", "CNPJ or CPF that get a certificate [00574753000100]"},
             {"--environment", "NAME", "producao or homologacao [homologacao]"},
             {"--fault-rate", "PART", "of requests that get a fault, 0 to 1 [0]"},
             {"--faults", "LIST", fmt::format("of which [all]: {}", fmt::join(fault_words(), ", "))},
             {"--seed", "N", "the same requests get the same faults [1]"},
             {"--slow", "TIME", "how long the slow faults last [2s]"}},
        .takes_settings = false,
        .argument = {},
        .run = authority_simulator,
    };
}

}  // namespace umavez
