#include "simulation/shrink.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::simulation {
namespace {

constexpr std::size_t runs_max = 80;

std::string invariant_of(const std::string& violation)
{
    return violation.substr(0, violation.find(' '));
}

class Shrinker {
public:
    Shrinker(SeedPlan plan, const std::string& violation)
        : plan_(std::move(plan)), invariant_(invariant_of(violation))
    {
        plan_.clients_off.resize(plan_.swarm.clients, false);
    }

    SeedPlan run()
    {
        for (std::size_t i = 0; i < plan_.clients_off.size(); ++i) {
            SeedPlan less = plan_;
            less.clients_off[i] = true;
            keep_if_failing(std::move(less));
        }
        for (std::size_t i = plan_.swarm.crashes.size(); i-- > 0;) {
            SeedPlan less = plan_;
            less.swarm.crashes.erase(less.swarm.crashes.begin() + static_cast<std::ptrdiff_t>(i));
            keep_if_failing(std::move(less));
        }
        for (std::size_t kind = 0; kind < fault_kinds_count; ++kind) {
            if (plan_.swarm.rates[kind] == 0) continue;
            SeedPlan less = plan_;
            less.swarm.rates[kind] = 0;
            keep_if_failing(std::move(less));
        }
        return plan_;
    }

private:
    void keep_if_failing(SeedPlan less)
    {
        if (++runs_ > runs_max) return;
        const SeedResult result = run_seed(less);
        const bool is_failing = std::ranges::any_of(result.violations, [this](const auto& each) {
            return invariant_of(each) == invariant_;
        });
        if (is_failing) plan_ = std::move(less);
    }

    SeedPlan plan_;
    const std::string invariant_;
    std::size_t runs_ = 0;
};

}  // namespace

SeedPlan shrink(SeedPlan plan, const std::string& violation)
{
    return Shrinker{std::move(plan), violation}.run();
}

std::string describe(const SeedPlan& plan)
{
    std::string text = fmt::format("seed={} store={} ", plan.seed, to_text(plan.store));
    if (plan.mutant) text += fmt::format("mutant={} ", to_text(*plan.mutant));
    text += to_text(plan.swarm);
    for (std::size_t i = 0; i < plan.clients_off.size(); ++i) {
        if (plan.clients_off[i]) text += fmt::format(" -client{}", i);
    }
    return text;
}

std::vector<std::string> story_of(SeedPlan plan)
{
    plan.keeps_trace = true;
    const SeedResult result = run_seed(plan);
    if (result.violations.empty()) return {};
    // The record's name is what a violation has with two slashes in it.
    const std::string& violation = result.violations.front();
    std::string name;
    for (std::size_t from = 0; from < violation.size();) {
        const std::size_t to = std::min(violation.find(' ', from), violation.size());
        const std::string word = violation.substr(from, to - from);
        if (std::ranges::count(word, '/') == 2) name = word;
        from = to + 1;
    }
    std::vector<std::string> story;
    for (const std::string& line : result.trace) {
        const bool is_about_all = line.find('/') == std::string::npos;
        if (is_about_all || line.find(name + " ") != std::string::npos || line.ends_with(name)) {
            story.push_back(line);
        }
    }
    story.insert(story.end(), result.violations.begin(), result.violations.end());
    return story;
}

}  // namespace umavez::simulation
