#pragma once

// Idempotency: runs the rest of the pipeline once for each key, by the engine.
//
// What a command is in the engine: the operation of its name, a target of its type, a fingerprint
// of its content; its Result is kept as the JSON body of a response. Thread-safe.

#include <umavez/engine.hpp>
#include <umavez/mediator/behaviour.hpp>
#include <umavez/mediator/key_generator.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace umavez::detail {

struct CommandIdentity {
    Operation operation;
    Target target;
    Guarantee guarantee;
    bool is_protected;  // by a key, if it has one or can be given one
};

class Idempotency {
public:
    Idempotency(Engine& engine, const KeyGenerator& key_generator) noexcept
        : engine_(engine), key_generator_(key_generator)
    {
    }

    // `next` is the handler and what stands before it.
    Task<Sent> run(Send& send, const CommandIdentity& identity, Next next);

    // A handler that takes a transaction, without a key: a plain transaction.
    Task<Sent> run_without_key(Send& send, const CommandIdentity& identity, Next next);

private:
    struct Run;

    std::expected<Request, SendError> make_request(Send& send, const CommandIdentity& identity)
        const;
    Request make_keyless_request(Send& send, const CommandIdentity& identity) const;
    Task<Sent> run_leased(Send& send, Request request, Next next);
    Task<Sent> run_atomic(Send& send, Request request, Next next);
    Sent conclude(Run& run, Result<Outcome> outcome);
    Sent to_sent(Run& run, Result<Outcome> outcome);
    Sent give_back(Send& send, Replayed&& replayed);
    static std::optional<std::string> read_problem(Send& send, std::string_view json);

    Engine& engine_;
    const KeyGenerator& key_generator_;
};

}  // namespace umavez::detail
