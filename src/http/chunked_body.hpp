#pragma once

// The chunked coding (RFC 9112, 7.1), taken off as the bytes arrive.
//
//     size [;extension] CRLF  data CRLF  …  0 CRLF  trailers  CRLF
//
// Lines end with CRLF and with nothing else: where one server sees a line end and another does not,
// the next request begins in two places. For the same reason no quoted string of an extension may be
// open at the end of its line. What cannot become right any more is refused at once, not when the
// deadline comes. Extensions and trailers are checked and dropped. No I/O; confined to its connection.

#include "http/framing.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::http {

class ChunkedBody {
public:
    // `lines_bytes_max`: of all extensions together, and of all trailers.
    ChunkedBody(std::uint64_t body_bytes_max, std::size_t lines_bytes_max) noexcept
        : body_bytes_max_(body_bytes_max), lines_bytes_max_(lines_bytes_max)
    {
    }

    // Tells how many bytes were used: all, unless the body has ended or is refused.
    std::size_t put(std::string_view bytes);

    const std::optional<Refusal>& refusal() const noexcept { return refusal_; }
    bool is_done() const noexcept { return state_ == State::done; }
    std::uint64_t bytes() const noexcept { return bytes_; }  // that have come, taken or not
    // What has come since the last time, for whoever does not wait for the whole.
    std::string_view piece() const noexcept { return body_; }
    void drop_piece() noexcept { body_.clear(); }
    std::string take() noexcept { return std::move(body_); }

private:
    enum class State : std::uint8_t {
        size,
        extension,
        size_lf,
        data,
        data_cr,
        data_lf,
        trailer,
        done
    };

    void on_size(char c);
    void on_extension(char c);
    void on_quoted(char c) noexcept;
    void on_size_line();
    void on_trailer(char c);
    std::size_t on_data(std::string_view bytes);
    void step(char c);
    void refuse(Refusal refusal) { refusal_ = std::move(refusal); }

    const std::uint64_t body_bytes_max_;
    const std::size_t lines_bytes_max_;
    State state_ = State::size;
    std::uint64_t size_ = 0;       // of the chunk at hand; then what is missing of it
    std::size_t digits_ = 0;       // of its size
    bool has_semicolon_ = false;   // without one only spaces follow the size
    bool is_quoted_ = false;       // inside a quoted string of an extension
    bool is_escaped_ = false;      // after a backslash in it
    std::size_t lines_bytes_ = 0;  // of extensions or trailers
    std::string line_;             // of the trailers
    std::uint64_t bytes_ = 0;
    std::string body_;
    std::optional<Refusal> refusal_;
};

}  // namespace umavez::http
