#include "modules/fiscal/simulator/ledger_event.hpp"

#include "base/json_object.hpp"
#include "json/tree.hpp"
#include "modules/fiscal/simulator/packing.hpp"

#include <charconv>
#include <optional>

namespace umavez::fiscal::simulator {
namespace {

std::string pack(std::string_view xml)
{
    return xml.empty() ? std::string{} : encode_base64(zip(xml));
}

struct ToLine {
    std::string operator()(const RequestSeen& seen) const
    {
        return JsonObject{}
            .text("event", "request")
            .instant("at", seen.at)
            .number("number", seen.number)
            .text("call", to_text(seen.call))
            .text_unless_empty("id_dps", seen.id_dps)
            .text_unless_empty("chave", seen.chave)
            .text_unless_empty("sha256", seen.sha256)
            .text_unless_empty("fault", seen.fault)
            .str();
    }
    std::string operator()(const Authorised& authorised) const
    {
        return JsonObject{}
            .text("event", "authorised")
            .instant("at", authorised.at)
            .text("id_dps", authorised.id_dps)
            .text("chave", authorised.chave)
            .number("numero", authorised.numero)
            .text("inscricao", authorised.inscricao)
            .text("sha256", authorised.sha256)
            .text_unless_empty("substitui", authorised.substitui)
            .text("dps", pack(authorised.dps))
            .str();
    }
    std::string operator()(const EventRegistered& registered) const
    {
        return JsonObject{}
            .text("event", "registered")
            .instant("at", registered.at)
            .text("chave", registered.chave)
            .text("tipo", registered.tipo)
            .text_unless_empty("pedido", pack(registered.pedido))
            .str();
    }
};

// Members of one line; what is missing or of another kind makes the line unreadable.
class Members {
public:
    explicit Members(JsonValue object) : object_(object) {}

    std::string text(std::string_view name, bool is_required = true)
    {
        const auto found = object_.find(name);
        if (found && found->kind() == JsonKind::string) return std::string{found->string()};
        if (is_required) is_whole_ = false;
        return {};
    }
    std::string xml(std::string_view name, bool is_required = true)
    {
        const std::string packed = text(name, is_required);
        if (packed.empty()) return {};
        const auto zipped = decode_base64(packed);
        auto plain = zipped ? unzip(*zipped) : std::nullopt;
        if (!plain) is_whole_ = false;
        return plain ? *std::move(plain) : std::string{};
    }
    std::uint64_t number(std::string_view name)
    {
        const auto found = object_.find(name);
        std::uint64_t value = 0;
        if (!found || found->kind() != JsonKind::number) {
            is_whole_ = false;
            return 0;
        }
        const std::string_view digits = found->number();
        const auto [rest, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || rest != digits.data() + digits.size()) is_whole_ = false;
        return value;
    }
    Instant at()
    {
        const auto found = parse_rfc3339(text("at"));
        if (!found) is_whole_ = false;
        return found.value_or(Instant{});
    }
    Call call()
    {
        const auto found = parse_call(text("call"));
        if (!found) is_whole_ = false;
        return found.value_or(Call::emitir);
    }
    bool is_whole() const noexcept { return is_whole_; }

private:
    JsonValue object_;
    bool is_whole_ = true;
};

std::optional<LedgerEvent> read_members(Members& members)
{
    const std::string event = members.text("event");
    if (event == "request") {
        return RequestSeen{
            .at = members.at(),
            .number = members.number("number"),
            .call = members.call(),
            .id_dps = members.text("id_dps", false),
            .chave = members.text("chave", false),
            .sha256 = members.text("sha256", false),
            .fault = members.text("fault", false),
        };
    }
    if (event == "authorised") {
        return Authorised{
            .at = members.at(),
            .id_dps = members.text("id_dps"),
            .chave = members.text("chave"),
            .numero = members.number("numero"),
            .inscricao = members.text("inscricao"),
            .sha256 = members.text("sha256"),
            .dps = members.xml("dps"),
            .substitui = members.text("substitui", false),
        };
    }
    if (event == "registered") {
        return EventRegistered{
            .at = members.at(),
            .chave = members.text("chave"),
            .tipo = members.text("tipo"),
            .pedido = members.xml("pedido", false),
        };
    }
    return std::nullopt;
}

}  // namespace

std::string to_line(const LedgerEvent& event)
{
    return std::visit(ToLine{}, event);
}

Result<LedgerEvent> parse_line(std::string_view line)
{
    const auto tree = JsonTree::parse(line);
    if (!tree) return fail(Errc::corrupt_record, tree.error().detail);
    Members members{tree->root()};
    auto event = read_members(members);
    if (!event || !members.is_whole())
        return fail(Errc::corrupt_record, "it is no line of a ledger");
    return *std::move(event);
}

}  // namespace umavez::fiscal::simulator
