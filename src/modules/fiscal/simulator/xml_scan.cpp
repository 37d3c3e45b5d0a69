#include "modules/fiscal/simulator/xml_scan.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::string_view spaces = " \t\r\n";
constexpr std::size_t depth_max = 64;

constexpr std::array<std::pair<std::string_view, char>, 5> entities{{
    {"&amp;", '&'},
    {"&lt;", '<'},
    {"&gt;", '>'},
    {"&quot;", '"'},
    {"&apos;", '\''},
}};

// What is no such entity, a number of a character for instance, stays as it is: nothing that is looked at
// has one.
std::string unescape(std::string_view text)
{
    std::string plain;
    while (!text.empty()) {
        const auto found = std::ranges::find_if(entities, [text](const auto& entity) {
            return text.starts_with(entity.first);
        });
        plain += found == entities.end() ? text.front() : found->second;
        text.remove_prefix(found == entities.end() ? 1 : found->first.size());
    }
    return plain;
}

}  // namespace

class XmlScanner {
public:
    XmlScanner(std::string_view xml, Prefixes prefixes) : rest_(xml), prefixes_(prefixes) {}

    bool scan(XmlScan& out)
    {
        take("\xEF\xBB\xBF");
        if (rest_.starts_with("<?xml") && !skip_past("?>")) return false;
        const char* begin = nullptr;
        while (!rest_.empty()) {
            const std::size_t text = std::min(rest_.find('<'), rest_.size());
            if (!take_text(text, out)) return false;
            if (rest_.empty()) break;
            if (rest_.starts_with("<!--")) {
                if (!skip_past("-->")) return false;
                continue;
            }
            if (rest_.starts_with("<![CDATA[") && !paths_.empty()) {
                if (!skip_past("]]>")) return false;
                continue;
            }
            if (rest_.starts_with("<!") || rest_.starts_with("<?")) return false;
            if (begin == nullptr) begin = rest_.data();
            if (is_done_ || !take_tag(out)) return false;
            if (is_done_) out.element_ = {begin, rest_.data()};
        }
        return is_done_;
    }

private:
    bool take(std::string_view expected)
    {
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }

    bool skip_past(std::string_view mark)
    {
        const std::size_t at = rest_.find(mark);
        if (at == std::string_view::npos) return false;
        rest_.remove_prefix(at + mark.size());
        return true;
    }

    void skip_spaces()
    {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(spaces), rest_.size()));
    }

    std::string_view take_name()
    {
        const std::size_t end = std::min(rest_.find_first_of(" \t\r\n=/>\"'<"), rest_.size());
        const std::string_view name = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return name;
    }

    std::string_view without_prefix(std::string_view name) const
    {
        const std::size_t colon = name.find(':');
        const bool is_dropped = prefixes_ == Prefixes::dropped && colon != std::string_view::npos;
        return is_dropped ? name.substr(colon + 1) : name;
    }

    bool take_text(std::size_t bytes, XmlScan& out)
    {
        const std::string_view text = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        if (paths_.empty()) return text.find_first_not_of(spaces) == std::string_view::npos;
        if (keeps_.back()) out.texts_[paths_.back()] += unescape(text);
        return true;
    }

    bool take_tag(XmlScan& out)
    {
        if (take("</")) return take_end();
        take("<");
        const std::string name{without_prefix(take_name())};
        if (name.empty() || name.contains(':') || paths_.size() >= depth_max) return false;
        if (paths_.empty()) out.root_ = name;
        paths_.push_back(paths_.empty() ? name : paths_.back() + '/' + name);
        keeps_.push_back(out.texts_.try_emplace(paths_.back()).second);
        ++out.counts_[paths_.back()];
        for (;;) {
            skip_spaces();
            if (take("/>")) return end_element();
            if (take(">")) return true;
            if (!take_attribute(out)) return false;
        }
    }

    bool take_attribute(XmlScan& out)
    {
        const std::string name{take_name()};
        skip_spaces();
        if (name.empty() || !take("=")) return false;
        skip_spaces();
        const std::string quote{rest_.substr(0, 1)};
        if ((quote != "\"" && quote != "'") || !take(quote)) return false;
        const std::size_t end = rest_.find(quote);
        const bool is_prefix = name.starts_with("xmlns:");
        if (end == std::string_view::npos || (is_prefix && prefixes_ == Prefixes::refused))
            return false;
        if (keeps_.back())
            out.texts_.try_emplace(paths_.back() + '@' + name, unescape(rest_.substr(0, end)));
        rest_.remove_prefix(end + 1);
        return true;
    }

    bool take_end()
    {
        const std::string_view name = without_prefix(take_name());
        skip_spaces();
        if (paths_.empty() || !take(">")) return false;
        const std::string& path = paths_.back();
        const bool is_ours = path == name || path.ends_with('/' + std::string{name});
        return is_ours && end_element();
    }

    bool end_element()
    {
        paths_.pop_back();
        keeps_.pop_back();
        is_done_ = paths_.empty();
        return true;
    }

    std::string_view rest_;
    Prefixes prefixes_;
    std::vector<std::string> paths_;  // of the elements that are open
    std::vector<bool> keeps_;         // whether each is the first at its path
    bool is_done_ = false;
};

std::optional<XmlScan> XmlScan::parse(std::string_view xml, Prefixes prefixes)
{
    if (!is_utf8(xml)) return std::nullopt;
    XmlScan scan;
    if (!XmlScanner{xml, prefixes}.scan(scan)) return std::nullopt;
    return scan;
}

std::string XmlScan::text(const std::string& path) const
{
    const auto found = texts_.find(path);
    return found == texts_.end() ? std::string{} : found->second;
}

std::size_t XmlScan::count(const std::string& path) const
{
    const auto found = counts_.find(path);
    return found == counts_.end() ? 0 : found->second;
}

std::string_view cut_element(std::string_view xml, std::string_view name)
{
    const std::string open = '<' + std::string{name};
    const std::string close = "</" + std::string{name} + '>';
    for (std::size_t at = xml.find(open); at != std::string_view::npos;
         at = xml.find(open, at + 1)) {
        const std::string_view rest = xml.substr(at);
        const bool is_whole_name = rest.size() > open.size() &&
                                   (spaces.contains(rest[open.size()]) || rest[open.size()] == '>');
        const std::size_t end = rest.find(close);
        if (is_whole_name && end != std::string_view::npos)
            return rest.substr(0, end + close.size());
    }
    return {};
}

}  // namespace umavez::fiscal::simulator
