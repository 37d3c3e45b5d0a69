#pragma once

// What a deployment may choose about fiscal documents, and what a program gives to the module. Plain values.

#include "http/problem.hpp"
#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/entities.hpp"
#include "modules/fiscal/guard.hpp"
#include "modules/fiscal/rules/retry_rule.hpp"

#include <umavez/engine.hpp>
#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace umavez::fiscal {

struct Settings {
    std::size_t threads = 4;        // calls at a time, for clients; workers have their own
    std::size_t waiting_max = 256;  // clients that may wait for one of them
    Duration emit_limit = std::chrono::seconds{60};
    Duration consult_limit = std::chrono::seconds{30};
    Duration cancel_limit = std::chrono::seconds{60};
    Duration void_limit = std::chrono::seconds{60};
    RetryRule retry = {};  // while somebody waits
    GuardSettings guard = {};
    // Longer than a call that nobody waits for any more can take to arrive: before that an authority's "there
    // is no such event" is not believed, and no doubt is looked into.
    Duration settle = std::chrono::seconds{15};
    Duration reconcile_longest = std::chrono::minutes{10};  // between two looks at a doubt
    Duration lease = std::chrono::seconds{30};
};

// Reads what a document says of itself. `told`: the environment as the request has it, for documents that do
// not say it. invalid_argument: the sentence names the element and the cure.
using XmlReader =
    std::function<Result<Identidade>(std::string_view xml, std::optional<Ambiente> told)>;

// A type of document that this program can handle. What is pointed to outlives the module.
struct TipoParts {
    const Authority* authority = nullptr;
    XmlReader read;
};

// One call of an authority.
struct CallMade {
    TenantId tenant_id;
    std::int64_t documento_id = 0;
    std::string id_idempotencia;
    std::string_view authority;  // its name
    std::string_view operacao;
    std::uint32_t tentativa = 1;  // of this drive
    Said said;
    Duration took{};
};
struct EstadoChanged {
    TenantId tenant_id;
    std::int64_t documento_id = 0;
    std::string id_idempotencia;
    Estado from = Estado::reservado;
    Estado to = Estado::reservado;
    std::int64_t versao = 0;
};
// A person has to look at the document.
struct Alert {
    TenantId tenant_id;
    std::int64_t documento_id = 0;
    std::string id_idempotencia;
    std::string why;
};
using FiscalEvent = std::variant<CallMade, EstadoChanged, Alert>;

// Why a number is looked at: to tell a client at once, or to use it now. Whoever uses it holds its series
// until the transaction ends.
enum class NumberCheck : std::uint8_t { to_tell, before_use };

// What the module needs. Engine, database and authorities outlive it.
struct Needs {
    Engine& engine;
    Database& database;
    std::map<Tipo, TipoParts> tipos;
    std::map<std::string, TenantId> issuers;  // an issuer belongs to one tenant
    Settings settings = {};
    // Whether a number may be used that nobody reserved, for documents that are not there yet. Empty: every
    // number may. `to_tell` runs in a read-only transaction.
    std::function<Result<std::optional<http::Problem>>(
        Transaction& transaction,
        const TenantId& tenant_id,
        const Identidade& identidade,
        NumberCheck why
    )>
        check_number = {};
    // For logs and metrics; called by many threads, throws nothing.
    std::function<void(const FiscalEvent&)> on_event = {};
};

}  // namespace umavez::fiscal
