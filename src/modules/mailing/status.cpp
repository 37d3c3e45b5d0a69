#include "modules/mailing/status.hpp"

#include <algorithm>
#include <array>

namespace umavez::mailing {
namespace {

constexpr std::array statuses = {
    Status::draft,
    Status::pending,
    Status::queued,
    Status::ingesting,
    Status::processing,
    Status::paused,
    Status::completed,
    Status::failed,
    Status::cancelled,
};
constexpr std::array entry_statuses = {
    EntryStatus::pending,
    EntryStatus::sending,
    EntryStatus::sent,
    EntryStatus::failed,
    EntryStatus::unknown,
    EntryStatus::invalid,
};
constexpr std::array incertezas = {Incerteza::no_maximo_uma, Incerteza::ao_menos_uma};

struct Transition {
    Status from;
    Order order;
    Status to;
};

constexpr std::array transitions = {
    Transition{Status::draft, Order::iniciar, Status::queued},
    Transition{Status::pending, Order::pausar, Status::paused},
    Transition{Status::queued, Order::pausar, Status::paused},
    Transition{Status::ingesting, Order::pausar, Status::paused},
    Transition{Status::processing, Order::pausar, Status::paused},
    Transition{Status::paused, Order::pausar, Status::paused},
    Transition{Status::paused, Order::retomar, Status::queued},
    Transition{Status::draft, Order::cancelar, Status::cancelled},
    Transition{Status::pending, Order::cancelar, Status::cancelled},
    Transition{Status::queued, Order::cancelar, Status::cancelled},
    Transition{Status::ingesting, Order::cancelar, Status::cancelled},
    Transition{Status::processing, Order::cancelar, Status::cancelled},
    Transition{Status::paused, Order::cancelar, Status::cancelled},
    Transition{Status::failed, Order::cancelar, Status::cancelled},
    Transition{Status::cancelled, Order::cancelar, Status::cancelled},
    Transition{Status::completed, Order::reenviar_falhas, Status::queued},
    Transition{Status::failed, Order::reenviar_falhas, Status::queued},
};

template <typename Words>
std::optional<typename Words::value_type> find_word(
    const Words& words, std::string_view text
) noexcept
{
    const auto found = std::ranges::find(words, text, [](auto word) { return to_text(word); });
    return found == words.end() ? std::nullopt : std::optional{*found};
}

template <typename Words>
std::vector<std::string> to_texts(const Words& words)
{
    std::vector<std::string> texts;
    texts.reserve(words.size());
    for (const auto word : words) texts.emplace_back(to_text(word));
    return texts;
}

}  // namespace

std::string_view to_text(Status status) noexcept
{
    switch (status) {
        case Status::draft: return "DRAFT";
        case Status::pending: return "PENDING";
        case Status::queued: return "QUEUED";
        case Status::ingesting: return "INGESTING";
        case Status::processing: return "PROCESSING";
        case Status::paused: return "PAUSED";
        case Status::completed: return "COMPLETED";
        case Status::failed: return "FAILED";
        case Status::cancelled: return "CANCELLED";
    }
    return "";
}

std::string_view to_text(EntryStatus status) noexcept
{
    switch (status) {
        case EntryStatus::pending: return "PENDING";
        case EntryStatus::sending: return "SENDING";
        case EntryStatus::sent: return "SENT";
        case EntryStatus::failed: return "FAILED";
        case EntryStatus::unknown: return "UNKNOWN";
        case EntryStatus::invalid: return "INVALID";
    }
    return "";
}

std::string_view to_text(Order order) noexcept
{
    switch (order) {
        case Order::iniciar: return "iniciar";
        case Order::pausar: return "pausar";
        case Order::retomar: return "retomar";
        case Order::cancelar: return "cancelar";
        case Order::reenviar_falhas: return "reenviar-falhas";
    }
    return "";
}

std::string_view to_text(Incerteza incerteza) noexcept
{
    switch (incerteza) {
        case Incerteza::no_maximo_uma: return "no-maximo-uma";
        case Incerteza::ao_menos_uma: return "ao-menos-uma";
    }
    return "";
}

std::optional<Status> parse_status(std::string_view text) noexcept
{
    return find_word(statuses, text);
}

std::optional<EntryStatus> parse_entry_status(std::string_view text) noexcept
{
    return find_word(entry_statuses, text);
}

std::optional<Incerteza> parse_incerteza(std::string_view text) noexcept
{
    return find_word(incertezas, text);
}

std::vector<std::string> status_words()
{
    return to_texts(statuses);
}

std::vector<std::string> entry_status_words()
{
    return to_texts(entry_statuses);
}

std::vector<std::string> incerteza_words()
{
    return to_texts(incertezas);
}

std::optional<Status> after_order(Status status, Order order) noexcept
{
    for (const Transition& transition : transitions) {
        if (transition.from == status && transition.order == order) return transition.to;
    }
    return std::nullopt;
}

bool is_over(Status status) noexcept
{
    return status == Status::completed || status == Status::failed || status == Status::cancelled;
}

bool may_change_message(Status status) noexcept
{
    return status == Status::draft;
}

}  // namespace umavez::mailing
