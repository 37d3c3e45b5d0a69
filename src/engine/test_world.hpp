#pragma once

// TestWorld: an engine in virtual time, without threads. run() resumes what is ready and, when nothing is,
// moves the clock to the next timer. Confined to the test.

#include "engine/make_engine.hpp"
#include "engine/timers.hpp"
#include "store/memory/memory_store.hpp"

#include <umavez/engine.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace umavez::testing_world {

using namespace std::chrono_literals;

class FakeClock final : public Clock {
public:
    Instant realtime() const override { return Instant{now_}; }
    Duration boottime() const override { return now_; }
    void advance(Duration by) { now_ += by; }

private:
    Duration now_ = std::chrono::hours{24 * 365 * 50};
};

class VirtualTimers final : public Timers, private Scheduler {
public:
    explicit VirtualTimers(FakeClock& clock) : clock_(clock) {}

    Id schedule(Duration delay, std::function<void()> fire) override
    {
        due_.emplace(std::pair{clock_.boottime() + delay, ++last_id_}, std::move(fire));
        return last_id_;
    }
    void cancel(Id id) override
    {
        std::erase_if(due_, [id](const auto& each) { return each.first.second == id; });
    }
    Scheduler& scheduler() noexcept override { return *this; }

    void advance(Duration by)
    {
        const Duration until = clock_.boottime() + by;
        while (!due_.empty() && due_.begin()->first.first <= until) fire_next();
        clock_.advance(until - clock_.boottime());
        resume_ready();
    }
    void resume_ready()
    {
        while (!ready_.empty()) {
            const auto handle = ready_.front();
            ready_.pop_front();
            handle.resume();
        }
    }
    void fire_next()
    {
        ASSERT_FALSE(due_.empty()) << "a task waits for nothing";
        auto next = due_.extract(due_.begin());
        clock_.advance(std::max(Duration{0}, next.key().first - clock_.boottime()));
        next.mapped()();
        resume_ready();
    }

private:
    void resume_soon(std::coroutine_handle<> handle) override { ready_.push_back(handle); }

    FakeClock& clock_;
    std::map<std::pair<Duration, Id>, std::function<void()>> due_;
    std::deque<std::coroutine_handle<>> ready_;
    Id last_id_ = 0;
};

struct World {
    FakeClock clock;
    VirtualTimers timers{clock};
    std::unique_ptr<Store> store = make_memory_store({.clock = &clock, .declared_durable = true});
    std::unique_ptr<Engine> engine = make_engine(*store, options());

    EngineOptions options()
    {
        return {.worker_period = std::nullopt, .clock = &clock, .timers = &timers};
    }

    void declare(std::string name, Policy policy, Reconciler reconcile = {})
    {
        OperationSpec spec{.name = std::move(name), .policy = policy, .reconcile = std::move(reconcile)};
        const auto declared = engine->declare(std::move(spec));
        ASSERT_TRUE(declared) << declared.error().detail;
    }
    void start()
    {
        const auto started = engine->start();
        ASSERT_TRUE(started) << started.error().detail;
    }

    template <typename T>
    T run(Task<T> task)
    {
        task.start(timers.scheduler());
        timers.resume_ready();
        for (int i = 0; i < 100'000 && !task.is_done(); ++i) timers.fire_next();
        return task.take();
    }

    Record record(const Request& request)
    {
        RecordId id{request.tenant_id, request.operation, *request.key};
        auto sighting = run(store->find(std::move(id)));
        EXPECT_TRUE(sighting && sighting->record);
        return *std::move(sighting->record);
    }
};

inline Request make_request(
    std::string_view operation, std::string_view key = "k1", std::string_view body = "{}"
)
{
    return {
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse(operation),
        .key = *Key::parse(key),
        .target = make_target({operation}),
        .fingerprint = fingerprint_bytes("text/plain", body),
    };
}

inline AsyncLeasedHandler answering(Response response, int* runs = nullptr)
{
    return [response = std::move(response), runs](Lease&) -> Task<Response> {
        if (runs != nullptr) ++*runs;
        co_return response;
    };
}

template <typename T>
const T& get(const Result<Outcome>& outcome)
{
    EXPECT_TRUE(outcome) << outcome.error().detail;
    EXPECT_TRUE(std::holds_alternative<T>(*outcome)) << to_text(*outcome);
    return std::get<T>(*outcome);
}

}  // namespace umavez::testing_world
