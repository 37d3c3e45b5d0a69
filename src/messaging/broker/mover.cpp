#include "messaging/broker/mover.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::messaging {
namespace {

constexpr Duration retry_delay = std::chrono::seconds{1};

}  // namespace

Mover::Mover(BrokerAddress address, BrokerOptions options, std::string queue, const Clock& clock)
    : address_(std::move(address)),
      options_(std::move(options)),
      queue_(std::move(queue)),
      clock_(clock)
{
}

Mover::~Mover() = default;

void Mover::move(std::uint64_t tag, Route route, Letter letter)
{
    moves_[++last_ticket_] = {.tag = tag, .route = std::move(route), .letter = std::move(letter)};
}

std::vector<std::uint64_t> Mover::run()
{
    std::vector<std::uint64_t> safe;
    if (!publisher_ && !moves_.empty() && clock_.boottime() >= open_not_before_) open();
    if (!publisher_) return safe;
    if (has_queues()) publish_some();
    publisher_->read();
    for (const Settled& settled : publisher_->take_settled()) {
        if (const auto tag = on_settled(settled)) safe.push_back(*tag);
    }
    const bool is_blocked = publisher_->is_blocked();
    if (is_blocked && !was_blocked_)
        trouble_ = "the broker takes no messages: " + publisher_->blocked_reason();
    was_blocked_ = is_blocked;
    if (publisher_->loss()) {
        open_not_before_ = clock_.boottime() + retry_delay;
        publisher_.reset();
    }
    return safe;
}

void Mover::open()
{
    auto opened = Publisher::open(address_, options_, "umavez holds back " + queue_, clock_);
    if (opened) {
        publisher_ = std::make_unique<Publisher>(*std::move(opened));
    } else {
        open_not_before_ = clock_.boottime() + retry_delay;
        trouble_ = to_text(opened.error());
    }
}

// What led to no queue is tried again when there is one.
bool Mover::has_queues()
{
    if (!is_queue_missing_) return true;
    if (clock_.boottime() < declare_not_before_) return false;
    const auto declared = declare_queue(publisher_->connection(), options_, queue_);
    if (declared) {
        is_queue_missing_ = false;
        return true;
    }
    declare_not_before_ = clock_.boottime() + retry_delay;
    trouble_ = declared.error().detail;
    if (declared.error().code != Errc::misconfigured) publisher_->lose({0, *trouble_});
    return false;
}

void Mover::publish_some()
{
    const Duration now = clock_.boottime();
    for (auto& [ticket, one] : moves_) {
        if (!publisher_->has_room()) return;
        if (one.is_out || now < one.not_before) continue;
        one.is_out = true;
        publisher_->publish(ticket, one.route, one.letter);
    }
}

std::optional<std::uint64_t> Mover::on_settled(const Settled& settled)
{
    const auto found = moves_.find(settled.ticket);
    if (found == moves_.end()) return std::nullopt;  // forgotten
    Move& one = found->second;
    if (settled.fate == Fate::confirmed) {
        const std::uint64_t tag = one.tag;
        moves_.erase(found);
        return tag;
    }
    one.is_out = false;
    one.not_before = clock_.boottime() + retry_delay;
    if (settled.fate == Fate::returned) is_queue_missing_ = true;
    trouble_ = fmt::format(
        "message {} of queue {} could not be moved: {}", one.letter.message_id, queue_, settled.why
    );
    return std::nullopt;
}

int Mover::descriptor() const noexcept
{
    return publisher_ ? publisher_->connection().descriptor() : -1;
}

bool Mover::has_read_ahead() const noexcept
{
    return publisher_ && publisher_->connection().has_read_ahead();
}

void Mover::close()
{
    if (publisher_) publisher_->connection().close();
    drop();
}

void Mover::drop() noexcept
{
    publisher_.reset();
}

}  // namespace umavez::messaging
