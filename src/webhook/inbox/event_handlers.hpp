#pragma once

// The port on which modules say what an event of a provider means to them.
//
//     handlers.add("stripe", "payment_intent.succeeded", apply_payment);
//
// A handler runs inside the transaction that ends the event's run, on the database's thread: SQL only, and
// perhaps more than once, of which one run commits. What it decides becomes the state of the event.
//
// Handlers are added before workers start; then immutable and thread-safe.

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace umavez::webhook {

// Views are valid during the call.
struct ReceivedEvent {
    TenantId tenant_id;
    std::string_view provider;  // as configured: "stripe-loja"
    std::string_view event_id;
    std::string_view type;
    // What the provider signed; where it signs no body, what it answered when it was asked.
    std::string_view content;
};

struct Applied {};
// It says nothing to us. Kept, and not an error.
struct Ignored {
    std::string why;
};
// Older than what was applied to its entity.
struct Stale {
    std::string why;
};
// May go better later. The handler wrote nothing.
struct Failed {
    std::string why;
};
// Will not go better by itself: an operator must see it. The handler wrote nothing.
struct Refused {
    std::string why;
};
using Handled = std::variant<Applied, Ignored, Stale, Failed, Refused>;

// An Error is the store's: everything is undone, and the event is due again.
using EventHandler = std::function<Result<Handled>(Transaction&, const ReceivedEvent&)>;

class EventHandlers {
public:
    // Of a scheme and a type of event. The last one given counts.
    void add(std::string scheme, std::string type, EventHandler handler)
    {
        handlers_.insert_or_assign({std::move(scheme), std::move(type)}, std::move(handler));
    }

    // Null: nobody handles this.
    const EventHandler* find(std::string_view scheme, std::string_view type) const
    {
        const auto found = handlers_.find(std::pair{scheme, type});
        return found == handlers_.end() ? nullptr : &found->second;
    }

private:
    struct Less {
        using is_transparent = void;
        template <typename A, typename B>
        bool operator()(const A& a, const B& b) const
        {
            return std::pair<std::string_view, std::string_view>{a} <
                   std::pair<std::string_view, std::string_view>{b};
        }
    };
    std::map<std::pair<std::string, std::string>, EventHandler, Less> handlers_;
};

}  // namespace umavez::webhook
