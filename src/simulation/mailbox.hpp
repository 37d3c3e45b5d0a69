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

    // `co_await box->letter()`
    struct Awaiter {
        Mailbox& box;

        bool await_ready() const noexcept { return box.letter_.has_value(); }
        void await_suspend(std::coroutine_handle<> handle) const noexcept { box.reader_ = handle; }
        T await_resume() const { return std::move(*box.letter_); }
    };
    Awaiter letter() noexcept { return {*this}; }

private:
    std::optional<T> letter_;
    std::coroutine_handle<> reader_;
};

}  // namespace umavez::simulation
