#pragma once

// XmlScan: the texts of a small XML document by their paths. As much XML as Sefin and SEFAZ take: UTF-8, no
// prefixes of namespaces (E1228, 404), no DTD, no processing instructions. It shares nothing with the
// reader of the adapter, so that no mistake of one is forgiven by the other. Immutable after construction.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

// The city of São Paulo has one in front of its roots.
enum class Prefixes : std::uint8_t { refused, dropped };

class XmlScan {
public:
    // Nullopt: not well-formed, or not of that kind.
    static std::optional<XmlScan> parse(
        std::string_view xml, Prefixes prefixes = Prefixes::refused
    );

    // The text of the first element at "DPS/infDPS/serie"; empty: there is none.
    std::string text(const std::string& path) const;
    // "DPS/infDPS@Id"
    std::string id(const std::string& path) const { return text(path + "@Id"); }
    bool has(const std::string& path) const { return texts_.contains(path); }
    std::size_t count(const std::string& path) const;

    const std::string& root() const noexcept { return root_; }
    // The root element as it was written, without what stands before and behind it.
    std::string_view element() const noexcept { return element_; }

private:
    friend class XmlScanner;
    std::map<std::string, std::string, std::less<>> texts_;  // and attributes: "DPS/infDPS@Id"
    std::map<std::string, std::size_t, std::less<>> counts_;
    std::string root_;
    std::string element_;
};

// The first element of this name as it was written, from "<NFe" to "</NFe>"; empty: there is none.
std::string_view cut_element(std::string_view xml, std::string_view name);

}  // namespace umavez::fiscal::simulator
