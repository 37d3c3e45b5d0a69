#include <umavez/result.hpp>

namespace umavez {

std::string_view to_text(Errc code) noexcept
{
    switch (code) {
        case Errc::invalid_argument: return "invalid_argument";
        case Errc::not_found: return "not_found";
        case Errc::misconfigured: return "misconfigured";
        case Errc::store_unavailable: return "store_unavailable";
        case Errc::store_unknown: return "store_unknown";
        case Errc::lease_lost: return "lease_lost";
        case Errc::corrupt_record: return "corrupt_record";
        case Errc::limit_exceeded: return "limit_exceeded";
        case Errc::wrong_thread: return "wrong_thread";
        case Errc::unique_violation: return "unique_violation";
        case Errc::busy: return "busy";
        case Errc::cancelled: return "cancelled";
        case Errc::sql: return "sql";
    }
    return "unknown";
}

std::string_view to_text(Effect effect) noexcept
{
    switch (effect) {
        case Effect::none: return "none";
        case Effect::applied: return "applied";
        case Effect::unknown: return "unknown";
    }
    return "unknown";
}

}  // namespace umavez
