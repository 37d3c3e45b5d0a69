#pragma once

// Output: text in pieces, through a buffer of fixed size.
//
// The fingerprint of a large body is computed without a second copy of it in memory. Confined to
// its thread.

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>

namespace umavez {

class Output {
public:
    // `sink` sees the text in order; a piece is valid during the call.
    explicit Output(std::function<void(std::string_view piece)> sink) : sink_(std::move(sink)) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void append(char c)
    {
        if (used_ == buffer_.size()) flush();
        buffer_[used_++] = c;
    }

    void append(std::string_view text)
    {
        if (text.size() > buffer_.size() - used_) return append_across(text);
        std::memcpy(buffer_.data() + used_, text.data(), text.size());
        used_ += text.size();
    }

    // As append(), where the text stands in a larger one that ends at `end`: short pieces are
    // copied with bytes behind them, which the next piece overwrites, so that their size decides no
    // branch.
    void append_within(std::string_view text, const char* end)
    {
        constexpr std::size_t chunk = 32;
        const bool is_short = text.size() <= chunk;
        const bool has_room = buffer_.size() - used_ >= chunk;
        if (!is_short || !has_room || end - text.data() < static_cast<std::ptrdiff_t>(chunk)) {
            return append(text);
        }
        std::memcpy(buffer_.data() + used_, text.data(), chunk);
        used_ += text.size();
    }

    // Call once, after the last append.
    void finish() { flush(); }

private:
    void flush()
    {
        sink_({buffer_.data(), used_});
        used_ = 0;
    }

    void append_across(std::string_view text)
    {
        flush();
        if (text.size() > buffer_.size()) return sink_(text);
        append(text);
    }

    std::function<void(std::string_view)> sink_;
    std::size_t used_ = 0;
    std::array<char, 8192> buffer_;
};

}  // namespace umavez
