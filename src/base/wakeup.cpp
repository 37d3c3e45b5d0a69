#include "base/wakeup.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace umavez {
namespace {

// For poll(), to which everything below zero is for ever.
int to_millis(Duration limit)
{
    const auto millis = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
    constexpr std::int64_t longest = std::numeric_limits<int>::max();
    return static_cast<int>(std::clamp<std::int64_t>(millis, 0, longest));
}

}  // namespace

Wakeup::Wakeup() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    UMAVEZ_ASSERT(descriptor_ >= 0);
}

Wakeup::~Wakeup()
{
    ::close(descriptor_);
}

void Wakeup::wake() const noexcept
{
    const std::uint64_t one = 1;
    // A full counter is a wake already.
    [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

void Wakeup::wait(std::initializer_list<int> descriptors, Duration limit) const noexcept
{
    std::array<pollfd, 4> watched{};
    std::size_t count = 0;
    watched[count++] = {.fd = descriptor_, .events = POLLIN, .revents = 0};
    for (const int descriptor : descriptors) {
        if (descriptor < 0 || count == watched.size()) continue;
        watched[count++] = {.fd = descriptor, .events = POLLIN, .revents = 0};
    }
    ::poll(watched.data(), count, to_millis(limit));
    std::uint64_t wakes = 0;
    [[maybe_unused]] const auto read = ::read(descriptor_, &wakes, sizeof wakes);
}

}  // namespace umavez
