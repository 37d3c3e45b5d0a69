#include "modules/cobranca/provider_events/read_event.hpp"

#include "base/rfc3339.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace umavez::cobranca {
namespace {

std::optional<std::int64_t> parse_id(std::string_view text)
{
    std::int64_t id = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, id);
    if (error != std::errc{} || rest != end || id < 1) return std::nullopt;
    return id;
}

std::optional<Money> parse_amount(std::string_view text, AmountUnit unit)
{
    if (unit == AmountUnit::reais) {
        const auto amount = Money::parse(text);
        return amount ? std::optional{*amount} : std::nullopt;
    }
    const auto cents = text == "0" ? std::optional<std::int64_t>{0} : parse_id(text);
    const auto amount =
        cents ? Money::from_cents(*cents) : std::unexpected(MoneyFault::not_a_number);
    return amount ? std::optional{*amount} : std::nullopt;
}

bool is_brl(std::string_view currency)
{
    return currency == "brl" || currency == "BRL";
}

// "-03:00" at the end, in minutes; nullopt: another end.
std::optional<std::chrono::minutes> parse_offset(std::string_view end)
{
    constexpr std::size_t length = std::string_view{"-03:00"}.size();
    if (end.size() != length || end[3] != ':' || (end[0] != '+' && end[0] != '-'))
        return std::nullopt;
    int hours = 0;
    int minutes = 0;
    const auto read = [](std::string_view text, int& number) {
        return std::from_chars(text.data(), text.data() + text.size(), number).ptr ==
               text.data() + text.size();
    };
    if (!read(end.substr(1, 2), hours) || !read(end.substr(4, 2), minutes)) return std::nullopt;
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    const auto offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
    return end[0] == '-' ? -offset : offset;
}

// Seconds since 1970, or RFC 3339 with or without parts of a second.
std::optional<Instant> parse_time(std::string text)
{
    if (const auto seconds = parse_id(text)) {
        constexpr std::int64_t seconds_max = 253'402'300'799;  // the end of the year 9999
        if (*seconds > seconds_max) return std::nullopt;
        return Instant{std::chrono::seconds{*seconds}};
    }
    constexpr std::size_t to_seconds = std::string_view{"2026-01-31T12:00:00"}.size();
    constexpr std::size_t offset_length = std::string_view{"-03:00"}.size();
    constexpr std::size_t micro_digits = 6;
    std::chrono::minutes offset{0};
    if (text.size() > to_seconds + offset_length - 1 && !text.ends_with('Z')) {
        const auto parsed =
            parse_offset(std::string_view{text}.substr(text.size() - offset_length));
        if (!parsed) return std::nullopt;
        offset = *parsed;
        text.replace(text.size() - offset_length, offset_length, "Z");
    }
    if (!text.ends_with('Z')) return std::nullopt;
    std::string fraction;
    if (text.size() > to_seconds + 1) {
        if (text[to_seconds] != '.') return std::nullopt;
        fraction = text.substr(to_seconds + 1, text.size() - to_seconds - 2);
    }
    fraction.resize(micro_digits, '0');
    const auto instant =
        parse_rfc3339(text.substr(0, std::min(to_seconds, text.size())) + "." + fraction + "Z");
    return instant ? std::optional{*instant - offset} : std::nullopt;
}

// Reads places, of which some begin at the element of a list.
struct Reader {
    const Content& content;
    std::string element;  // "/charges/1"; empty: there is none

    std::optional<std::string> find(const Places& places) const
    {
        for (const std::string_view place : places) {
            auto found = place.starts_with('*') ? find_in_element(place.substr(1)) : find_at(place);
            if (found) return found;
        }
        return std::nullopt;
    }

    // Something is there, whatever it is.
    bool has(const Places& places) const
    {
        return std::ranges::any_of(places, [this](std::string_view place) {
            if (place.empty()) return false;
            if (!place.starts_with('*')) return content.has(place);
            return !element.empty() && content.has(element + std::string{place.substr(1)});
        });
    }

private:
    std::optional<std::string> find_at(std::string_view place) const
    {
        return place.empty() ? std::nullopt : content.find(place);
    }
    std::optional<std::string> find_in_element(std::string_view rest) const
    {
        return element.empty() ? std::nullopt : content.find(element + std::string{rest});
    }
};

