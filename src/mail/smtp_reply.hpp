#pragma once

// What an SMTP server says (RFC 5321, section 4.2), and what it means for a message. Pure, confined to its
// thread.

#include "mail/transport.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::mail {

struct Reply {
    int code = 0;
    std::string text;  // all lines of it, joined by spaces
};

// Puts replies together from the bytes as they come.
class ReplyReader {
public:
    void feed(std::string_view bytes) { bytes_ += bytes; }

    // The first whole reply; nullopt: it is not there yet, or is_broken().
    std::optional<Reply> take();

    bool is_broken() const noexcept { return is_broken_; }  // what came is not SMTP
    bool is_empty() const noexcept { return bytes_.empty() && reply_.code == 0; }

private:
    bool take_line(std::string_view line);  // true: it was the last one

    std::string bytes_;
    Reply reply_;  // its lines so far
    bool is_broken_ = false;
};

// Which command a reply belongs to.
enum class Step : std::uint8_t { mail, rcpt, data, dot };

// Nullopt: the server agreed, go on (never for the dot).
std::optional<Verdict> judge(Step step, int code) noexcept;

// The server's name for a message it took: "queued as X", "id=X", "Ok: X", else all it said.
std::string find_queue_id(std::string_view text);

}  // namespace umavez::mail
