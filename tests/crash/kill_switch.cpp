#include "kill_switch.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace umavez::crash {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::optional<KillAt> parse_kill_at(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i < fault_points_count; ++i) {
        KillAt kill{.point = static_cast<FaultPoint>(i)};
        if (umavez::to_text(kill.point) != text.substr(0, colon)) continue;
        const std::string_view number = text.substr(colon + 1);
        const auto parsed =
            std::from_chars(number.data(), number.data() + number.size(), kill.arrival);
        if (parsed.ec != std::errc{} || kill.arrival == 0) return std::nullopt;
        return kill;
    }
    return std::nullopt;
}

std::string to_text(const KillAt& kill)
{
    return fmt::format("{}:{}", umavez::to_text(kill.point), kill.arrival);
}

Arrivals& map_arrivals(const std::string& path)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (descriptor < 0 || ::ftruncate(descriptor, sizeof(Arrivals)) != 0) {
        throw std::system_error{errno, std::generic_category(), path};
    }
    void* const mapped =
        ::mmap(nullptr, sizeof(Arrivals), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (mapped == MAP_FAILED) throw std::system_error{errno, std::generic_category(), path};
    return *static_cast<Arrivals*>(mapped);
}

void KillSwitch::strike(FaultPoint point)
{
    const auto index = static_cast<std::size_t>(point);
    arrivals_.counts[index].fetch_add(1);
    const std::uint64_t arrival = own_[index].fetch_add(1) + 1;
    if (!kill_ || kill_->point != point || kill_->arrival != arrival) return;
    arrivals_.killed_at.store(index + 1);
    ::kill(::getpid(), SIGKILL);
}

bool KillSwitch::ends(FaultPoint point, Scheduler&)
{
    strike(point);
    return false;
}

}  // namespace umavez::crash
