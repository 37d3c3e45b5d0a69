#include "xml/only.hpp"

#include "base/char_set.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <charconv>

namespace umavez::xml {
namespace {

constexpr CharSet digits{[](unsigned char byte) { return byte >= '0' && byte <= '9'; }};

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

}  // namespace

Result<Element> only_child(const Element& parent, std::string_view name)
{
    std::optional<Element> found;
    for (const Element& child : parent.children()) {
        if (child.name() != name || child.space() != parent.space()) continue;
        if (found) return refuse(fmt::format("{} stands twice in {}", name, shown(parent.name())));
        found = child;
    }
    if (!found) return refuse(fmt::format("{} has no {}", shown(parent.name()), name));
    return *found;
}

Result<std::string> only_text(const Element& parent, std::string_view name)
{
    const auto child = only_child(parent, name);
    if (!child) return std::unexpected(child.error());
    return child->text();
}

Result<std::int64_t> only_number(
    const Element& parent, std::string_view name, std::size_t digits_max
)
{
    const auto text = only_text(parent, name);
    if (!text) return std::unexpected(text.error());
    std::int64_t number = 0;
    if (text->empty() || text->size() > digits_max || !digits.has_all(*text)) {
        return refuse(fmt::format("{} must have 1 to {} digits: {}", name, digits_max, shown(*text))
        );
    }
    std::from_chars(text->data(), text->data() + text->size(), number);
    return number;
}

}  // namespace umavez::xml
