#pragma once

// Ingress: `POST /webhooks/{provider}`. Checks the signature over the raw bytes, makes the event durable in
// one short transaction, and only then answers 200: a provider that hears anything else sends it again.
//
// It opens no tenant and needs no token: who sent it is proved by the signature alone.
//
// Immutable after construction; the handler is thread-safe. Outlived by database and problems.

#include "http/message.hpp"
#include "http/problem_catalogue.hpp"
#include "http/route.hpp"
#include "webhook/inbox/inbox_table.hpp"
#include "webhook/provider.hpp"
#include "webhook/scheme.hpp"

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace umavez::webhook {

struct Receiver {
    std::string scheme;  // its name; svix is standard-webhooks
    std::unique_ptr<const Scheme> verifier;
};
using Schemes = std::map<std::string, Receiver, std::less<>>;

// By the provider's name. Refuses the first provider that is wrong, and a name that is given twice or cannot
// stand in a path.
Result<Schemes> make_schemes(const std::vector<Provider>& providers);

struct IngressNeeds {
    Database& database;
    std::shared_ptr<const Schemes> schemes;
    const http::ProblemCatalogue& problems;
    const Clock& clock;
    std::function<void()> on_accepted = {};  // there is something to do
    // The event of this id was sent with another body.
    std::function<void(std::int64_t id)> on_quarantined = {};
    std::function<void(std::string_view provider, std::string_view outcome)> on_received = {};
};

http::Route ingress_route();
http::Handler ingress_handler(IngressNeeds needs);

// webhook-signature, webhook-timestamp, webhook-malformed, webhook-quarantined, account-taken
std::vector<http::ProblemKind> problem_kinds();

}  // namespace umavez::webhook
