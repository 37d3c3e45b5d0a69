#pragma once

// What a piece of work costs in processor time, of the server and of this process.
//
// On a machine that others use, rates say little and processor time says nearly the same as in
// quiet. Confined to its thread.

#include "support/redis_server.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace umavez::bench {

struct Cost {
    double server_us = 0;  // of its processor, each
    double client_us = 0;  // of this process and of the children it waited for
    double calls = 0;      // of scripts, each
};

// `work` says how many it did.
Cost cost_of(const test::RedisServer& server, const std::function<double()>& work);

// The costs of one kind of work, window by window.
class Costs {
public:
    explicit Costs(std::string what) : what_(std::move(what)) {}
    void add(const Cost& cost) { all_.push_back(cost); }
    void show() const;

private:
    std::string what_;
    std::vector<Cost> all_;
};

}  // namespace umavez::bench
