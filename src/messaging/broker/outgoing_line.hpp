#pragma once

// OutgoingLine: the thread between the messages that were taken from the table and the broker. It keeps a
// connection, publishes what it is given and tells what became of each.
//
// What is unknown when a connection is lost is published again with the next one. Where the broker closed
// the channel because of something published, what was outstanding goes out one at a time, until the one
// that did it is found. A message whose time is over before it was published is given back: somebody else
// may have it.
//
// Thread-safe.

#include "base/wakeup.hpp"
#include "messaging/broker/address.hpp"
#include "messaging/broker/options.hpp"
#include "messaging/messages_table.hpp"

#include <umavez/time.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace umavez::messaging {

struct Carried {
    TakenMessage message;
    Duration until{};  // boottime: not published after it
};

enum class Ending : std::uint8_t {
    published,
    failed,   // nacked or returned: counts as an attempt
    refused,  // can never be published
    unbegun,  // not published
    put_off,  // its queue at the broker is not as it has to be
};

struct Ended {
    Taking taking;
    std::int64_t attempts = 0;  // before this one
    Ending ending = Ending::unbegun;
    std::string why = {};
    std::string message_id = {};
    std::string queue = {};
};

class Publisher;
struct Settled;

class OutgoingLine {
public:
    // `on_change` is called by the line's thread when something ended, or when it opened.
    OutgoingLine(
        BrokerAddress address,
        BrokerOptions options,
        const Clock& clock,
        std::function<void()> on_change
    );
    ~OutgoingLine();

    // Lets what is outstanding be confirmed, for a short while. Everything has ended afterwards.
    void stop();

    void carry(std::vector<Carried> messages);
    std::vector<Ended> take_ended();

    // Connected, and the broker takes messages.
    bool is_open() const;
    std::optional<std::string> take_trouble();

private:
    void run(const std::stop_token& stop);
    void pass(const std::stop_token& stop);
    void guarded(const std::function<void()>& act);
    void connect(const std::stop_token& stop);
    void step();
    void accept();
    void publish_some();
    bool publish_next();
    void collect();
    void on_settled(const Settled& settled);
    void tell_failure(const Settled& settled);
    void on_loss();
    void give_back_late();
    void finish();
    bool is_declared(const std::string& queue, std::string& why);
    void end(std::uint64_t ticket, Ending ending, std::string why = {});
    void publish_state(bool is_open);
    void note_trouble(std::string trouble);

    const BrokerAddress address_;
    const BrokerOptions options_;
    const Clock& clock_;
    const std::function<void()> on_change_;
    const Wakeup wakeup_;

    // Of the line's thread.
    struct BadQueue {
        std::string why;
        Duration until{};  // then it is asked for again
    };
    std::unique_ptr<Publisher> publisher_;
    std::uint64_t last_ticket_ = 0;
    std::map<std::uint64_t, Carried> carried_;               // by ticket: in the order they came
    std::set<std::uint64_t> waiting_;                        // of those, what is to be published
    std::map<std::string, std::optional<BadQueue>> queues_;  // declared over this connection
    std::size_t careful_ = 0;                                // so many go out alone
    std::uint32_t failures_ = 0;                             // to connect, in a row

    mutable std::mutex mutex_;
    std::vector<Carried> inbox_;          // guarded by mutex_
    std::vector<Ended> ended_;            // guarded by mutex_
    bool is_open_ = false;                // guarded by mutex_
    std::optional<std::string> trouble_;  // guarded by mutex_
    std::jthread thread_;
};

}  // namespace umavez::messaging
