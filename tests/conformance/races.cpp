#include "conformance/races.hpp"

#include <algorithm>

namespace umavez::test {

Scene::Scene(Store& store, FakeClock& clock, RecordId id, Policy policy)
    : driver_(store), clock_(clock), id_(std::move(id)), policy_(policy)
{
}

Actor& Scene::actor(char name)
{
    Actor& actor = actors_[name];
    actor.execution = static_cast<std::uint8_t>(name);
    return actor;
}

void Scene::begin(bool lease_is_over)
{
    Actor& owner = actor('o');
    owner.owned = driver_.insert(id_, owner.execution, policy_).record;
    epoch_highest_ = owner.owned->token.epoch;
    if (lease_is_over) clock_.advance(policy_.lease);
}

void Scene::begin_spent()
{
    begin(false);
    finish(actor('o'), "spent");
    clock_.advance(*policy_.retention);
}

std::string Scene::run(char name, const std::string& step)
{
    const std::optional<Record> before = record();
    const std::string result = perform(actor(name), step);
    check(std::string(1, name) + "." + step, result, before);
    return result;
}

std::string Scene::perform(Actor& actor, const std::string& step)
{
    if (step == "expire") {
        clock_.advance(policy_.lease + policy_.settle);
        return "passed";
    }
    if (step == "sweep") return sweep();
    if (step == "claim") return claim(actor);
    if (step == "read") {
        actor.read = record();
        return actor.read ? std::string(to_text(actor.read->status)) : "nothing";
    }
    if (step == "take" || step == "hold" || step == "operator") {
        if (!actor.read) return "nothing";
        if (step == "take") return take(actor);
        const Expected expected = bystander_expects(*actor.read);
        if (step == "operator") {
            if (actor.read->status == Status::succeeded) return "forbidden";
            const auto execution = execution_of(actor.execution);
            return write(
                actor, expected, operator_release_draft(*actor.read, execution, 24h), "released"
            );
        }
        if (!is_lease_over(*actor.read, driver_.now())) return "live";
        return write(
            actor, takeover_expects(*actor.read, policy_), hold_draft(*actor.read, policy_), "held"
        );
    }
    if (!actor.owned) return "not-owner";
    const Record& owned = *actor.owned;
    const Expected expected = owner_expects(owned.token);
    if (step == "heartbeat") {
        const auto expires_in = processing_expires_in(policy_, owned.mode);
        return driver_.heartbeat(id_, owned.token, policy_.lease, expires_in).done ? "done" : "refused";
    }
    if (step == "save") return write(actor, expected, save_draft(owned, "page 7", policy_), "done");
    if (step == "release") {
        return write(actor, expected, release_draft(owned, std::nullopt, policy_), "released");
    }
    if (step == "doubt") return write(actor, expected, doubt_draft(owned, policy_.settle), "done");
    if (step == "finish") return finish(actor, std::string("by ") + static_cast<char>(actor.execution));
    if (step == "finish2") return finish(actor, "another answer");
    return "unknown step " + step;
}

// The second half of a claim: decides on what was read, perhaps long ago, and writes.
std::string Scene::take(Actor& actor)
{
    const Record& read = *actor.read;
    const Decision decision = decide(&read, request_of(), policy_, driver_.now());
    const Claim* const claim = std::get_if<Claim>(&decision);
    if (claim == nullptr) return std::string(to_text(decision));
    Draft draft = claim_draft(&read, request_of(), policy_, *claim, execution_of(actor.execution));
    return write(actor, takeover_expects(read, policy_), std::move(draft), "taken");
}

// A whole claim, as the engine does it: insert, decide, replace, and again if somebody was faster.
std::string Scene::claim(Actor& actor)
{
    const Found found = driver_.insert(id_, actor.execution, policy_);
    actor.read = found.record;
    if (!found.inserted) return take(actor);
    actor.owned = found.record;
    completions_ = 0;
    return "inserted";
}

std::string Scene::finish(Actor& actor, const std::string& body)
{
    const Record& owned = *actor.owned;
    const Draft draft = complete_draft(owned, Status::succeeded, stored(201, body), policy_);
    const Replaced replaced = driver_.replace(id_, settler_expects(owned.token), draft);
    if (replaced.done) {
        ++completions_;
        return "done";
    }
    const bool is_repeated =
        replaced.record && is_same_completion(*replaced.record, owned.token, draft);
    return is_repeated ? "repeated" : "refused";
}

std::string Scene::write(Actor& actor, Expected expected, Draft draft, const char* done)
{
    const bool is_claim = draft.raise_epoch && draft.status == Status::processing;
    const bool is_new_lifetime = !draft.created_at;
    const Replaced replaced = driver_.replace(id_, expected, std::move(draft));
    if (!replaced.done) return replaced.record ? "refused" : "gone";
    if (is_claim) actor.owned = replaced.record;
    if (is_claim && is_new_lifetime) completions_ = 0;
    if (actor.owned && actor.owned->token == replaced.record->token) actor.owned = replaced.record;
    return done;
}

std::string Scene::sweep()
{
    const std::vector<RecordId> ids = driver_.sweep();
    return std::ranges::find(ids, id_) == ids.end() ? "left" : "swept";
}

void Scene::check(
    const std::string& step, const std::string& result, const std::optional<Record>& before
)
{
    const auto complain = [&](const std::string& what) {
        complaints_ += step + "=" + result + ": " + what + "\n";
    };
    const std::optional<Record> after = record();
    const bool is_write = result == "done" || result == "taken" || result == "held" ||
                          result == "released" || result == "inserted" || result == "swept";
    if (!is_write && before != after) complain("changed the record without saying so");
    if (result == "swept" && (after || !before || !is_spent(*before, driver_.now()))) {
        complain("swept a record that was not spent");
    }
    if (completions_ > 1) complain("a second completion was accepted in one lifetime");
    if (!after) return;

    if (after->token.epoch < epoch_highest_) complain("the epoch fell");
    const bool is_raising = result == "taken" || result == "inserted" || step.ends_with(".operator");
    if (is_raising && is_write && after->token.epoch <= epoch_highest_) complain("the epoch did not rise");
    if (before && !is_raising && before->token != after->token) complain("the token changed");
    epoch_highest_ = std::max(epoch_highest_, after->token.epoch);

    const bool was_completed = before && is_completed(*before) && before->token == after->token;
    if (was_completed && before->response != after->response) complain("the answer changed");
}

std::vector<std::vector<Turn>> interleavings(const std::vector<Session>& sessions)
{
    std::vector<std::vector<Turn>> all;
    std::vector<Turn> order;
    std::vector<std::size_t> next(sessions.size(), 0);
    const std::function<void()> extend = [&] {
        bool is_complete = true;
        for (std::size_t i = 0; i < sessions.size(); ++i) {
            if (next[i] == sessions[i].steps.size()) continue;
            is_complete = false;
            order.push_back({sessions[i].name, sessions[i].steps[next[i]]});
            ++next[i];
            extend();
            --next[i];
            order.pop_back();
        }
        if (is_complete) all.push_back(order);
    };
    extend();
    return all;
}

std::string run(Scene& scene, const std::vector<Turn>& order)
{
    std::string line;
    for (const Turn& turn : order) {
        if (!line.empty()) line += ' ';
        line += std::string(1, turn.name) + "." + turn.step + "=" + scene.run(turn.name, turn.step);
    }
    return line;
}

}  // namespace umavez::test
