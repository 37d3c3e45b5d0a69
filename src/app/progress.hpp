#pragma once

// Progress of something long, for people: a bar that is written over itself on a terminal, a line every few
// seconds elsewhere. Written to standard error, so that results can be piped. Confined to its thread; the
// functions are pure.

#include <umavez/time.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace umavez {

struct ProgressState {
    std::string_view what;         // "reading"
    std::int64_t bytes = 0;        // done
    std::int64_t bytes_total = 0;  // 0: not known
    std::optional<std::int64_t> lines = {};
};

// "12.3 MiB", "812 B".
std::string to_size(std::int64_t bytes);

// "reading [#####-----]  50%  1.0/2.0 MiB  1200 lines, 600/s, 2 s left". `took` since it began, `width` of
// the bar.
std::string to_progress_line(const ProgressState& state, Duration took, std::size_t width);

class Progress {
public:
    // Quiet: says nothing.
    explicit Progress(bool is_quiet);
    ~Progress() { end(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Another thing begins: the clock too.
    void begin();
    void show(const ProgressState& state);
    // The bar stays where it is, and the next output begins a line.
    void end();

private:
    const bool is_quiet_;
    const bool is_terminal_;
    Duration began_{};
    Duration shown_{};
    bool has_bar_ = false;
};

}  // namespace umavez
