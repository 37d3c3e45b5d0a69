#pragma once

// BrokerRelay: carries the messages of the outbox to the broker.
//
// At least once, always with the same message id, and in order inside an aggregate: one of its messages is
// on its way at a time. What the broker confirmed is marked, many in one statement; what it refused is tried
// again later and is dead after a number of attempts; what nobody knows about is published again.
//
// Any number of relays share the table. A row that was taken is hidden from the others for a while, and its
// mark is fenced by the taking: that one relay publishes a row is a matter of economy, not of safety, so
// there is no lease and no record of the engine for it.
//
// Thread-safe. Outlived by the database.

#include "messaging/broker/options.hpp"
#include "work/retry_delay.hpp"

#include <umavez/result.hpp>
#include <umavez/transaction.hpp>

#include <memory>
#include <optional>
#include <string>

namespace umavez::messaging {

struct BrokerRelayOptions {
    Duration period = std::chrono::milliseconds{500};  // between looks where nobody calls wake()
    Duration hidden = std::chrono::seconds{60};  // published in the first half of it or not at all
    work::RetryRule retry = {};                  // of what the broker refuses
    const Clock* clock = nullptr;                // nullptr: the system's
};

// Whether the options can be used: misconfigured tells what is wrong. Asks no broker.
Result<void> check_broker_options(const BrokerOptions& options);

class BrokerRelay {
public:
    // With a URL that cannot be read it carries nothing and says so. A broker that is not there is trouble,
    // and tried again.
    BrokerRelay(Database& database, BrokerOptions broker, BrokerRelayOptions options = {});
    ~BrokerRelay();
    BrokerRelay(const BrokerRelay&) = delete;
    BrokerRelay& operator=(const BrokerRelay&) = delete;

    // A message was committed in this process: publish it now.
    void wake();

    // Gives back what was not published; what is on its way is waited for, two seconds at most.
    void stop();

    // Why something could not be done, if it could not; told once, but a URL that cannot be read every time.
    std::optional<std::string> take_trouble();

    // Whether the broker takes messages now.
    bool is_connected() const;

private:
    class Table;
    std::unique_ptr<Table> table_;  // none: the URL cannot be read
    std::optional<std::string> wrong_url_;
};

}  // namespace umavez::messaging
