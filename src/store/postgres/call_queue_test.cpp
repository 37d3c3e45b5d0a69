#include "store/postgres/call_queue.hpp"

#include "base/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace umavez::pg {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using namespace std::chrono_literals;

class TestCall final : public Call {
public:
    TestCall(Kind kind_of_call, Duration asked, std::vector<std::string> keys)
        : Call(kind_of_call, keys.size(), asked)
    {
        for (const std::string& key : keys) {
            ids_.push_back(
                {*TenantId::parse("loja-7"), *Operation::parse("pedidos"), *Key::parse(key)}
            );
        }
    }
    const RecordId& id(std::size_t member) const override { return ids_[member]; }

private:
    std::vector<RecordId> ids_;
};

constexpr auto completion = Call::Kind::completion;
constexpr auto heartbeat = Call::Kind::heartbeat;
constexpr std::size_t all = limits::batch_members_max;

TEST(CallQueue, AHeartbeatDoesNotStarveBehindCompletionsThatKeepComing)
{
    CallQueue queue;
    TestCall first{completion, 1s, {"a"}};
    TestCall beat{heartbeat, 2s, {"b"}};
    TestCall later{completion, 3s, {"c"}};
    queue.push(first);
    queue.push(beat);
    EXPECT_THAT(queue.take(all), ElementsAre(&first));
    queue.push(later);

    EXPECT_THAT(queue.take(all), ElementsAre(&beat));
    EXPECT_THAT(queue.take(all), ElementsAre(&later));
    EXPECT_TRUE(queue.is_empty());
}

TEST(CallQueue, AKeyIsInABatchOnce)
{
    CallQueue queue;
    TestCall first{completion, 1s, {"a"}};
    TestCall again{completion, 2s, {"a"}};
    TestCall other{completion, 3s, {"b"}};
    for (Call* const call : {&first, &again, &other}) queue.push(*call);

    EXPECT_THAT(queue.take(all), ElementsAre(&first, &other));
    EXPECT_THAT(queue.take(all), ElementsAre(&again));
}

TEST(CallQueue, NoMoreAreTakenThanWereAskedForAndTheRestStaysInItsPlace)
{
    std::deque<TestCall> calls;
    CallQueue queue;
    for (int i = 0; i < 64; ++i) {
        queue.push(calls.emplace_back(completion, Duration{i}, std::vector{std::to_string(i)}));
    }

    EXPECT_THAT(queue.take(40), SizeIs(40));
    EXPECT_EQ(queue.size(), 24);
    const std::vector<Call*> second = queue.take(40);
    EXPECT_THAT(second, SizeIs(24));
    EXPECT_EQ(second.front(), &calls[40]);
    EXPECT_TRUE(queue.is_empty());
}

TEST(CallQueue, OneIsTakenWhateverWasAskedFor)
{
    CallQueue queue;
    TestCall first{completion, 1s, {"a"}};
    TestCall second{completion, 2s, {"b"}};
    for (Call* const call : {&first, &second}) queue.push(*call);

    EXPECT_THAT(queue.take(0), ElementsAre(&first));
}

TEST(CallQueue, ItsSizeCountsEveryKind)
{
    std::deque<TestCall> calls;
    CallQueue queue;
    for (int i = 0; i < 30; ++i) {
        const auto kind = i % 2 == 0 ? completion : heartbeat;
        queue.push(calls.emplace_back(kind, Duration{i}, std::vector{std::to_string(i)}));
    }

    EXPECT_EQ(queue.size(), 30);
    EXPECT_THAT(queue.take(30), SizeIs(15));
}

TEST(CallQueue, ABatchHasNoMoreMembersThanTheLimit)
{
    std::vector<std::string> many;
    for (std::size_t i = 0; i < limits::batch_members_max - 1; ++i) {
        many.push_back(std::to_string(i));
    }
    CallQueue queue;
    TestCall large{completion, 1s, many};
    TestCall two{completion, 2s, {"x", "y"}};
    TestCall one{completion, 3s, {"z"}};
    for (Call* const call : {&large, &two, &one}) queue.push(*call);

    EXPECT_THAT(queue.take(all), ElementsAre(&large, &one));
    EXPECT_THAT(queue.take(all), ElementsAre(&two));
}

}  // namespace
}  // namespace umavez::pg
