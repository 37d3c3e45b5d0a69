#include "modules/fiscal/authority/authority.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {

Result<std::string> Authority::make_substitution(
    const Subject&, const std::string&, const std::string&, Instant
) const
{
    return fail(
        Errc::misconfigured,
        fmt::format("{} has no cancellation by substitution: cancel without one", name())
    );
}

Result<std::string> Authority::make_voiding(const Inutilizacao&) const
{
    return fail(
        Errc::misconfigured,
        fmt::format("{} does not void numbers: those that were not used need nothing", name())
    );
}

Said Authority::
    void_numbers(const Inutilizacao&, const std::string&, Duration, const std::stop_token&) const
{
    return {.word = Word::unreached, .detail = fmt::format("{} does not void numbers", name())};
}

}  // namespace umavez::fiscal
