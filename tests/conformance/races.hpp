#pragma once

// Races as permutations: sessions are lists of named steps, and every interleaving of them runs on a fresh
// record (the method of PostgreSQL's isolation tester). After every step the scene checks what must hold
// whatever the order; the test checks the results against a table.
//
// Confined to its test.

#include "conformance/fake_clock.hpp"
#include "conformance/store_driver.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace umavez::test {

// A caller of the engine, reduced to what it remembers: what it read last, and what it owns.
struct Actor {
    std::uint8_t execution = 0;
    std::optional<Record> read;
    std::optional<Record> owned;
};

// One record, its actors, and the invariants of hazards.md A7.1 (I2, I3, I5, I6).
class Scene {
public:
    Scene(Store& store, FakeClock& clock, RecordId id, Policy policy);

    Actor& actor(char name);
    FakeClock& clock() noexcept { return clock_; }

    // Claimed by actor 'o', whose lease then runs out unless `lease_is_over` is false.
    void begin(bool lease_is_over = true);
    // Completed by actor 'o', and its retention over.
    void begin_spent();

    // The steps, by name: read, take, claim, heartbeat, save, finish, finish2 (another answer), release,
    // doubt, hold, operator (releases), sweep, expire. The result is one word.
    std::string run(char name, const std::string& step);

    // What broke, empty if nothing.
    const std::string& complaints() const noexcept { return complaints_; }
    std::optional<Record> record() { return driver_.find(id_); }

private:
    std::string perform(Actor& actor, const std::string& step);
    std::string take(Actor& actor);
    std::string claim(Actor& actor);
    std::string finish(Actor& actor, const std::string& body);
    std::string write(Actor& actor, Expected expected, Draft draft, const char* done);
    std::string sweep();
    void check(const std::string& step, const std::string& result, const std::optional<Record>& before);

    StoreDriver driver_;
    FakeClock& clock_;
    const RecordId id_;
    const Policy policy_;
    std::map<char, Actor> actors_;
    std::int64_t epoch_highest_ = 0;
    int completions_ = 0;  // in this lifetime
    std::string complaints_;
};

// A session is the name of its actor and its steps: {'o', {"heartbeat", "finish"}}.
struct Session {
    char name;
    std::vector<std::string> steps;
};

struct Turn {
    char name;
    std::string step;
};

// Every order in which the steps of the sessions can come, each session's own order kept.
std::vector<std::vector<Turn>> interleavings(const std::vector<Session>& sessions);

// Runs one order and tells it in one line: "o.finish=done t.read=succeeded t.take=replay".
std::string run(Scene& scene, const std::vector<Turn>& order);

}  // namespace umavez::test
