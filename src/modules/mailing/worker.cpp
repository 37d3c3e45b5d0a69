#include "modules/mailing/worker.hpp"

#include "modules/mailing/recover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <utility>

namespace umavez::mailing {
namespace {

constexpr std::size_t recover_batch = 100;
constexpr Duration patience = std::chrono::seconds{5};  // for a message; a stop ends it
constexpr Duration trouble_pause = std::chrono::seconds{1};

void pause_for(Duration most, const std::stop_token& stop)
{
    std::mutex mutex;
    std::condition_variable_any nobody;
    std::unique_lock lock{mutex};
    nobody.wait_for(lock, stop, most, [] { return false; });
}

// A stop ends a wait at once, but not the loop around it: a database that does not answer is asked again
// for a while, not as fast as possible.
void pause_between_tries(Duration most, const std::stop_token& stop)
{
    if (!stop.stop_requested()) return pause_for(most, stop);
    pause_for(std::min<Duration>(most, std::chrono::milliseconds{100}), {});
}

}  // namespace

MailingWorker::MailingWorker(
    Database& database, messaging::MessageSource& source, MailingWorkerOptions options
)
    : database_(database),
      source_(source),
      options_(std::move(options)),
      rate_(options_.rate),
      held_(database, options_.clock != nullptr ? *options_.clock : system_clock()),
      parts_{
          .database = database,
          .clock = options_.clock != nullptr ? *options_.clock : system_clock(),
          .random = options_.random != nullptr ? *options_.random : system_random(),
          .rate = rate_,
          .held = held_,
          .rules = options_.sending,
          .public_url = options_.public_url,
          .no_transport_delay = options_.no_transport_delay,
          .stop_grace = options_.stop_grace,
          .ingest = options_.ingest,
          .on_event = options_.on_event,
          .pause = pause_between_tries,
      },
      heartbeats_(
          options_.sending.lock_timeout / 3,
          [this](const std::stop_token&) {
              const auto beaten = held_.beat_all();
              if (!beaten) note_trouble(beaten.error().detail);
          }
      ),
      scans_(options_.recovery_period, [this](const std::stop_token& stop) { scan(stop); })
{
    for (std::size_t i = 0; i < options_.threads; ++i) {
        threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
    }
}

MailingWorker::~MailingWorker()
{
    stop();
}

void MailingWorker::stop()
{
    for (std::jthread& thread : threads_) thread.request_stop();
    for (std::jthread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
    scans_.stop();
    heartbeats_.stop();  // last: those who came to their end needed their locks
}

std::optional<std::string> MailingWorker::take_trouble()
{
    const std::lock_guard guard{mutex_};
    return std::exchange(trouble_, std::nullopt);
}

void MailingWorker::run(const std::stop_token& stop)
{
    const std::unique_ptr<mail::Transport> transport = open_transport();
    while (!stop.stop_requested()) {
        const auto message = source_.next(patience, stop);
        if (!message) {
            note_trouble(message.error().detail);
            pause_for(trouble_pause, stop);
        } else if (*message) {
            work_on(**message, transport.get(), stop);
        }
    }
}

std::unique_ptr<mail::Transport> MailingWorker::open_transport()
{
    if (!options_.make_transport) return nullptr;
    auto transport = options_.make_transport();
    if (transport) return *std::move(transport);
    note_trouble(transport.error().detail);
    return nullptr;
}

void MailingWorker::work_on(
    const messaging::ReceivedMessage& message,
    mail::Transport* transport,
    const std::stop_token& stop
)
{
    // Whatever happens, the message comes again: its lock, if there is one, is stale by then.
    Result<Disposal> disposal = HoldBack{options_.sending.lock_timeout};
    try {
        disposal = MailingRun{parts_, transport}.run(message, stop);
    } catch (const std::exception& thrown) {
        note_trouble(fmt::format("a mailing could not be worked on: {}", thrown.what()));
    }
    if (!disposal) {
        note_trouble(disposal.error().detail);
        disposal = HoldBack{trouble_pause};
    }
    const auto disposed = dispose(message, *disposal);
    if (!disposed) note_trouble(disposed.error().detail);
}

Result<void> MailingWorker::dispose(
    const messaging::ReceivedMessage& message, const Disposal& disposal
)
{
    if (const auto* const held = std::get_if<HoldBack>(&disposal)) {
        return source_.hold_back(message, held->delay);
    }
    if (const auto* const refused = std::get_if<Refuse>(&disposal)) {
        note_trouble(fmt::format("message {}: {}", message.message_id, refused->why));
        return source_.refuse(message, refused->why);
    }
    return source_.settle(message);
}

void MailingWorker::scan(const std::stop_token& stop)
{
    recover_all(stop);
    if (!options_.sweep_files || stop.stop_requested()) return;
    const auto swept = options_.sweep_files(stop);
    if (!swept) note_trouble(swept.error().detail);
}

void MailingWorker::recover_all(const std::stop_token& stop)
{
    for (bool has_more = true; has_more && !stop.stop_requested();) {
        Recovered recovered;
        const auto done = database_.transact([&](Transaction& transaction) -> Result<void> {
            // A process that stood still would find its own: the scan may come before the heartbeats.
            const auto beaten = beat(transaction, held_.owners());
            if (!beaten) return std::unexpected(beaten.error());
            auto found = recover(
                transaction, options_.sending.lock_timeout, options_.forgotten, recover_batch
            );
            if (!found) return std::unexpected(found.error());
            recovered = *std::move(found);
            return {};
        });
        if (!done) return note_trouble(done.error().detail);
        has_more = recovered.has_more;
        if (recovered.changed() == 0) continue;
        source_.wake();
        if (!options_.on_event) continue;
        options_.on_event(MailingsRecovered{
            .stale = recovered.stale.size(),
            .woken = recovered.woken,
            .uncertain = recovered.uncertain,
        });
    }
}

void MailingWorker::note_trouble(std::string detail)
{
    const std::lock_guard guard{mutex_};
    trouble_ = std::move(detail);
}

}  // namespace umavez::mailing
