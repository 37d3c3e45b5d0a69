#pragma once

// How often this process is the child of a fork() since the program started: 0 in the first. Threads and the
// locks they held stay behind in the parent, so whoever has threads compares this with what it was born with.
// Thread-safe.

#include <memory>
#include <utility>

namespace umavez {

unsigned fork_generation() noexcept;

// A T that only the process that made it destroys. A child's copy is left as it is: its threads cannot be
// joined there, its locks may be held by nobody, and its files are the parent's business. As thread-safe
// as T.
template <typename T>
class OfThisProcess {
public:
    template <typename... Arguments>
    explicit OfThisProcess(Arguments&&... arguments)
    {
        std::construct_at(&value_, std::forward<Arguments>(arguments)...);
    }
    ~OfThisProcess()
    {
        if (fork_generation() == born_in_) std::destroy_at(&value_);
    }
    OfThisProcess(const OfThisProcess&) = delete;
    OfThisProcess& operator=(const OfThisProcess&) = delete;

    T& operator*() noexcept { return value_; }
    const T& operator*() const noexcept { return value_; }
    T* operator->() noexcept { return &value_; }
    const T* operator->() const noexcept { return &value_; }

private:
    union {
        T value_;
    };
    const unsigned born_in_ = fork_generation();
};

}  // namespace umavez
