#include "xml/document.hpp"

#include "base/assert.hpp"
#include "base/shown.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/uri.h>
#include <mutex>
#include <optional>
#include <strings.h>
#include <utility>

namespace umavez::xml {
namespace {

std::string_view view_of(const xmlChar* text) noexcept
{
    return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

struct FreeContext {
    void operator()(xmlParserCtxt* context) const noexcept { xmlFreeParserCtxt(context); }
};
using Context = std::unique_ptr<xmlParserCtxt, FreeContext>;

// What the parser's callbacks found that ends the reading.
struct Verdict {
    std::size_t depth_max = 0;
    bool has_type = false;
    bool is_too_deep = false;
    bool has_relative_space = false;
};

// Canonical XML has no form for namespaces that are not absolute.
bool is_absolute(const xmlChar* uri)
{
    if (view_of(uri).empty()) return true;
    xmlURI* const parsed = xmlParseURI(reinterpret_cast<const char*>(uri));
    const bool has_scheme = parsed != nullptr && parsed->scheme != nullptr;
    xmlFreeURI(parsed);
    return has_scheme;
}

xmlParserCtxt* context_of(void* user) noexcept
{
    return static_cast<xmlParserCtxt*>(user);
}

Verdict& verdict_of(void* user) noexcept
{
    return *static_cast<Verdict*>(context_of(user)->_private);
}

// Called at "<!DOCTYPE", before anything inside of it is read.
void refuse_type(void* user, const xmlChar*, const xmlChar*, const xmlChar*)
{
    verdict_of(user).has_type = true;
    xmlStopParser(context_of(user));
}

void begin_element(
    void* user,
    const xmlChar* name,
    const xmlChar* prefix,
    const xmlChar* uri,
    int namespaces_count,
    const xmlChar** namespaces,
    int attributes_count,
    int defaulted_count,
    const xmlChar** attributes
)
{
    Verdict& verdict = verdict_of(user);
    if (static_cast<std::size_t>(context_of(user)->nodeNr) >= verdict.depth_max) {
        verdict.is_too_deep = true;
        xmlStopParser(context_of(user));
        return;
    }
    for (int i = 0; i < namespaces_count; ++i) {
        if (is_absolute(namespaces[2 * i + 1])) continue;
        verdict.has_relative_space = true;
        xmlStopParser(context_of(user));
        return;
    }
    xmlSAX2StartElementNs(
        user,
        name,
        prefix,
        uri,
        namespaces_count,
        namespaces,
        attributes_count,
        defaulted_count,
        attributes
    );
}

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

std::unexpected<Error> refuse_by(const xmlParserCtxt& context)
{
    const xmlError* const error = xmlCtxtGetLastError(const_cast<xmlParserCtxt*>(&context));
    if (error == nullptr || error->message == nullptr) return refuse("it is no well-formed XML");
    std::string_view message = error->message;
    while (message.ends_with('\n')) message.remove_suffix(1);
    return refuse(fmt::format("it is no well-formed XML: line {}: {}", error->line, shown(message))
    );
}

}  // namespace

void Document::Free::operator()(_xmlDoc* tree) const noexcept
{
    xmlFreeDoc(tree);
}

namespace {

// Behind the end of a comment, of CDATA or of an instruction that begins here. Nullopt: none does.
std::optional<std::size_t> skip_opaque(std::string_view text, std::size_t at)
{
    constexpr std::pair<std::string_view, std::string_view> kinds[] = {
        {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}
    };
    for (const auto& [begin, end] : kinds) {
        if (!text.substr(at).starts_with(begin)) continue;
        const std::size_t found = text.find(end, at + begin.size());
        return found == std::string_view::npos ? text.size() : found + end.size();
    }
    return std::nullopt;
}

// Looked at before it is parsed: the parser takes seconds of an element with as many as fit.
bool has_crowded_element(std::string_view text, std::size_t attributes_max)
{
    for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
        if (const auto behind = skip_opaque(text, at)) {
            at = *behind;
            continue;
        }
        char quote = 0;
        std::size_t count = 0;
        for (++at; at < text.size() && (quote != 0 || text[at] != '>'); ++at) {
            const char c = text[at];
            if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
                if (++count > attributes_max) return true;
            } else if (c == quote) {
                quote = 0;
            }
        }
    }
    return false;
}

}  // namespace

