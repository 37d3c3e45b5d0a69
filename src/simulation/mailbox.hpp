#pragma once

// Mailbox: one letter for one waiting task. The first letter counts and later ones are thrown away, so an
// answer and a timeout may both be posted. Confined to the simulation's thread.

#include <coroutine>
#include <optional>
#include <utility>

namespace umavez::simulation {

template <typename T>
class Mailbox {
public:
    void put(T letter)
    {
        if (letter_) return;
        letter_.emplace(std::move(letter));
        if (const auto reader = std::exchange(reader_, {})) reader.resume();
    }

    // `co_await *box`
    bool await_ready() const noexcept { return letter_.has_value(); }
    void await_suspend(std::coroutine_handle<> handle) noexcept { reader_ = handle; }
    T await_resume() { return std::move(*letter_); }

private:
    std::optional<T> letter_;
    std::coroutine_handle<> reader_;
};

}  // namespace umavez::simulation
