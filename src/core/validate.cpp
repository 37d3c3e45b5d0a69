#include "core/validate.hpp"

#include "base/limits.hpp"
#include "core/decide.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez {
namespace {

std::string to_seconds(Duration duration)
{
    return fmt::format("{} s", std::chrono::duration<double>(duration).count());
}

class Checks {
public:
    Checks(std::string_view operation, const Policy& policy) : operation_(operation), policy_(policy)
    {
    }

    Result<void> run(const Offered& offered, const Registered& registered) const
    {
        if (auto checked = words(); !checked) return checked;
        if (auto checked = guarantee(offered); !checked) return checked;
        if (auto checked = durations(); !checked) return checked;
        if (auto checked = abandoned(); !checked) return checked;
        if (auto checked = worker(registered); !checked) return checked;
        return answers(registered);
    }

private:
    template <typename... Args>
    std::unexpected<Error> refuse(fmt::format_string<Args...> text, Args&&... args) const
    {
        return fail(
            Errc::misconfigured,
            fmt::format("operation \"{}\": ", operation_) +
                fmt::format(text, std::forward<Args>(args)...)
        );
    }

    // A number that was cast, or came over a border of languages, may be none of the words.
    template <typename Word>
    Result<void> word(std::string_view name, Word value, Word last, std::string_view words) const
    {
        if (value <= last) return {};
        const auto number = std::to_underlying(value);
        return refuse("{} is {}, which is none of its values; use {}", name, number, words);
    }

    Result<void> words() const
    {
        const Policy& p = policy_;
        const Result<void> all[] = {
            word("guarantee", p.guarantee, Guarantee::cached, "atomic, leased or cached"),
            word("key", p.key, KeyRule::derived, "required, optional or derived"),
            word("on_mismatch", p.on_mismatch, OnMismatch::original, "reject or original"),
            word("replay", p.replay, Replaying::current, "stored or current"),
            word("on_duplicate", p.on_duplicate, OnDuplicate::wait, "conflict or wait"),
            word(
                "on_abandoned", p.on_abandoned, OnAbandoned::rerun, "automatic, reconcile, hold or rerun"
            ),
            word("effect", p.effect, RepeatedEffect::harmless, "harmful, deduplicated or harmless"),
            word("finality", p.finality, Finality::success, "standard or success"),
            word("on_store_error", p.on_store_error, OnStoreError::open, "closed or open"),
        };
        for (const Result<void>& each : all) {
            if (!each) return each;
        }
        return {};
    }

    Result<void> guarantee(const Offered& offered) const
    {
        const bool offers = policy_.guarantee == Guarantee::atomic   ? offered.atomic
                            : policy_.guarantee == Guarantee::leased ? offered.leased
                                                                     : offered.cached;
        if (offers) return {};
        return refuse(
            "guarantee = \"{}\" cannot be given by the {} store; use {}",
            to_text(policy_.guarantee),
            offered.store_name,
            policy_.guarantee == Guarantee::cached ? "memory, or guarantee = \"leased\""
                                                   : "SQLite or PostgreSQL, or guarantee = \"cached\""
        );
    }

    Result<void> positive(std::string_view name, Duration duration) const
    {
        if (duration <= Duration{0}) {
            return refuse("{} is {}; it must be greater than 0", name, to_seconds(duration));
        }
        if (duration > limits::duration_max) {
            return refuse("{} is longer than 100 years; check its unit", name);
        }
        return {};
    }

    Result<void> not_negative(std::string_view name, Duration duration) const
    {
        if (duration >= Duration{0} && duration <= limits::duration_max) return {};
        return refuse("{} is {}; it must be between 0 and 100 years", name, to_seconds(duration));
    }

