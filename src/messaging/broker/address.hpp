#pragma once

// Where a broker is: amqp://user:password@host:port/vhost?parameters.
//
// amqps:// is TLS, and always verified: `cacert` names the authorities, which are the system's where it is
// absent. `cert` and `key` are ours, for brokers that ask. `/` and nothing are the virtual host "/". What is
// not letters or digits in names and passwords is percent-encoded. Immutable after construction.

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::messaging {

struct BrokerAddress {
    bool has_tls = false;
    std::string host;
    std::uint16_t port = 5672;
    std::string user = "guest";
    std::string password = "guest";
    std::string vhost = "/";
    std::string cacert = {};
    std::string cert = {};
    std::string key = {};

    // Without secrets: "amqp://loja@10.0.0.7:5672/producao".
    std::string shown() const;
};

// Errors are misconfigured, and never show the password.
Result<BrokerAddress> parse_broker_address(std::string_view url);

}  // namespace umavez::messaging
