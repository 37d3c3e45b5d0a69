#include "simulation/auditor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace umavez::simulation {
namespace {

using Token = std::pair<std::int64_t, Execution>;

Token to_pair(const FencingToken& token)
{
    return {token.epoch, token.execution};
}

class EffectAuditor {
public:
    EffectAuditor(
        const RecordId& id,
        const KeyEvidence& key,
        const Evidence& evidence,
        const Lifetimes& lifetimes,
        const OperationPlan& plan,
        Violations& violations
    )
        : id_(id),
          key_(key),
          evidence_(evidence),
          lifetimes_(lifetimes),
          plan_(plan),
          violations_(violations)
    {
    }

    // I1. A request carries the token of its claim, and the claim belongs to a lifetime.
    void count_effects()
    {
        std::map<std::size_t, std::size_t> counts;
        for (const EffectDone& effect : key_.effects) {
            const auto lifetime = lifetimes_.of_token.find(to_pair(effect.token));
            if (lifetime == lifetimes_.of_token.end()) {
                complain("I1", fmt::format("effect {} has no claim behind it", effect.number));
            } else if (++counts[lifetime->second] == 2 && plan_.one_effect) {
                complain("I1", fmt::format("effect {} is the second of its lifetime", effect.number));
            }
        }
    }

    // I1. The rows of an atomic operation: as far apart as the retention of the record, or one for ever.
    void count_rows()
    {
        const EffectDone* last = nullptr;
        for (const EffectDone& effect : key_.effects) {
            const auto retention = plan_.policy.retention;
            if (last != nullptr && (!retention || effect.at - last->at < *retention)) {
                complain("I1", fmt::format("row {} is the second of its lifetime", effect.number));
            }
            last = &effect;
        }
    }

    // I1. One run per claim, and none after a doubt that no enquiry has settled.
    void check_runs()
    {
        std::set<Token> seen;
        for (const HandlerRun& run : key_.runs) {
            if (!seen.insert(to_pair(run.token)).second) {
                complain("I1", fmt::format("call {} ran twice under one token", run.call));
            }
            if (!lifetimes_.of_token.contains(to_pair(run.token))) {
                complain("I1", fmt::format("call {} ran without a claim", run.call));
            }
            if (is_blind(run)) {
                complain("I1", fmt::format("call {} ran after a doubt that nobody settled", run.call));
            }
        }
    }

    // I3.
    void check_answer(const Call& call)
    {
        const bool is_known = std::ranges::any_of(lifetimes_.completions, [&](const auto& completion) {
            const Response& kept = completion.response.response;
            if (kept.status != call.response.status) return false;
            if (!call.omitted && !completion.response.omitted && kept.body != call.response.body) {
                return false;
            }
            return completion.at <= *call.ended && ends_at(completion.lifetime) >= call.began;
        });
        if (is_known) return;
        complain(
            "I3",
            fmt::format(
                "call at {:.3f} was answered \"{}\", which is no completion it could see",
                static_cast<double>(call.began.count()) / 1e3, call.response.body
            )
        );
    }

    // I4.
    void check_effect_of(const Call& call)
    {
        if (call.response.status >= 400) return;
        const auto number = effect_in(call.response);
        const auto effect = std::ranges::find_if(key_.effects, [&](const EffectDone& each) {
            return number && each.number == *number;
        });
        if (effect == key_.effects.end()) {
            complain("I4", fmt::format("\"{}\" never happened", call.response.body));
            return;
        }
        // Where delays have no bound, an enquiry may hear of a request that an earlier owner sent.
        const bool may_differ = plan_.policy.on_mismatch == OnMismatch::original ||
                                (plan_.has_reconciler && !plan_.one_effect);
        if (effect->payload != call.payload && !may_differ) {
            complain(
                "I4", fmt::format("\"{}\" answers \"{}\"", call.response.body, call.payload)
            );
        }
    }

    // I4. Only a call that said "unknown" may have a claim or a completion still on its way.
    void check_late_writes()
    {
        for (const RecordChange& change : key_.changes) {
            const Call& call = evidence_.calls[change.call];
            if (!change.at || !change.after || !call.ended || *change.at <= *call.ended) continue;
            const bool is_claim = !change.before || change.before->token != change.after->token;
            const bool is_completion = change.after->status == Status::succeeded;
            if (!is_claim && !is_completion) continue;
            if (call.ending == Ending::unknown || call.ending == Ending::failed) continue;
            complain(
                "I4",
                fmt::format(
                    "call {} ended {} and its write landed later", change.call, to_text(call.ending)
                )
            );
        }
    }

private:
    void complain(std::string_view invariant, const std::string& what)
    {
        violations_.push_back(fmt::format("{} {}: {}", invariant, what, name_of(id_)));
    }

    Duration ends_at(std::size_t lifetime) const
    {
        // Lifetimes count from 1; the next one begins where this one ends.
        return lifetime < lifetimes_.began_at.size() ? lifetimes_.began_at[lifetime] : Duration::max();
    }

    // A claim that came after a doubt, and no enquiry between the doubt and the run.
    bool is_blind(const HandlerRun& run) const
    {
        const auto claim = std::ranges::find_if(key_.changes, [&](const RecordChange& change) {
            return change.after && change.after->token == run.token;
        });
        if (claim == key_.changes.end() || !claim->at) return false;
        std::optional<Duration> doubt;
        for (const Duration at : lifetimes_.doubted_at) {
            if (at <= *claim->at) doubt = at;
        }
        return doubt && !is_settled_between(*doubt, run.at);
    }

    // By a new lifetime, by the owner itself, late, or by an authority that knew of nothing.
    bool is_settled_between(Duration doubt, Duration run) const
    {
        const auto is_between = [=](Duration at) { return at >= doubt && at <= run; };
        if (std::ranges::any_of(lifetimes_.began_at, is_between)) return true;
        for (const RecordChange& change : key_.changes) {
            const bool is_owners = change.before && change.before->status == Status::in_doubt &&
                                   change.after && change.after->token == change.before->token;
            if (is_owners && is_between(*change.at)) return true;
        }
        return std::ranges::any_of(key_.absences, [&](const Absence& absence) {
            return is_between(absence.at);
        });
    }

    const RecordId& id_;
    const KeyEvidence& key_;
    const Evidence& evidence_;
    const Lifetimes& lifetimes_;
    const OperationPlan& plan_;
    Violations& violations_;
};

}  // namespace

void audit_effects(
    const RecordId& id,
    const KeyEvidence& key,
    const Evidence& evidence,
    const Lifetimes& lifetimes,
    const OperationPlan& plan,
    Violations& violations
)
{
    EffectAuditor auditor{id, key, evidence, lifetimes, plan, violations};
    if (plan.is_in_rows) {
        auditor.count_rows();
    } else {
        auditor.count_effects();
    }
    if (plan.policy.guarantee != Guarantee::atomic) auditor.check_runs();
    auditor.check_late_writes();
    for (const CallId number : key.calls) {
        const Call& call = evidence.calls[number];
        if (call.ending != Ending::executed && call.ending != Ending::replayed) continue;
        auditor.check_answer(call);
        auditor.check_effect_of(call);
    }
}

}  // namespace umavez::simulation