// "/charges/1" …: those that were paid. Without a list the document itself, which is one place.
std::vector<std::string> paid_elements(const PaymentShape& shape, const Content& content)
{
    std::vector<std::string> elements;
    if (shape.list.empty()) return {std::string{}};
    std::size_t count = 0;
    for (;; ++count) {
        std::string element = fmt::format("{}/{}", shape.list, count);
        const auto status = Reader{content, element}.find({shape.status.front()});
        if (!status) break;
        if (status == shape.paid) elements.push_back(std::move(element));
    }
    if (count == 0) elements.emplace_back();
    return elements;
}

std::variant<ReportedPayment, NotOurs, Unreadable> read_payment(
    const PaymentShape& shape, const Reader& reader
)
{
    if (!shape.paid.empty()) {
        const auto status = reader.find(shape.status);
        if (status != shape.paid) {
            return NotOurs{fmt::format("nothing was paid: {}", shown(status.value_or("no status")))
            };
        }
    }
    const auto invoice = reader.find(shape.invoice);
    if (!invoice) return NotOurs{"it names no fatura"};
    const auto fatura_id = parse_id(*invoice);
    if (!fatura_id) return NotOurs{fmt::format("\"{}\" is no fatura of ours", shown(*invoice))};
    if (reader.has(shape.currency)) {
        const auto currency = reader.find(shape.currency);
        if (!currency || !is_brl(*currency)) {
            return Unreadable{fmt::format(
                "fatura {} was paid in {}, not in BRL",
                *fatura_id,
                shown(currency.value_or("something"))
            )};
        }
    }
    const auto payment = reader.find(shape.payment);
    if (!payment)
        return Unreadable{fmt::format("a payment of fatura {} without an id", *fatura_id)};
    const auto amount = reader.find(shape.amount);
    const auto valor = amount ? parse_amount(*amount, shape.unit) : std::nullopt;
    // A trial, a voucher: there is nothing to apply.
    if (valor && valor->cents() == 0) return NotOurs{"nothing was paid: the amount is 0"};
    if (!valor) {
        return Unreadable{fmt::format(
            "payment {} of fatura {}: \"{}\" is no amount",
            shown(*payment),
            *fatura_id,
            shown(amount.value_or(""))
        )};
    }
    return ReportedPayment{*payment, *fatura_id, *valor};
}

}  // namespace

std::variant<ReportedPayments, NotOurs, Unreadable> read_payments(
    const PaymentShape& shape, const Content& content
)
{
    ReportedPayments payments;
    for (const std::string& element : paid_elements(shape, content)) {
        const auto read = read_payment(shape, Reader{content, element});
        if (const auto* const foreign = std::get_if<NotOurs>(&read)) return *foreign;
        if (const auto* const unreadable = std::get_if<Unreadable>(&read)) return *unreadable;
        payments.push_back(std::get<ReportedPayment>(read));
    }
    if (payments.empty()) return NotOurs{fmt::format("nothing was paid: none is {}", shape.paid)};
    return payments;
}

std::variant<ReportedState, NotOurs, Unreadable> read_state(
    const SubscriptionShape& shape, const Content& content
)
{
    const Reader reader{content, {}};
    const auto named = reader.find(shape.subscription);
    if (!named) return NotOurs{"it names no assinatura"};
    const auto assinatura_id = parse_id(*named);
    if (!assinatura_id)
        return NotOurs{fmt::format("\"{}\" is no assinatura of ours", shown(*named))};
    EstadoAssinatura estado = shape.estado;
    if (!shape.status.front().empty()) {
        const auto status = reader.find(shape.status);
        if (!status || !find_estado(*status, estado)) {
            return NotOurs{
                fmt::format("the state {} means nothing here", shown(status.value_or("(none)")))
            };
        }
    }
    const auto time = reader.find(shape.occurred_at);
    const auto occurred_at = time ? parse_time(*time) : std::nullopt;
    if (!occurred_at) {
        return Unreadable{fmt::format("assinatura {}: an event without its time", *assinatura_id)};
    }
    return ReportedState{*assinatura_id, estado, *occurred_at};
}

}  // namespace umavez::cobranca
