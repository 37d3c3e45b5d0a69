#pragma once

// Hosts: a URL's parameters, one set for each host it names.
//
// libpq goes on to the next host when one refuses, but where packets vanish it waits for as long as the
// caller lets it: so each is tried by itself, with a limit of its own. Whichever was reached is tried
// first the next time.
//
// Thread-safe.

#include "database/postgres/connection.hpp"

#include <atomic>

namespace umavez::pg {

class Hosts {
public:
    using Parameters = std::vector<std::pair<std::string, std::string>>;

    // Whether each host has an address and a port, where those are given; one port is everybody's.
    static bool are_lists_even(const Parameters& parameters);

    // Of even lists.
    explicit Hosts(const Parameters& parameters);
    std::size_t size() const noexcept { return hosts_.size(); }
    std::string place(std::size_t host) const;  // "host:port"

    // The first that lets us write. The error tells what each of them said.
    Result<std::unique_ptr<Connection>> connect(ConnectOptions options);

private:
    std::vector<Parameters> hosts_;
    std::atomic<std::size_t> first_{0};
};

}  // namespace umavez::pg
