#include "modules/fiscal/ids/uf.hpp"

#include <algorithm>
#include <array>

namespace umavez::fiscal {
namespace {

constexpr auto ufs = std::to_array<Uf>({
    {"RO", "11"}, {"AC", "12"}, {"AM", "13"}, {"RR", "14"}, {"PA", "15"}, {"AP", "16"},
    {"TO", "17"}, {"MA", "21"}, {"PI", "22"}, {"CE", "23"}, {"RN", "24"}, {"PB", "25"},
    {"PE", "26"}, {"AL", "27"}, {"SE", "28"}, {"BA", "29"}, {"MG", "31"}, {"ES", "32"},
    {"RJ", "33"}, {"SP", "35"}, {"PR", "41"}, {"SC", "42"}, {"RS", "43"}, {"MS", "50"},
    {"MT", "51"}, {"GO", "52"}, {"DF", "53"},
});

}  // namespace

std::span<const Uf> all_ufs() noexcept
{
    return ufs;
}

std::optional<Uf> find_uf(std::string_view name) noexcept
{
    const auto found = std::ranges::find_if(ufs, [name](const Uf& uf) {
        return uf.sigla == name || uf.codigo == name;
    });
    return found == ufs.end() ? std::nullopt : std::optional{*found};
}

}  // namespace umavez::fiscal
