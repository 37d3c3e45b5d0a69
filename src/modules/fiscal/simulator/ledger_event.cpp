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

// The natural key and the XML of a DPS have names of their own.
struct Names {
    std::string_view documento;
    std::string_view xml;
};
constexpr Names names_of_dps{.documento = "id_dps", .xml = "dps"};
constexpr Names names_of_others{.documento = "documento", .xml = "xml"};

Names names_of(std::string_view documento)
{
    return documento.starts_with("DPS") ? names_of_dps : names_of_others;
}

struct ToLine {
    std::string operator()(const RequestSeen& seen) const
    {
        return JsonObject{}
            .text("event", "request")
            .instant("at", seen.at)
            .number("number", seen.number)
            .text("service", to_text(seen.service))
            .text("call", to_text(seen.call))
            .text_unless_empty("caller", seen.caller)
            .text_unless_empty(names_of(seen.documento).documento, seen.documento)
            .text_unless_empty("chave", seen.chave)
            .text_unless_empty("sha256", seen.sha256)
            .text_unless_empty("fault", seen.fault)
            .str();
    }
    std::string operator()(const Authorised& authorised) const
    {
        const Names names = names_of(authorised.documento);
        return JsonObject{}
            .text("event", "authorised")
            .instant("at", authorised.at)
            .text(names.documento, authorised.documento)
            .text("chave", authorised.chave)
            .number("numero", authorised.numero)
            .text("inscricao", authorised.inscricao)
            .text("sha256", authorised.sha256)
            .text_unless_empty("substitui", authorised.substitui)
            .text_unless_empty("protocolo", authorised.protocolo)
            .text_unless_empty("cstat", authorised.cstat)
            .text_unless_empty("digest", authorised.digest)
            .text(names.xml, pack(authorised.xml))
            .str();
    }
    std::string operator()(const Received& received) const
    {
        return JsonObject{}
            .text("event", "received")
            .instant("at", received.at)
            .text("recibo", received.recibo)
            .text("documento", received.documento)
            .text("chave", received.chave)
            .text("xml", pack(received.xml))
            .str();
    }
    std::string operator()(const EventRegistered& registered) const
    {
        return JsonObject{}
            .text("event", "registered")
            .instant("at", registered.at)
            .text("chave", registered.chave)
            .text("tipo", registered.tipo)
            .text_unless_empty("protocolo", registered.protocolo)
            .text_unless_empty("cstat", registered.cstat)
            .text_unless_empty("substituta", registered.substituta)
            .text_unless_empty("pedido", pack(registered.pedido))
            .str();
    }
    std::string operator()(const Voided& voided) const
    {
        return JsonObject{}
            .text("event", "voided")
            .instant("at", voided.at)
            .text("id", voided.id)
            .number("primeiro", voided.primeiro)
            .number("ultimo", voided.ultimo)
            .text("protocolo", voided.protocolo)
            .text("pedido", pack(voided.pedido))
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
    Service service()
    {
        const std::string word = text("service", false);
        if (word.empty()) return Service::nacional;  // of the days when there was no other
        const auto found = parse_service(word);
        if (!found) is_whole_ = false;
        return found.value_or(Service::nacional);
    }
    std::string id_of_range()
    {
        constexpr std::size_t length = 43;
        std::string id = text("id");
        if (id.size() != length) is_whole_ = false;
        return id;
    }
    // Those that the line is written with.
    Names names() const
    {
        return object_.find(names_of_dps.documento) ? names_of_dps : names_of_others;
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
            .service = members.service(),
            .call = members.call(),
            .caller = members.text("caller", false),
            .documento = members.text(members.names().documento, false),
            .chave = members.text("chave", false),
            .sha256 = members.text("sha256", false),
            .fault = members.text("fault", false),
        };
    }
    if (event == "authorised") {
        return Authorised{
            .at = members.at(),
            .documento = members.text(members.names().documento),
            .chave = members.text("chave"),
            .numero = members.number("numero"),
            .inscricao = members.text("inscricao"),
            .sha256 = members.text("sha256"),
            .xml = members.xml(members.names().xml),
            .substitui = members.text("substitui", false),
            .protocolo = members.text("protocolo", false),
            .cstat = members.text("cstat", false),
            .digest = members.text("digest", false),
        };
    }
    if (event == "received") {
        return Received{
            .at = members.at(),
            .recibo = members.text("recibo"),
            .documento = members.text("documento"),
            .chave = members.text("chave"),
            .xml = members.xml("xml"),
        };
    }
    if (event == "registered") {
        return EventRegistered{
            .at = members.at(),
            .chave = members.text("chave"),
            .tipo = members.text("tipo"),
            .pedido = members.xml("pedido", false),
            .protocolo = members.text("protocolo", false),
            .cstat = members.text("cstat", false),
            .substituta = members.text("substituta", false),
        };
    }
    if (event == "voided") {
        return Voided{
            .at = members.at(),
            .id = members.id_of_range(),
            .primeiro = members.number("primeiro"),
            .ultimo = members.number("ultimo"),
            .protocolo = members.text("protocolo"),
            .pedido = members.xml("pedido"),
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
