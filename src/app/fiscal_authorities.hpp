#pragma once

// FiscalAuthorities: who authorises documents of which type, made of the settings.
//
// A type is handled where its authority has an address. Immutable after construction; thread-safe.

#include "app/fiscal_settings.hpp"
#include "modules/fiscal/sefaz/sefaz_authority.hpp"
#include "modules/fiscal/settings.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace umavez {

class FiscalAuthorities {
public:
    explicit FiscalAuthorities(const FiscalSettings& settings);

    // What the module is given; refers to this.
    std::map<fiscal::Tipo, fiscal::TipoParts> tipos() const;

    // By the names that metrics and the rate guard have.
    std::vector<std::string> names() const;

private:
    std::unique_ptr<const fiscal::Authority> nacional_;
    std::unique_ptr<const fiscal::Authority> sefaz_;  // null: it has no address
    std::unique_ptr<const fiscal::Authority> sao_paulo_;
};

// Where the services of [[fiscal.sefaz]] are, place by place.
fiscal::sefaz::Endpoints sefaz_endpoints(const FiscalSettings& settings);

// Of settings with a [[fiscal.sefaz]].
std::unique_ptr<const fiscal::sefaz::SefazAuthority> make_sefaz(const FiscalSettings& settings);

}  // namespace umavez
