// The counter's part for numbers that are given up.

#include "key_protocol/outcome_problem.hpp"
#include "modules/fiscal/counter.hpp"
#include "modules/fiscal/voiding.hpp"
#include "modules/parts/read.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace umavez::fiscal {
namespace {

using key_protocol::problem_of;

Answered refuse(http::Problem problem)
{
    return std::unexpected(std::move(problem));
}

bool is_given_up(const Documento& documento) noexcept
{
    return documento.estado == Estado::inutilizado ||
           documento.estado == Estado::inutilizacao_pendente;
}

Result<std::vector<Documento>> find_all(
    Module& module, const TenantId& tenant_id, const NovaInutilizacao& nova
)
{
    return modules::read(module.database(), [&](Transaction& transaction) {
        return find_numbers(transaction, tenant_id, nova.serie, nova.primeiro, nova.ultimo);
    });
}

// All of them, or none is touched.
std::optional<http::Problem> check_voidable(
    const std::vector<Documento>& documentos, const NovaInutilizacao& nova
)
{
    std::vector<Documento> others;
    std::vector<std::int64_t> unknown;
    auto next = documentos.begin();
    for (std::int64_t numero = nova.primeiro; numero <= nova.ultimo; ++numero) {
        if (next == documentos.end() || next->identidade.numero != numero) {
            unknown.push_back(numero);
            continue;
        }
        if (!is_unused(next->estado) && !is_given_up(*next)) others.push_back(*next);
        ++next;
    }
    if (others.empty() && unknown.empty()) return std::nullopt;
    return not_voidable(others, unknown);
}

// What was sent once may have arrived although it was said to be refused: the authority is asked first.
std::optional<http::Problem> check_absent(Module& module, const Documento& documento)
{
    if (documento.tentativas == 0 || !documento.identidade.id_autoridade) return std::nullopt;
    const Ended asked = ask_about(module, documento);
    if (asked.how == How::trouble) {
        return problem_of(Error{Errc::store_unavailable, asked.detail, {}}, true);
    }
    if (asked.how == How::finished && asked.word == Word::absent) return std::nullopt;
    const auto seen =
        look(module.database(), documento.tenant_id, documento.identidade.id_idempotencia);
    const bool is_changed = seen && seen->documento && !is_unused(seen->documento->estado);
    if (is_changed) return not_voidable({*seen->documento}, {});
    // Not ours, and in use all the same.
    if (asked.word == Word::authorised || asked.word == Word::cancelled) {
        return not_voidable({documento}, {});
    }
    return not_asked(documento, asked);
}

// What came of a range, by its rows; and where nothing came of it, why.
Answered tell(
    const std::vector<Documento>& before,
    const std::vector<Documento>& after,
    const std::optional<Driven>& last
)
{
    const auto count = [](const std::vector<Documento>& documentos, Estado estado) {
        return std::ranges::count(documentos, estado, &Documento::estado);
    };
    const Ended ended = last && last->ended ? *last->ended : Ended{.how = How::open};
    const bool is_done = count(after, Estado::inutilizado) == std::ssize(after);
    if (is_done || count(after, Estado::inutilizacao_pendente) > 0) {
        return voiding_response(after, Origem::emissao, ended.retry_after);
    }
    std::vector<Documento> used;
    std::ranges::copy_if(after, std::back_inserter(used), [](const Documento& documento) {
        return !is_unused(documento.estado) && !is_given_up(documento);
    });
    if (!used.empty()) return refuse(not_voidable(used, {}));  // somebody was faster
    const bool is_part = count(after, Estado::inutilizado) > count(before, Estado::inutilizado);
    if (ended.word == Word::refused || ended.was_found) {
        return refuse(voiding_refused(after, is_part ? Effect::applied : Effect::none));
    }
    // The rest is done when the same request comes again.
    if (is_part) return voiding_response(after, Origem::emissao, ended.retry_after);
    if (last && std::holds_alternative<InProgress>(last->outcome)) {
        return refuse(busy(std::get<InProgress>(last->outcome).retry_after));
    }
    const bool is_trouble = ended.how == How::trouble || ended.how == How::lost;
    if (!last || !last->ended || is_trouble) {
        return refuse(problem_of(Error{Errc::store_unavailable, ended.detail, {}}, true));
    }
    const auto failed = std::ranges::find_if(after, [](const Documento& documento) {
        return is_unused(documento.estado);
    });
    if (!ended.word && !ended.is_blocked) return refuse(not_configured(ended.detail));
    return refuse(not_taken(failed == after.end() ? after.front() : *failed, ended));
}

}  // namespace

Task<Answered> Counter::void_numbers(TenantId tenant_id, NovaInutilizacao nova)
{
    auto serving = serve([&] { return void_now(tenant_id, nova); });
    co_return co_await std::move(serving);
}

Answered Counter::void_now(const TenantId& tenant_id, const NovaInutilizacao& nova)
{
    const auto before = find_all(module_, tenant_id, nova);
    if (!before) return refuse(problem_of(before.error(), true));
    if (auto problem = check_voidable(*before, nova)) return refuse(*std::move(problem));
    const auto is_voided = [](const Documento& documento) {
        return documento.estado == Estado::inutilizado;
    };
    if (std::ranges::all_of(*before, is_voided)) return voiding_response(*before, Origem::cache);
    // All of them are asked about before the first is touched.
    for (const Documento& documento : *before) {
        if (is_given_up(documento)) continue;
        if (auto problem = check_absent(module_, documento)) return refuse(*std::move(problem));
    }

    std::optional<Driven> last;
    for (const Documento& documento : *before) {
        if (is_given_up(documento)) continue;
        if (module_.course_parts().leaving.stop_requested()) break;
        auto driven = void_number(
            module_, tenant_id, documento.identidade.id_idempotencia, &nova.justificativa
        );
        if (!driven) return refuse(problem_of(driven.error(), true));
        last = *std::move(driven);
        // What stopped one stops the others.
        if (!last->ended || last->ended->how != How::finished) break;
    }
    const auto after = find_all(module_, tenant_id, nova);
    if (!after) return refuse(problem_of(after.error(), true));
    return tell(*before, *after, last);
}

}  // namespace umavez::fiscal
