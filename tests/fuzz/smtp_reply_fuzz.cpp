// What a hostile or broken mail server says.
//
// An input is the bytes of its answers. Checked: cut anywhere, a second reader finds the same replies, and
// the same end of what is SMTP; a reply is a line of printable text with a bound; a message is taken by a 2xx
// after its dot and by nothing else; and the name of a message is a piece of what was said.

#include "mail/smtp_reply.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez::mail;

constexpr std::size_t bytes_max = 64 * 1024;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

struct Dialogue {
    std::vector<std::pair<int, std::string>> replies;
    bool is_broken = false;
    bool is_empty = true;  // no byte is left over

    friend bool operator==(const Dialogue&, const Dialogue&) = default;
};

Dialogue read(std::string_view bytes, std::size_t step, std::size_t growth)
{
    ReplyReader reader;
    Dialogue dialogue;
    while (!bytes.empty()) {
        reader.feed(bytes.substr(0, step));
        bytes.remove_prefix(std::min(step, bytes.size()));
        while (auto reply = reader.take()) dialogue.replies.emplace_back(reply->code, reply->text);
        step += growth;
    }
    dialogue.is_broken = reader.is_broken();
    dialogue.is_empty = reader.is_broken() || reader.is_empty();
    return dialogue;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// All at once, line by line.
Dialogue read_plainly(std::string_view bytes)
{
    Dialogue dialogue;
    std::vector<std::string> texts;
    std::size_t text_bytes = 0;
    for (;;) {
        const std::size_t end = bytes.find('\n');
        std::string line{bytes.substr(0, end)};
        if (line.ends_with('\r') && end != std::string_view::npos) line.pop_back();
        const bool is_long = text_bytes + line.size() > bytes_max;
        if (end == std::string_view::npos) {
            dialogue.is_broken = line.size() > bytes_max + 1;
            dialogue.is_empty = dialogue.is_broken || (line.empty() && texts.empty());
            return dialogue;
        }
        bytes.remove_prefix(end + 1);
        const bool has_code = line.size() >= 3 && is_digit(line[0]) && is_digit(line[1]) &&
                              is_digit(line[2]) && !line.starts_with("000");
        const char mark = line.size() > 3 ? line[3] : ' ';
        if (!has_code || is_long || (mark != ' ' && mark != '-')) {
            dialogue.is_broken = true;
            return dialogue;
        }
        texts.push_back(line.size() > 4 ? line.substr(4) : "");
        // Lines are joined by spaces; an empty beginning needs none.
        text_bytes += texts.back().size() + (text_bytes > 0 ? 1 : 0);
        if (mark == '-') continue;
        std::string text;
        for (const std::string& one : texts) {
            if (!text.empty()) text += ' ';
            text += one;
        }
        for (char& c : text) c = c < ' ' || c > '~' ? '?' : c;
        dialogue.replies.emplace_back(std::stoi(line.substr(0, 3)), std::move(text));
        texts.clear();
        text_bytes = 0;
    }
}

void check_verdicts(int code)
{
    for (const Step step : {Step::mail, Step::rcpt, Step::data, Step::dot}) {
        const auto verdict = judge(step, code);
        const bool is_taken = verdict == Verdict::accepted;
        require(
            is_taken == (step == Step::dot && code / 100 == 2), "2xx after the dot is acceptance"
        );
        const bool goes_on = code / 100 == (step == Step::data ? 3 : 2) && step != Step::dot;
        require(!verdict.has_value() == goes_on, "and its own kind lets a command go on");
        const bool is_refused = verdict == Verdict::refused;
        require(!is_refused || code / 100 == 5, "only 5xx is for good");
    }
}

void check(std::string_view bytes, std::size_t step)
{
    const Dialogue plain = read_plainly(bytes);
    require(read(bytes, std::string_view::npos, 0) == plain, "a second reader finds the same");
    require(read(bytes, step, 0) == plain, "cut in pieces it is the same");
    require(read(bytes, 1, step) == plain, "and in growing ones");
    for (const auto& [code, text] : plain.replies) {
        require(text.size() <= bytes_max, "a reply has a bound");
        check_verdicts(code);
        const std::string id = find_queue_id(text);
        require(id.size() <= 200 && text.find(id) != std::string::npos, "a name was said");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    check(bytes, 1);
    // Long answers, which no input is: the same again and again.
    if (size == 0 || size % 16 != 0) return 0;
    std::string many;
    while (many.size() < bytes_max + 2 * size) many += bytes;
    check(many, 1 + size * 7);
    return 0;
}
