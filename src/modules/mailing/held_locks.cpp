#include "modules/mailing/held_locks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace umavez::mailing {

void HeldLocks::add(const Owner& owner, Duration at)
{
    const std::lock_guard guard{mutex_};
    held_.insert_or_assign(owner.token, Held{owner, at});
}

void HeldLocks::remove(const Owner& owner)
{
    const std::lock_guard guard{mutex_};
    held_.erase(owner.token);
}

void HeldLocks::confirm(const Owner& owner, Duration at)
{
    const std::lock_guard guard{mutex_};
    const auto found = held_.find(owner.token);
    if (found == held_.end() || !found->second.alive_at) return;
    found->second.alive_at = std::max(*found->second.alive_at, at);
}

std::optional<Duration> HeldLocks::alive_at(const Owner& owner) const
{
    const std::lock_guard guard{mutex_};
    const auto found = held_.find(owner.token);
    return found == held_.end() ? std::nullopt : found->second.alive_at;
}

std::vector<Owner> HeldLocks::owners() const
{
    const std::lock_guard guard{mutex_};
    std::vector<Owner> owners;
    for (const auto& [token, held] : held_) {
        if (held.alive_at) owners.push_back(held.owner);
    }
    return owners;
}

Result<void> HeldLocks::beat_all()
{
    const std::vector<Owner> owners = this->owners();
    if (owners.empty()) return {};
    const Duration began = clock_.boottime();
    std::vector<std::string> lost;
    const auto beaten = database_.transact([&](Transaction& transaction) -> Result<void> {
        auto gone = beat(transaction, owners);
        if (!gone) return std::unexpected(gone.error());
        lost = *std::move(gone);
        return {};
    });
    if (!beaten) return beaten;
    for (const Owner& owner : owners) {
        if (std::ranges::find(lost, owner.token) == lost.end()) {
            confirm(owner, began);
            continue;
        }
        const std::lock_guard guard{mutex_};
        const auto found = held_.find(owner.token);
        if (found != held_.end()) found->second.alive_at.reset();
    }
    return {};
}

Result<void> HeldLocks::beat_late(Duration period)
{
    bool is_late = false;
    {
        const Duration now = clock_.boottime();
        const std::lock_guard guard{mutex_};
        for (const auto& [token, held] : held_) {
            is_late = is_late || (held.alive_at && now - *held.alive_at > period);
        }
    }
    return is_late ? beat_all() : Result<void>{};
}

}  // namespace umavez::mailing
