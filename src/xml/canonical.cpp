#include "xml/canonical.hpp"

#include "base/assert.hpp"

#include <libxml/c14n.h>
#include <libxml/tree.h>
#include <libxml/xmlIO.h>

namespace umavez::xml {
namespace {

struct Subtree {
    const xmlNode* top;
    const xmlNode* without;
};

// `parent` is given for what has no place of its own in the tree, namespaces and attributes.
int is_inside(void* user, xmlNode* node, xmlNode* parent)
{
    const auto& subtree = *static_cast<const Subtree*>(user);
    const bool has_parent_only =
        node != nullptr && (node->type == XML_NAMESPACE_DECL || node->type == XML_ATTRIBUTE_NODE);
    for (const xmlNode* at = has_parent_only ? parent : node; at != nullptr; at = at->parent) {
        if (at == subtree.without) return 0;
        if (at == subtree.top) return 1;
    }
    return 0;
}

}  // namespace

std::string to_canonical(const Element& element, Canonical kind, std::optional<Element> without)
{
    const bool is_exclusive =
        kind == Canonical::exclusive || kind == Canonical::exclusive_with_comments;
    const bool with_comments =
        kind == Canonical::inclusive_with_comments || kind == Canonical::exclusive_with_comments;
    Subtree subtree{element.node(), without ? without->node() : nullptr};
    xmlOutputBuffer* const out = xmlAllocOutputBuffer(nullptr);
    const int written = xmlC14NExecute(
        element.node()->doc,
        is_inside,
        &subtree,
        is_exclusive ? XML_C14N_EXCLUSIVE_1_0 : XML_C14N_1_0,
        nullptr,
        with_comments ? 1 : 0,
        out
    );
    UMAVEZ_ASSERT(written >= 0);  // no memory; or a relative namespace, which no Document has
    std::string text{
        reinterpret_cast<const char*>(xmlOutputBufferGetContent(out)), xmlOutputBufferGetSize(out)
    };
    xmlOutputBufferClose(out);
    return text;
}

}  // namespace umavez::xml
