#pragma once

// Document: XML from outside, read within bounds, and a cursor to look around in it.
//
// A document type declaration is refused where it begins, so there are no entities, no default attributes
// and nothing that is fetched from elsewhere. UTF-8 only. Depth and size are bounded.
//
// A Document is immutable after construction; an Element borrows its document and is as cheap to copy as a
// pointer.

#include <umavez/result.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct _xmlDoc;  // of libxml2, whose headers stay in the sources
struct _xmlNode;

namespace umavez::xml {

struct ReadLimits {
    std::size_t bytes_max = 2 * 1024 * 1024;
    std::size_t depth_max = 64;        // of elements inside of elements
    std::size_t attributes_max = 256;  // of one element: each is compared with every other
};

class Element {
public:
    explicit Element(_xmlNode* node) noexcept : node_(node) {}

    std::string_view name() const noexcept;   // without a prefix
    std::string_view space() const noexcept;  // the URI of its namespace, "" where it has none
    long line() const noexcept;

    // Its own text, without that of the elements inside; comments in between do not part it.
    std::string text() const;
    // Of an attribute without a namespace.
    std::optional<std::string> attribute(std::string_view name) const;

    // The elements inside, in order.
    std::vector<Element> children() const;
    // Follows the names, "infDPS/prest/CNPJ", through the first child of each name in this element's
    // namespace.
    std::optional<Element> find(std::string_view path) const;
    // The text of what find() finds.
    std::optional<std::string> find_text(std::string_view path) const;

    _xmlNode* node() const noexcept { return node_; }  // for signature.cpp and canonical.cpp
    friend bool operator==(const Element&, const Element&) = default;

private:
    _xmlNode* node_;
};

class Document {
public:
    // invalid_argument: the sentence tells the line and what is wrong there. limit_exceeded: a bound.
    static Result<Document> parse(std::string_view text, const ReadLimits& limits = {});

    Element root() const noexcept;
    _xmlDoc* tree() const noexcept { return tree_.get(); }

private:
    struct Free {
        void operator()(_xmlDoc* tree) const noexcept;
    };
    using Tree = std::unique_ptr<_xmlDoc, Free>;

    explicit Document(Tree tree) noexcept : tree_(std::move(tree)) {}
    Tree tree_;
};

}  // namespace umavez::xml
