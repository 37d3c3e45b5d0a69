#pragma once

// Counter: where clients are served. What can be answered from the row is answered at once; whoever needs the
// authority waits for one of a few threads, and too many are sent away.
//
// Every answer is made from the row as it is after whatever was done: the row is committed before anybody is
// told anything. Thread-safe. Outlived by its module.

#include "base/side_threads.hpp"
#include "key_protocol/protect.hpp"
#include "modules/fiscal/answers.hpp"
#include "modules/fiscal/emission.hpp"
#include "modules/fiscal/input.hpp"
#include "modules/fiscal/module.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace umavez::fiscal {

using Answered = key_protocol::OrProblem<http::Response>;

class Counter {
public:
    explicit Counter(Module& module) : module_(module), threads_(module.settings().threads) {}

    Module& module() const noexcept { return module_; }

    Task<Answered> emit(TenantId tenant_id, Nova nova);
    Task<Answered> cancel(TenantId tenant_id, std::int64_t id, std::string justificativa);
    Task<Answered> reconcile(TenantId tenant_id, std::int64_t id);
    Task<Answered> void_numbers(TenantId tenant_id, NovaInutilizacao nova);

private:
    Task<key_protocol::OrProblem<Documento>> find(TenantId tenant_id, std::int64_t id);

    // Runs on one of the threads. What is thrown there is an internal error.
    Task<Answered> serve(std::function<Answered()> question);

    // What comes after the first POST holds for the document, too: its key, and whose place it takes.
    // Nullopt: from now on it does.
    Task<std::optional<http::Problem>> keep_late(Documento documento, Nova nova);

    Answered emit_now(const TenantId& tenant_id, const Nova& nova, bool was_in_doubt);
    // The authority holds another document than was sent: perhaps it is this one.
    Answered compare_now(const Documento& documento, const Nova& nova);
    Answered cancel_now(const Documento& documento, const std::string& justificativa);
    Answered reconcile_now(const Documento& documento);
    Answered void_now(const TenantId& tenant_id, const NovaInutilizacao& nova);

    Module& module_;
    std::atomic<std::size_t> waiting_ = 0;
    SideThreads threads_;  // last: they use all of the above
};

}  // namespace umavez::fiscal
