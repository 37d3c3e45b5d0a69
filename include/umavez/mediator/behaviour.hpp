#pragma once

// Behaviour: what every command passes on its way to its handler, in the order of registration.
//
//     class Audit final : public Behaviour {
//         Task<Sent> run(Send& send, Next next) override
//         {
//             Sent sent = co_await next();           // not calling it is a short circuit
//             book_.add(send.command_name(), send.report().outcome);
//             co_return sent;
//         }
//     };
//
// A behaviour that answers by itself calls send.answer(result) and returns success, or returns a
// SendError. What stands behind the idempotency behaviour runs only when the handler does (inside
// its transaction, if it has one); what stands before it runs for every send, replays too.
// Thread-safe: one object serves all sends.

#include <umavez/mediator/send.hpp>
#include <umavez/time.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace umavez {

// The rest of the pipeline. Valid until the run() it was given to ends.
class Next {
public:
    Task<Sent> operator()() const;

private:
    friend class detail::MediatorCore;
    Next(detail::MediatorCore& core, Send& send, std::size_t position) noexcept
        : core_(&core), send_(&send), position_(position)
    {
    }

    detail::MediatorCore* core_;
    Send* send_;
    std::size_t position_;
};

class Behaviour {
public:
    virtual ~Behaviour() = default;
    virtual Task<Sent> run(Send& send, Next next) = 0;
};

using BehaviourFunction = std::function<Task<Sent>(Send& send, Next next)>;

// What the built-in behaviours tell. No content and no key: logs are read by many.
struct SendLine {
    std::string command;
    std::string tenant_id;
    std::string record;  // a hash of tenant, command and key: the same for the same key; or empty
    SendOutcome outcome = SendOutcome::executed;
    Duration took{};
    std::string detail;  // of an error or an exception, in the words of whoever made it
};

// {"event":"command","command":"create_order","outcome":"hit",…} on one line, without its end.
std::string to_json_line(const SendLine& line);

// Called from all sending threads; an exception of a sink ends the send that it tells of.
using SendSink = std::function<void(const SendLine&)>;

// Tells every send. Registered first it sees replays, conflicts and refusals.
std::shared_ptr<Behaviour> logging(SendSink sink);

// Tells those that took at least `slow_after`.
std::shared_ptr<Behaviour> timing(Duration slow_after, SendSink sink);

// Refuses commands whose validate() names violations. Added by itself unless
// MediatorOptions::validation says no; use() it to choose its place.
std::shared_ptr<Behaviour> validation();

// Runs the handler once for each key. Added last by itself unless MediatorOptions::idempotency says
// no; use() it to choose its place.
std::shared_ptr<Behaviour> idempotency();

}  // namespace umavez
