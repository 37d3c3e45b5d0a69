#pragma once

// FaultyStore: what one process sees of the shared store: delays, refusals, lost answers, late writes.
//
// A command travels, is applied once or never, and its answer travels back. A command that is on its way
// arrives even if its sender died. It is never delivered twice. As the port promises, a write that is
// repeated with the same execution waits for the one in flight. Confined to the simulation's thread.

#include "simulation/mailbox.hpp"
#include "simulation/observing_store.hpp"
#include "simulation/scene.hpp"
#include "simulation/store_decorator.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace umavez::simulation {

struct FaultyStoreOptions {
    NodeId node = outside;
    bool in_process = false;  // the store lives and dies with the process (SQLite)

    // A mutant: an unknown write is looked for with a plain read, which does not wait for it.
    bool plain_read_back = false;

    // For stale reads; null: find() tells the truth.
    const ObservingStore* observer = nullptr;
    bool reads_aside = false;
    bool at_hand = false;  // records can be looked at without a command that travels
    bool many_writers = false;
};

class FaultyStore final : public StoreDecorator {
public:
    FaultyStore(Scene& scene, Store& inner, FaultyStoreOptions options);

    const StoreTraits& traits() const noexcept override { return traits_; }
    Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) override;
    Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) override;
    Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) override;
    Async<Sighting> find(RecordId id) override;
    Async<Swept> sweep(std::size_t count_max, Duration audit_retention) override;
    Async<Due> due(DueQuery query) override;
    void note(RecordId id, AuditNote audit) noexcept override;
    void look_at(const RecordIdView& id, const Look& look) const override
    {
        if (options_.at_hand) inner_.look_at(id, look);
    }

    // What becomes of one command.
    enum class Command : std::uint8_t { write, heartbeat, read };
    struct Fate {
        std::optional<Errc> refused;          // before it was applied
        std::optional<Duration> gives_up_in;  // the caller learns "unknown" while it is on its way
        bool reply_lost = false;
        Duration there{0};
        Duration back{0};
    };
    Fate draw_fate(Command command);

private:
    using Write = std::pair<RecordId, Execution>;
    template <typename Answer>
    using Apply = std::function<Async<Answer>(Store&)>;
    template <typename Answer>
    using Box = std::shared_ptr<Mailbox<Result<Answer>>>;

    // Sends one command and waits for its answer, or for less.
    template <typename Answer>
    Async<Answer> send(Command command, std::vector<Write> writes, Apply<Answer> apply);
    template <typename Answer>
    Task<void> carry_out(
        Fate fate, std::vector<Write> writes, Apply<Answer> apply, Box<Answer> box
    );

    bool is_in_flight(const std::vector<Write>& writes) const;
    void land(const std::vector<Write>& writes);
    Task<void> wait_for_own(std::vector<Write> writes);

    Scene& scene_;
    const FaultyStoreOptions options_;
    StoreTraits traits_;
    Dice dice_;
    std::map<Write, std::uint32_t> in_flight_;
};

}  // namespace umavez::simulation