    Result<void> durations() const
    {
        if (auto checked = positive("lease", policy_.lease); !checked) return checked;
        if (auto checked = positive("run_limit", policy_.run_limit); !checked) return checked;
        if (auto checked = positive("duplicate_wait", policy_.duplicate_wait); !checked) return checked;
        if (auto checked = positive("atomic_run_limit", policy_.atomic_run_limit); !checked) {
            return checked;
        }
        if (auto checked = not_negative("settle", policy_.settle); !checked) return checked;
        if (auto checked = not_negative("retry_horizon", policy_.retry_horizon.value_or(Duration{0}));
            !checked) {
            return checked;
        }
        if (policy_.retention) {
            if (auto checked = positive("retention", *policy_.retention); !checked) return checked;
        }
        if (policy_.lease < limits::lease_min) {
            return refuse(
                "lease is {}; heartbeats keep nothing below {}, so raise it",
                to_seconds(policy_.lease),
                to_seconds(limits::lease_min)
            );
        }
        if (policy_.lease > policy_.run_limit) {
            return refuse(
                "lease ({}) is longer than run_limit ({}); shorten the lease or raise run_limit",
                to_seconds(policy_.lease),
                to_seconds(policy_.run_limit)
            );
        }
        return {};
    }

    Result<void> abandoned() const
    {
        if (policy_.on_abandoned == OnAbandoned::reconcile && !policy_.has_reconciler) {
            return refuse(
                "on_abandoned = \"reconcile\" needs a reconciler; register one or use \"hold\""
            );
        }
        const bool reruns = policy_.guarantee == Guarantee::leased &&
                            policy_.on_abandoned == OnAbandoned::rerun;
        if (reruns && policy_.effect == RepeatedEffect::harmful) {
            return refuse(
                "on_abandoned = \"rerun\" repeats the effect; write effect = \"deduplicated\" (the other "
                "side dedupes on the effect key) or effect = \"harmless\", or use \"reconcile\" or "
                "\"hold\""
            );
        }
        if (on_abandoned_of(policy_) == OnAbandoned::rerun && policy_.takeovers_max == 0) {
            return refuse(
                "takeovers_max is 0, so on_abandoned = \"rerun\" would never re-run; raise it or use "
                "\"hold\""
            );
        }
        return {};
    }

    Result<void> worker(const Registered& registered) const
    {
        if (registered.has_load == registered.has_work) return {};
        if (registered.has_work) {
            return refuse(
                "`work` without `load`: a worker would have nothing to run it with; register both or "
                "neither"
            );
        }
        return refuse(
            "`load` without `work`: a worker would have a payload and nothing to do with it; register "
            "both or neither"
        );
    }

    Result<void> answers(const Registered& registered) const
    {
        if (policy_.guarantee == Guarantee::atomic && policy_.on_store_error == OnStoreError::open) {
            return refuse(
                "on_store_error = \"open\" is not possible for guarantee = \"atomic\"; use \"closed\""
            );
        }
        if (policy_.response_bytes_max == 0) {
            return refuse("response_bytes_max is 0, so no answer would be kept; raise it");
        }
        if (policy_.replay == Replaying::current && !registered.has_current) {
            return refuse(
                "replay = \"current\" needs a function that loads the entity; register `current` or "
                "use replay = \"stored\""
            );
        }
        if (policy_.replay == Replaying::current && policy_.guarantee != Guarantee::atomic) {
            return refuse("replay = \"current\" needs guarantee = \"atomic\"; use replay = \"stored\"");
        }
        return {};
    }

    std::string_view operation_;
    const Policy& policy_;
};

}  // namespace

Result<void> validate(
    std::string_view operation, const Policy& policy, const Offered& offered, const Registered& registered
)
{
    return Checks{operation, policy}.run(offered, registered);
}

std::vector<std::string> warnings(std::string_view operation, const Policy& policy)
{
    std::vector<std::string> found;
    if (policy.retention && policy.retry_horizon && *policy.retention < *policy.retry_horizon) {
        found.push_back(fmt::format(
            "operation \"{}\": retention ({}) is shorter than the retry horizon of its source ({}); a late "
            "retry would run again",
            operation,
            to_seconds(*policy.retention),
            to_seconds(*policy.retry_horizon)
        ));
    }
    if (policy.on_store_error == OnStoreError::open) {
        found.push_back(fmt::format(
            "operation \"{}\": on_store_error = \"open\" runs unprotected while the store is down",
            operation
        ));
    }
    return found;
}

}  // namespace umavez
