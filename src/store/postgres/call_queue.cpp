#include "store/postgres/call_queue.hpp"

#include "base/limits.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace umavez::pg {
namespace {

// A statement costs the server as much before its first row as six to eight rows. Of 64 callers on two
// processors 20 and 24 made a tenth more than all at once; 12 made less.
constexpr std::size_t worthwhile = 24;

}  // namespace

void CallQueue::push(Call& call)
{
    by_kind_[std::to_underlying(call.kind)].push_back(&call);
}

bool CallQueue::is_empty() const noexcept
{
    return std::ranges::all_of(by_kind_, [](const auto& queue) { return queue.empty(); });
}

bool CallQueue::is_worth_a_batch() const noexcept
{
    return std::ranges::any_of(by_kind_, [](const auto& queue) {
        return queue.size() >= worthwhile;
    });
}

std::vector<Call*> CallQueue::take()
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
    const std::size_t most = std::max(worthwhile, (queue.size() + 1) / 2);
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
