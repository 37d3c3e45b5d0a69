#pragma once

// Trace: one short line per event of a simulated world, folded into a hash and, on demand, kept as text.
//
// The hash is the proof of determinism: the same seed must give the same hash, so a line may hold nothing
// that differs between two runs (an address, a path, a wall clock). docs/internals/simulation.md has the
// legend. Confined to the simulation's thread.

#include <umavez/time.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::simulation {

class Trace {
public:
    explicit Trace(bool keeps) : keeps_(keeps) {}

    template <typename... Arguments>
    void line(Duration now, fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        buffer_.clear();
        fmt::format_to(std::back_inserter(buffer_), "{:>10.3f} ", static_cast<double>(now.count()) / 1e3);
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
        fold({buffer_.data(), buffer_.size()});
        if (keeps_) lines_.emplace_back(buffer_.data(), buffer_.size());
    }

    std::uint64_t hash() const noexcept { return hash_; }
    const std::vector<std::string>& lines() const noexcept { return lines_; }

private:
    void fold(std::string_view text) noexcept;

    const bool keeps_;
    std::uint64_t hash_ = 0xcbf29ce484222325u;
    fmt::memory_buffer buffer_;
    std::vector<std::string> lines_;
};

// Folds one hash into another; the order counts.
std::uint64_t combine(std::uint64_t hash, std::uint64_t next) noexcept;

}  // namespace umavez::simulation