Result<Document> Document::parse(std::string_view text, const ReadLimits& limits)
{
    static std::once_flag initialised;
    std::call_once(initialised, xmlInitParser);
    if (text.size() > limits.bytes_max) {
        return fail(
            Errc::limit_exceeded,
            fmt::format("it has {} bytes, at most {} are allowed", text.size(), limits.bytes_max)
        );
    }
    // UTF-16 has bytes 0, or a mark that is no UTF-8.
    if (!is_utf8(text) || text.contains('\0')) return refuse("it is not in UTF-8");

    if (has_crowded_element(text, limits.attributes_max)) {
        return fail(
            Errc::limit_exceeded,
            fmt::format("an element has more than {} attributes", limits.attributes_max)
        );
    }

    const Context context{xmlNewParserCtxt()};
    UMAVEZ_ASSERT(context != nullptr);
    Verdict verdict{.depth_max = limits.depth_max};
    context->_private = &verdict;
    context->sax->internalSubset = refuse_type;
    context->sax->startElementNs = begin_element;
    constexpr int options =
        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
    Tree tree{xmlCtxtReadMemory(
        context.get(), text.data(), static_cast<int>(text.size()), nullptr, nullptr, options
    )};
    if (verdict.has_type) {
        return refuse("it has a document type declaration (<!DOCTYPE): leave it out");
    }
    if (verdict.is_too_deep) {
        return fail(
            Errc::limit_exceeded,
            fmt::format("its elements are nested more than {} deep", limits.depth_max)
        );
    }
    if (verdict.has_relative_space) return refuse("it has a namespace that is no absolute URI");
    if (!tree || context->wellFormed == 0 || context->nsWellFormed == 0 ||
        xmlDocGetRootElement(tree.get()) == nullptr) {
        return refuse_by(*context);
    }
    if (tree->encoding != nullptr &&
        ::strcasecmp(reinterpret_cast<const char*>(tree->encoding), "UTF-8") != 0) {
        return refuse(fmt::format(
            "it says that it is in {}: write it in UTF-8", shown(view_of(tree->encoding))
        ));
    }
    return Document{std::move(tree)};
}

Element Document::root() const noexcept
{
    return Element{xmlDocGetRootElement(tree_.get())};
}

std::string_view Element::name() const noexcept
{
    return view_of(node_->name);
}

std::string_view Element::space() const noexcept
{
    return node_->ns == nullptr ? std::string_view{} : view_of(node_->ns->href);
}

long Element::line() const noexcept
{
    return xmlGetLineNo(node_);
}

std::string Element::text() const
{
    std::string text;
    for (const xmlNode* child = node_->children; child != nullptr; child = child->next) {
        if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
            text += view_of(child->content);
        }
    }
    return text;
}

std::optional<std::string> Element::attribute(std::string_view name) const
{
    for (const xmlAttr* attribute = node_->properties; attribute != nullptr;
         attribute = attribute->next) {
        if (attribute->ns != nullptr || view_of(attribute->name) != name) continue;
        std::string value;
        for (const xmlNode* part = attribute->children; part != nullptr; part = part->next) {
            value += view_of(part->content);
        }
        return value;
    }
    return std::nullopt;
}

std::vector<Element> Element::children() const
{
    std::vector<Element> found;
    for (xmlNode* child = node_->children; child != nullptr; child = child->next) {
        if (child->type == XML_ELEMENT_NODE) found.emplace_back(child);
    }
    return found;
}

std::optional<Element> Element::find(std::string_view path) const
{
    Element at = *this;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view wanted = path.substr(0, slash);
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
        std::optional<Element> next;
        for (const Element& child : at.children()) {
            if (child.name() != wanted || child.space() != space()) continue;
            next = child;
            break;
        }
        if (!next) return std::nullopt;
        at = *next;
    }
    return at;
}

std::optional<std::string> Element::find_text(std::string_view path) const
{
    const auto found = find(path);
    return found ? std::optional{found->text()} : std::nullopt;
}

}  // namespace umavez::xml
