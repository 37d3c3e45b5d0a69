#pragma once

// Module: what all of the fiscal module shares for as long as the program runs.
//
// A program opens it after the engine and before the engine starts, declares its operations, adds its routes
// (routes.hpp) and, where documents are driven on without their clients, starts a FiscalWorker:
//
//     fiscal::Module module{{.engine = *engine, .database = *database, .tipos = …, .issuers = …}};
//     for (OperationSpec& spec : fiscal::operations(module)) engine->declare(std::move(spec));
//     fiscal::add_routes(api, module);
//     engine->start();
//     fiscal::FiscalWorker worker{module, {}};
//     …
//     worker.stop();
//     module.leave();   // then the server, which waits for its requests; module.cut() where it takes long
//
// Thread-safe. Outlives routes and workers; is outlived by engine, database and authorities.

#include "modules/fiscal/course.hpp"
#include "modules/fiscal/guard.hpp"
#include "modules/fiscal/settings.hpp"

#include <umavez/operation.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace umavez::fiscal {

class Module {
public:
    explicit Module(Needs needs);
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    Engine& engine() const noexcept { return needs_.engine; }
    Database& database() const noexcept { return needs_.database; }
    Guard& guard() noexcept { return guard_; }
    const Settings& settings() const noexcept { return needs_.settings; }

    // Null: this program does not handle the type.
    const TipoParts* find_tipo(Tipo tipo) const noexcept;
    const std::map<Tipo, TipoParts>& tipos() const noexcept { return needs_.tipos; }

    // Whether the issuer is one of this tenant's.
    bool is_issuer(const TenantId& tenant_id, const std::string& emitente) const;

    const Needs& needs() const noexcept { return needs_; }
    const CourseParts& course_parts() const noexcept { return parts_; }

    // The process wants to end: calls that run come to their end, nothing is tried again.
    void leave() { leaving_.request_stop(); }
    // It cannot wait any longer: calls end now, and what they did is for a worker to find out.
    void cut() { cutting_.request_stop(); }

    // What a reconciler learnt for the handler that runs under the same claim: at this version of the
    // document the authority has nothing, and nothing is under way. It saves asking twice.
    void note_absence(const FencingToken& token, std::int64_t versao);
    bool take_absence(const FencingToken& token, std::int64_t versao);

private:
    const Needs needs_;
    Guard guard_;
    std::stop_source leaving_;
    std::stop_source cutting_;
    const CourseParts parts_;
    std::mutex mutex_;
    std::map<Execution, std::int64_t> absences_;  // guarded by mutex_
};

// documentos.emitir, .cancelar and .inutilizar, for Engine::declare. The module outlives the engine's use of
// them.
std::vector<OperationSpec> operations(Module& module);

inline constexpr std::string_view emitir_operation = "documentos.emitir";
inline constexpr std::string_view cancelar_operation = "documentos.cancelar";
inline constexpr std::string_view inutilizar_operation = "documentos.inutilizar";

// What the engine is asked for a document: its natural key is the key, and nothing is ever a mismatch.
Request request_of(
    std::string_view operation, const TenantId& tenant_id, const std::string& id_idempotencia
);

// What a record keeps: small, and the same however often it is written.
Response kept_response(const Documento& documento);

}  // namespace umavez::fiscal
