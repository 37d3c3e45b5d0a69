#include <umavez/time.hpp>

#include <ctime>

namespace umavez {
namespace {

Duration read(clockid_t id)
{
    timespec time{};
    ::clock_gettime(id, &time);
    return std::chrono::seconds{time.tv_sec} + Duration{time.tv_nsec / 1000};
}

class SystemClock final : public Clock {
public:
    Instant realtime() const override { return Instant{read(CLOCK_REALTIME)}; }
    Duration boottime() const override { return read(CLOCK_BOOTTIME); }
};

}  // namespace

const Clock& system_clock() noexcept
{
    static const SystemClock clock;
    return clock;
}

}  // namespace umavez
