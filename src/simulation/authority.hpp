#pragma once

// Authority: the outside world in which leased effects happen, with its own ledger.
//
// Some authorities recognise a repeated effect key, some refuse older tokens (and take an enquiry's token as
// the newest), some do what they are told every time. None of them ever gives a wrong answer; answers come
// late or not at all. Confined to the simulation's thread.

#include "simulation/evidence.hpp"
#include "simulation/world.hpp"

#include <umavez/record.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace umavez::simulation {

enum class AuthorityKind : std::uint8_t { plain, dedupes, checks_tokens };

struct EffectRequest {
    RecordId id;
    std::string effect_key;
    FencingToken token;
    std::string payload;
};

struct EffectReply {
    bool done = false;  // false: refused for good, nothing happened
    Response response;
};

class Authority {
public:
    Authority(World& world, Evidence& evidence) : world_(world), evidence_(evidence) {}

    // A request has landed.
    EffectReply perform(AuthorityKind kind, const EffectRequest& request);

    // An enquiry has landed: the answer of the effect, if it happened.
    std::optional<Response> enquire(AuthorityKind kind, const EffectRequest& enquiry);

private:
    struct Account {
        std::optional<EffectDone> first;
        std::int64_t newest_epoch = 0;
    };

    World& world_;
    Evidence& evidence_;
    std::uint64_t last_ = 0;
    std::map<std::string, Account> accounts_;  // by effect key
};

// What a client is told about an effect; the auditor reads it back.
Response response_of(std::uint64_t effect, const std::string& payload);
std::optional<std::uint64_t> effect_in(const Response& response);

}  // namespace umavez::simulation
