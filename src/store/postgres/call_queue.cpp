#include "store/postgres/call_queue.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace umavez::pg {

void CallQueue::push(Call& call)
{
    by_kind_[std::to_underlying(call.kind)].push_back(&call);
}

bool CallQueue::is_empty() const noexcept
{
    return std::ranges::all_of(by_kind_, [](const auto& queue) { return queue.empty(); });
}

std::size_t CallQueue::size() const noexcept
{
    std::size_t calls = 0;
    for (const auto& queue : by_kind_) calls += queue.size();
    return calls;
}

std::vector<Call*> CallQueue::take(std::size_t calls_max)
{
    const auto since = [](const std::deque<Call*>& queue) {
        return queue.empty() ? Duration::max() : queue.front()->asked_at;
    };
    std::deque<Call*>& queue = *std::ranges::min_element(by_kind_, {}, since);
    const auto less = [](const RecordId* a, const RecordId* b) { return *a < *b; };
    std::set<const RecordId*, decltype(less)> keys{less};
    std::vector<Call*> taken;
    std::deque<Call*> left;
    std::size_t members = 0;
    const std::size_t most = std::max<std::size_t>(calls_max, 1);
    for (Call* const call : queue) {
        bool fits = taken.size() < most && members + call->members <= limits::batch_members_max;
        for (std::size_t i = 0; fits && i < call->members; ++i) {
            fits = !keys.contains(&call->id(i));
        }
        if (!fits) {
            left.push_back(call);
            continue;
        }
        for (std::size_t i = 0; i < call->members; ++i) keys.insert(&call->id(i));
        members += call->members;
        taken.push_back(call);
    }
    queue.swap(left);
    return taken;
}

}  // namespace umavez::pg
