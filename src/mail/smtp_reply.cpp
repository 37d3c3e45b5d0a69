#include "mail/smtp_reply.hpp"

#include "base/char_set.hpp"

#include <algorithm>
#include <utility>

namespace umavez::mail {
namespace {

constexpr std::size_t reply_bytes_max = 64 * 1024;
constexpr std::size_t queue_id_bytes_max = 200;

constexpr CharSet digits{[](unsigned char byte) { return byte >= '0' && byte <= '9'; }};
constexpr CharSet printable{[](unsigned char byte) { return byte == ' ' || is_visible(byte); }};

// It asks for a log-in, or for another one: true of every message.
bool is_about_login(int code) noexcept
{
    return code == 530 || code == 534 || code == 535 || code == 538;
}

std::size_t find_word(std::string_view text, std::string_view word)
{
    const auto is_same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    const auto found = std::ranges::search(text, word, is_same);
    return found.empty() ? std::string_view::npos
                         : static_cast<std::size_t>(found.begin() - text.begin());
}

}  // namespace

std::optional<Reply> ReplyReader::take()
{
    std::size_t used = 0;
    bool is_whole = false;
    for (std::size_t end = bytes_.find('\n'); end != std::string::npos && !is_whole && !is_broken_;
         end = bytes_.find('\n', used)) {
        std::string_view line{bytes_.data() + used, end - used};
        if (line.ends_with('\r')) line.remove_suffix(1);
        is_whole = take_line(line);
        used = end + 1;
    }
    bytes_.erase(0, used);
    // One more: the CR of the longest line, whose LF has yet to come.
    is_broken_ = is_broken_ || (!is_whole && bytes_.size() > reply_bytes_max + 1);
    if (!is_whole) return std::nullopt;
    return std::exchange(reply_, {});
}

bool ReplyReader::take_line(std::string_view line)
{
    const bool has_code =
        line.size() >= 3 && digits.has_all(line.substr(0, 3)) && line.substr(0, 3) != "000";
    const bool has_form = has_code && (line.size() == 3 || line[3] == ' ' || line[3] == '-');
    if (!has_form || reply_.text.size() + line.size() > reply_bytes_max) {
        is_broken_ = true;
        return false;
    }
    reply_.code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
    const bool is_last = line.size() == 3 || line[3] == ' ';
    if (!reply_.text.empty()) reply_.text += ' ';
    for (const char c : line.substr(std::min<std::size_t>(line.size(), 4))) {
        reply_.text += printable.has(c) ? c : '?';
    }
    return is_last;
}

std::optional<Verdict> judge(Step step, int code) noexcept
{
    const int kind = code / 100;
    if (step == Step::dot) {
        // A refusal at this point is certain, 421 included. It counts as an attempt, or a message that
        // makes its server fall would be sent for ever.
        switch (kind) {
            case 2: return Verdict::accepted;
            case 4: return Verdict::put_off;
            case 5: return Verdict::refused;
            default: return Verdict::unknown;
        }
    }
    if (kind == (step == Step::data ? 3 : 2)) return std::nullopt;
    // After MAIL was taken, 421 is about this message as far as anybody can tell. Were it not counted, one
    // recipient whom the server hangs up on would hold up all others for ever.
    if (code == 421 && step != Step::mail) return Verdict::put_off;
    if (code == 421 || is_about_login(code)) return Verdict::unreachable;
    switch (kind) {
        case 4: return Verdict::put_off;
        case 5: return Verdict::refused;
        default: return Verdict::unreachable;  // it speaks of something else
    }
}

std::string find_queue_id(std::string_view text)
{
    for (const std::string_view word : {"queued as ", " id=", "ok: "}) {
        const std::size_t at = find_word(text, word);
        if (at == std::string_view::npos) continue;
        const std::string_view id = text.substr(at + word.size());
        const std::size_t end = std::min(id.find_first_of(" ,;)"), id.size());
        if (end > 0) return std::string{id.substr(0, std::min(end, queue_id_bytes_max))};
    }
    return std::string{text.substr(0, queue_id_bytes_max)};
}

}  // namespace umavez::mail
