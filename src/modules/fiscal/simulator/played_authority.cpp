#include "modules/fiscal/simulator/played_authority.hpp"

#include "base/file.hpp"
#include "modules/fiscal/simulator/control.hpp"
#include "modules/fiscal/simulator/sefaz_call.hpp"
#include "modules/fiscal/simulator/sp_call.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace umavez::fiscal::simulator {
namespace {

std::string ledger_in(const std::string& folder)
{
    return folder + "/ledger.jsonl";
}

std::string in_url(const std::string& address)
{
    return address.contains(':') ? '[' + address + ']' : address;
}

}  // namespace

Result<std::unique_ptr<PlayedAuthority>> PlayedAuthority::start(PlayOptions options)
{
    std::error_code error;
    std::filesystem::create_directories(options.folder, error);
    if (error) return file_error("make the folder", options.folder, error.value());
    std::unique_ptr<PlayedAuthority> played{new PlayedAuthority{std::move(options)}};
    const PlayOptions& chosen = played->options_;

    // First of all: its lock keeps a second simulator out of the folder.
    auto simulator = Simulator::open(
        {.ledger = ledger_in(chosen.folder),
         .ambiente = chosen.ambiente,
         .chance = chosen.chance,
         .slow = chosen.slow,
         .throttle = chosen.throttle}
    );
    if (!simulator) return std::unexpected(simulator.error());
    played->simulator_ = *std::move(simulator);
    Simulator& office = *played->simulator_;

    auto files = make_certificates(chosen.folder, chosen.issuers);
    if (!files) return std::unexpected(files.error());
    played->files_ = *std::move(files);

    auto control = http::Server::listen(
        {.address = chosen.control_address,
         .port = chosen.control_port,
         .address_flag = "--control",
         .threads = 1},
        [&office](const http::Request& request) {
            return Task<http::Response>::ready(answer_control(office, request));
        },
        {}
    );
    if (!control) return std::unexpected(control.error());
    played->control_ = *std::move(control);
    played->control_->start();

    auto door = Door::open(
        {.address = chosen.address,
         .port = chosen.port,
         .server_pem = played->files_.server,
         .client_ca = played->files_.ca},
        [&office](const http::Request& request, std::string caller, const std::stop_token& stop) {
            return office.serve(request, std::move(caller), stop);
        }
    );
    if (!door) return std::unexpected(door.error());
    played->door_ = *std::move(door);
    return played;
}

std::string PlayedAuthority::base_url() const
{
    return fmt::format("https://{}:{}", in_url(options_.address), door_->port());
}

std::string PlayedAuthority::url() const
{
    return base_url() + "/SefinNacional";
}

std::string PlayedAuthority::control_url() const
{
    return fmt::format("http://{}:{}", in_url(options_.control_address), control_->port());
}

std::string PlayedAuthority::ledger_path() const
{
    return ledger_in(options_.folder);
}

std::string PlayedAuthority::settings() const
{
    const std::string_view ambiente = options_.ambiente == "1" ? "producao" : "homologacao";
    std::string text = fmt::format(
        "[fiscal.nacional]\n{} = \"{}\"\nca_file = \"{}\"\n", ambiente, url(), files_.ca
    );
    text += fmt::format(
        "\n[[fiscal.sefaz]]\nlugar = \"*\"\nambiente = \"{}\"\nca_file = \"{}\"\n",
        ambiente,
        files_.ca
    );
    for (const SefazService& service : sefaz_services) {
        text +=
            fmt::format("{} = \"{}{}{}\"\n", service.setting, base_url(), sefaz_base, service.name);
    }
    text += fmt::format(
        "\n[fiscal.sao_paulo]\n{} = \"{}{}\"\nca_file = \"{}\"\n",
        ambiente,
        base_url(),
        sp_path,
        files_.ca
    );
    for (const IssuerFiles& issuer : files_.issuers) {
        text += fmt::format(
            "\n[[fiscal.emitente]]\ninscricao = \"{}\"\ntenant = \"default\"\ncertificado = "
            "\"{}\"\n"
            "senha = \"{}\"\n",
            issuer.inscricao,
            issuer.pfx,
            pfx_password
        );
    }
    return text;
}

}  // namespace umavez::fiscal::simulator
