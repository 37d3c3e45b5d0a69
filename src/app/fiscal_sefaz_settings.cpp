// [[fiscal.sefaz]]: where the tax offices of the states are, as the file has them.

#include "app/fiscal_settings.hpp"
#include "app/listed_table.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/ids/tipo.hpp"
#include "modules/fiscal/ids/uf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace umavez {
namespace {

using Sefaz = FiscalSettings::Sefaz;

struct TextKey {
    std::string_view name;
    std::string Sefaz::* field;
    bool is_address = false;
};
constexpr std::array text_keys = {
    TextKey{"lugar", &Sefaz::lugar},
    TextKey{"modelo", &Sefaz::modelo},
    TextKey{"ambiente", &Sefaz::ambiente},
    TextKey{"autorizacao", &Sefaz::autorizacao, true},
    TextKey{"ret_autorizacao", &Sefaz::ret_autorizacao, true},
    TextKey{"consulta", &Sefaz::consulta, true},
    TextKey{"evento", &Sefaz::evento, true},
    TextKey{"inutilizacao", &Sefaz::inutilizacao, true},
    TextKey{"status", &Sefaz::status, true},
    TextKey{"ca_file", &Sefaz::ca_file},
};

Result<void> take_key(const ConfigEntry& entry, const std::string& key, Sefaz& sefaz)
{
    const auto found = std::ranges::find(text_keys, key, &TextKey::name);
    if (found == text_keys.end()) {
        std::vector<std::string> known;
        for (const TextKey& one : text_keys) known.emplace_back(one.name);
        return fail(
            Errc::misconfigured,
            fmt::format("is not a key of [[fiscal.sefaz]]{}", suggestion(key, known))
        );
    }
    if (entry.type != ConfigType::string) {
        return fail(Errc::misconfigured, "wanted a string: write it in quotes");
    }
    if (found->is_address) {
        if (auto checked = check_endpoint(entry.value); !checked) return checked;
    }
    sefaz.*found->field = entry.value;
    return {};
}

Result<void> check_one(const Sefaz& sefaz)
{
    const bool is_contingency = sefaz.lugar == "SVC-AN" || sefaz.lugar == "SVC-RS";
    if (sefaz.lugar != "*" && !is_contingency && !fiscal::find_uf(sefaz.lugar)) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "lugar \"{}\": write a state (\"SP\" or \"35\"), \"SVC-AN\", \"SVC-RS\", or \"*\" "
                "for all of them",
                shown(sefaz.lugar)
            )
        );
    }
    if (!sefaz.modelo.empty() && sefaz.modelo != "nfe" && sefaz.modelo != "nfce") {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "modelo \"{}\": write \"nfe\" or \"nfce\", or leave it out for both",
                shown(sefaz.modelo)
            )
        );
    }
    if (!fiscal::parse_ambiente(sefaz.ambiente)) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "ambiente \"{}\": write \"producao\" or \"homologacao\"", shown(sefaz.ambiente)
            )
        );
    }
    if (sefaz.autorizacao.empty() || sefaz.consulta.empty()) {
        return fail(
            Errc::misconfigured,
            "autorizacao and consulta are needed: what cannot be asked about is not sent"
        );
    }
    return {};
}

}  // namespace

Result<void> take_sefaz_entry(const ConfigEntry& entry, FiscalSettings& settings)
{
    return take_listed_entry(
        entry,
        settings.sefaz,
        "write each place as [[fiscal.sefaz]], with two brackets, and its lugar, ambiente and "
        "addresses below",
        take_key
    );
}

Result<void> check_sefaz(const FiscalSettings& settings)
{
    for (const Sefaz& sefaz : settings.sefaz) {
        auto checked = check_one(sefaz);
        if (checked && sefaz.ca_file != settings.sefaz.front().ca_file) {
            checked =
                fail(Errc::misconfigured, "ca_file: name the same file in every [[fiscal.sefaz]]");
        }
        if (!checked) {
            return fail(
                Errc::misconfigured,
                fmt::format("fiscal.sefaz (line {}): {}", sefaz.line, checked.error().detail)
            );
        }
    }
    return {};
}

}  // namespace umavez
