// The lines of the control socket: a wish or a reply as one JSON object.

#include "base/json_object.hpp"
#include "json/tree.hpp"
#include "operators/desk.hpp"

#include <charconv>

namespace umavez::operators {
namespace {

std::string text_of(const JsonValue& object, std::string_view name)
{
    const auto value = object.find(name);
    return value && value->kind() == JsonKind::string ? std::string{value->string()}
                                                      : std::string{};
}

bool is_plain(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string to_line(const Wish& wish, const std::string& by)
{
    return JsonObject{}
        .text("method", wish.method)
        .text("path", wish.path)
        .text("query", wish.query)
        .text("body", wish.body)
        .text("by", by)
        .str();
}

std::string to_line(const Reply& reply)
{
    return JsonObject{}.number("status", reply.status).text("body", reply.body).str();
}

Result<TakenWish> parse_wish(const std::string& line)
{
    const auto tree = JsonTree::parse(line);
    if (!tree) return fail(Errc::invalid_argument, "not a wish: " + tree.error().detail);
    const JsonValue root = tree->root();
    Wish wish{
        text_of(root, "method"),
        text_of(root, "path"),
        text_of(root, "query"),
        text_of(root, "body")
    };
    if (!wish.path.starts_with('/'))
        return fail(Errc::invalid_argument, "not a wish: it has no path");
    return TakenWish{std::move(wish), text_of(root, "by")};
}

Result<Reply> parse_reply(const std::string& line)
{
    if (line.starts_with("error: "))
        return fail(Errc::store_unknown, "the server: " + line.substr(7));
    const auto tree = JsonTree::parse(line);
    const auto status = tree ? tree->root().find("status") : std::nullopt;
    Reply reply;
    if (!status || status->kind() != JsonKind::number) {
        return fail(Errc::store_unknown, "the server answered with something else than a reply");
    }
    const std::string_view text = status->number();
    std::from_chars(text.data(), text.data() + text.size(), reply.status);
    reply.body = text_of(tree->root(), "body");
    return reply;
}

std::string percent_encode(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        if (is_plain(c)) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += digits[byte >> 4U];
        encoded += digits[byte & 0xFU];
    }
    return encoded;
}

}  // namespace umavez::operators
