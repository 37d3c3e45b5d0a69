#include "app/fiscal.hpp"

#include "modules/fiscal/numbering/reserve.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <utility>

namespace umavez {
namespace {

fiscal::Settings module_settings(const FiscalSettings& settings)
{
    fiscal::Settings made;
    made.threads = settings.threads;
    made.emit_limit = settings.timeout_emissao;
    made.consult_limit = settings.timeout_consulta;
    made.cancel_limit = settings.timeout_cancelamento;
    made.void_limit = settings.timeout_inutilizacao;
    made.retry.attempts = settings.tentativas;
    made.retry.first = settings.backoff_primeiro;
    made.retry.longest = settings.backoff_maximo;
    made.guard.rule.per_minute = static_cast<std::int64_t>(settings.consultas_por_minuto);
    made.guard.block = settings.bloqueio;
    made.settle = settings.assentamento;
    made.lease = settings.lease;
    return made;
}

struct NoteFiscal {
    Log& log;
    Metrics* metrics;

    void operator()(const fiscal::CallMade& call) const
    {
        const std::string_view authority = call.authority;
        const std::string_view word = to_text(call.said.word);
        if (metrics != nullptr) metrics->count_fiscal_call(authority, call.operacao, word);
        using std::chrono::milliseconds;
        const auto took = std::chrono::duration_cast<milliseconds>(call.took).count();
        log.info(
            "fiscal_call",
            {{"documento", call.documento_id},
             {"tenant", call.tenant_id.text()},
             {"id_idempotencia", call.id_idempotencia},
             {"operacao", call.operacao},
             {"tentativa", call.tentativa},
             {"palavra", word},
             {"http_status", call.said.http_status},
             {"duracao_ms", took},
             {"codigos", codes_of(call.said)},
             {"detail", call.said.detail}}
        );
    }
    void operator()(const fiscal::EstadoChanged& changed) const
    {
        log.info(
            "fiscal_estado",
            {{"documento", changed.documento_id},
             {"tenant", changed.tenant_id.text()},
             {"id_idempotencia", changed.id_idempotencia},
             {"de", to_text(changed.from)},
             {"para", to_text(changed.to)},
             {"versao", changed.versao}}
        );
    }
    void operator()(const fiscal::Alert& alert) const
    {
        log.warning(
            "fiscal_alert",
            {{"documento", alert.documento_id},
             {"tenant", alert.tenant_id.text()},
             {"id_idempotencia", alert.id_idempotencia},
             {"detail", alert.why}}
        );
    }

private:
    // "E0014,E0015"
    static std::string codes_of(const fiscal::Said& said)
    {
        std::string codes;
        for (const fiscal::Mensagem& mensagem : said.mensagens) {
            if (!codes.empty()) codes += ',';
            codes += mensagem.codigo;
        }
        return codes;
    }
};

}  // namespace

OnFiscal note_fiscal(Log& log, Metrics* metrics)
{
    return [note = NoteFiscal{log, metrics}](const fiscal::FiscalEvent& event) {
        std::visit(note, event);
    };
}

Fiscal::Fiscal(const Settings& settings, Engine& engine, Database& database, OnFiscal on_event)
    : authorities_(settings.fiscal),
      names_(authorities_.names()),
      module_(std::make_unique<fiscal::Module>(fiscal::Needs{
          .engine = engine,
          .database = database,
          .tipos = authorities_.tipos(),
          .issuers = issuers_of(settings.fiscal),
          .settings = module_settings(settings.fiscal),
          .check_number = fiscal::check_unreserved,
          .on_event = std::move(on_event),
      }))
{
}

std::vector<std::string> fiscal_words()
{
    std::vector<std::string> words;
    for (const fiscal::Word word : fiscal::all_words()) words.emplace_back(to_text(word));
    return words;
}

std::map<std::string, TenantId> issuers_of(const FiscalSettings& settings)
{
    std::map<std::string, TenantId> issuers;
    for (const FiscalSettings::Emitente& emitente : settings.emitentes) {
        // complete_emitentes took nothing else.
        if (auto tenant = TenantId::parse(emitente.tenant)) {
            issuers.emplace(emitente.inscricao, *std::move(tenant));
        }
    }
    return issuers;
}

fiscal::IsIssuer issuer_rule(const FiscalSettings& settings)
{
    return
        [issuers = issuers_of(settings)](const TenantId& tenant_id, const std::string& emitente) {
            const auto found = issuers.find(emitente);
            return found != issuers.end() && found->second == tenant_id;
        };
}

fiscal::FiscalWorkerOptions fiscal_worker_options(const Settings& settings)
{
    return {.threads = settings.fiscal.threads, .stop_grace = settings.drain_limit / 2};
}

CutCalls::CutCalls(fiscal::Module& module, Duration after)
    : thread_([&module, after](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any stopped;
          std::unique_lock lock{mutex};
          stopped.wait_for(lock, stop, after, [&stop] { return stop.stop_requested(); });
          if (!stop.stop_requested()) module.cut();
      })
{
}

}  // namespace umavez
