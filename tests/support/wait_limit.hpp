#pragma once

// The part of wait.hpp that needs no gtest, for programs that have none: the deadline, which
// UMAVEZ_WAIT_SECONDS makes longer, and the waits that throw. Thread-safe.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace umavez::test {

class WaitNotMet : public std::runtime_error {
public:
    explicit WaitNotMet(const std::string& message) : std::runtime_error{message} {}
};

inline std::chrono::seconds wait_limit()
{
    static const char* const given = std::getenv("UMAVEZ_WAIT_SECONDS");
    static const std::chrono::seconds limit{given == nullptr ? 60 : std::max(60, std::atoi(given))};
    return limit;
}

inline std::string not_met(std::string_view what)
{
    return "WAIT NOT MET: " + std::string{what} + ", after " +
           std::to_string(wait_limit().count()) + " s";
}

// Whether `condition()` became true. It is asked every millisecond: for what no event tells.
template <typename Condition>
[[nodiscard]] bool became_true(Condition condition)
{
    const auto deadline = std::chrono::steady_clock::now() + wait_limit();
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return static_cast<bool>(condition());
        ::poll(nullptr, 0, 1);
    }
    return true;
}

template <typename T>
[[nodiscard]] bool became_true(std::future<T>& future)
{
    return future.wait_for(wait_limit()) == std::future_status::ready;
}

template <typename T>
[[nodiscard]] bool became_true(const std::shared_future<T>& future)
{
    return future.wait_for(wait_limit()) == std::future_status::ready;
}

template <typename Condition>
void wait_until(std::string_view what, Condition condition)
{
    if (!became_true(condition)) throw WaitNotMet{not_met(what)};
}

// On an event: `lock` holds the mutex of `changed`.
template <typename Condition>
void wait_until(
    std::string_view what,
    std::condition_variable& changed,
    std::unique_lock<std::mutex>& lock,
    Condition condition
)
{
    if (!changed.wait_for(lock, wait_limit(), condition)) throw WaitNotMet{not_met(what)};
}

// Its value, or what it threw.
template <typename T>
T wait_for(std::string_view what, std::future<T> future)
{
    if (!became_true(future)) throw WaitNotMet{not_met(what)};
    return future.get();
}

}  // namespace umavez::test
