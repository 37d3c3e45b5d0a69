#pragma once

// XmlScan: the texts of a small XML document by their paths. As much XML as Sefin takes: UTF-8, no prefixes
// of namespaces (E1228), no DTD, no processing instructions. It shares nothing with the reader of the
// adapter, so that no mistake of one is forgiven by the other. Immutable after construction.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

class XmlScan {
public:
    // Nullopt: not well-formed, or not of that kind.
    static std::optional<XmlScan> parse(std::string_view xml);

    // The text of the first element at "DPS/infDPS/serie"; empty: there is none.
    std::string text(const std::string& path) const;
    // "DPS/infDPS@Id"; only attributes named Id are kept.
    std::string id(const std::string& path) const { return text(path + "@Id"); }
    bool has(const std::string& path) const { return texts_.contains(path); }

    const std::string& root() const noexcept { return root_; }
    // The root element as it was written, without what stands before and behind it.
    std::string_view element() const noexcept { return element_; }

private:
    friend class XmlScanner;
    std::map<std::string, std::string, std::less<>> texts_;
    std::string root_;
    std::string element_;
};

}  // namespace umavez::fiscal::simulator
