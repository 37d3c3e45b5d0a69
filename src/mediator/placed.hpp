#pragma once

// The two behaviours that the mediator places by itself, unless somebody else did. Thread-safe.

#include <umavez/mediator/behaviour.hpp>

namespace umavez {

// Stands where Idempotency runs; what that needs belongs to the mediator, not to a behaviour.
class IdempotencyPlace final : public Behaviour {
public:
    Task<Sent> run(Send&, Next next) override { return next(); }
};

class ValidationBehaviour final : public Behaviour {
public:
    Task<Sent> run(Send& send, Next next) override;
};

// A behaviour from a function.
std::shared_ptr<Behaviour> behaviour_from(BehaviourFunction function);

}  // namespace umavez
