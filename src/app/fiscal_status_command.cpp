// `umavez fiscal status`: whether the tax offices of [[fiscal.sefaz]] work now.

#include "app/commands.hpp"
#include "app/fiscal_authorities.hpp"
#include "app/load.hpp"
#include "app/people.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/ids/uf.hpp"
#include "modules/fiscal/sefaz/sefaz_authority.hpp"

#include <fmt/format.h>

#include <set>

namespace umavez {
namespace {

using fiscal::sefaz::EndpointKey;
using fiscal::sefaz::ServiceStatus;

std::string name_of(const std::string& lugar)
{
    const auto uf = fiscal::find_uf(lugar);
    return uf ? std::string{uf->sigla} : lugar;
}

// A contingency answers for every state: this one is as good as any.
std::string state_of(const std::string& lugar)
{
    return fiscal::find_uf(lugar) ? lugar : "35";
}

std::vector<Cell> cells_of(const EndpointKey& where, const ServiceStatus& status)
{
    const bool is_known = status.is_running || status.said.word == fiscal::Word::later;
    const Colour colour = status.is_running ? Colour::green
                          : is_known        ? Colour::red
                                            : Colour::yellow;
    return {
        {name_of(where.lugar)},
        {std::string{to_text(where.tipo)}},
        {std::string{to_text(where.ambiente)}},
        {status.is_running ? "running"
         : is_known        ? "not running"
                           : "unknown",
         colour},
        {shown(status.said.detail)},
    };
}

int run(const Invocation& invocation)
{
    const auto settings = load_settings(invocation);
    if (!settings) return refuse_settings(settings.error());
    const FiscalSettings& chosen = settings->fiscal;
    if (chosen.sefaz.empty()) return complain("there is no [[fiscal.sefaz]] in the settings");
    if (chosen.emitentes.empty()) {
        return complain("there is no [[fiscal.emitente]], whose certificate could be shown");
    }
    const auto endpoints = sefaz_endpoints(chosen);
    const auto sefaz = make_sefaz(chosen);
    std::vector<std::vector<Cell>> rows;
    std::set<std::string> asked;  // an address that serves many states is asked once
    bool is_all_well = true;
    for (const auto& [where, address] : endpoints) {
        if (where.service != fiscal::sefaz::Service::status_servico) continue;
        if (!asked.insert(address + std::string{to_text(where.tipo)}).second) continue;
        const ServiceStatus status = sefaz->status(
            {
                .lugar = where.lugar,
                .uf = state_of(where.lugar),
                .tipo = where.tipo,
                .ambiente = where.ambiente,
                .emitente = chosen.emitentes.front().inscricao,
            },
            chosen.timeout_consulta,
            {}
        );
        is_all_well = is_all_well && status.is_running;
        rows.push_back(cells_of(where, status));
    }
    if (rows.empty()) return complain("no [[fiscal.sefaz]] has the address `status`");
    fmt::print("{}", to_columns({"PLACE", "TYPE", "ENVIRONMENT", "STATE", "SAID"}, rows));
    return is_all_well ? exit_done : exit_failed;
}

}  // namespace

Command fiscal_status_command()
{
    return {
        .name = "fiscal status",
        .summary = "Ask the tax offices whether they work (every three minutes at most)",
        .example = "umavez fiscal status",
        .options = {},
        .takes_settings = true,
        .argument = {},
        .run = run,
    };
}

}  // namespace umavez
