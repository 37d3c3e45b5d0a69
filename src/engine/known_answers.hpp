#pragma once

// KnownAnswers: what retries were answered from the state that the database is still in.
//
// A replay of the entity as it is now reads its record and its entity. As long as nobody commits anything,
// the next retry of that key would read the same rows and make the same answer of them, so it gets a copy:
// a storm of retries costs the database one read for each key and commit. Any commit, of this process or
// another, ends the state, and with it all that is known (`StateMark`, store/transactional_store.hpp).
//
// The record is kept beside the answer, so that decide() has the last word each time: another payload is a
// mismatch here too, and a record that has expired since is none. Bounded; thread-safe.

#include "engine/key_hash.hpp"
#include "store/transactional_store.hpp"

#include <umavez/outcome.hpp>

#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace umavez {

class KnownAnswers {
public:
    struct Known {
        RecordId id;
        Record record;  // without its response
        Replayed answer;
        Instant since;
    };

    // Calls `use(known)`, under a lock, where an answer is known in this state.
    template <typename Use>
    void look(const StateMark& state, const RecordId& id, Instant now, Use use)
    {
        const std::uint64_t hash = key_hash(id);
        Shard& shard = shards_[hash % shards_.size()];
        const std::lock_guard guard{shard.mutex};
        if (shard.state != state) return;
        const auto found = shard.known.find(hash);
        if (found == shard.known.end() || found->second.id != id) return;
        const Known& known = found->second;
        if (now < known.since || now - known.since > age_max) return;
        use(known);
    }

    void keep(const StateMark& state, Known known)
    {
        if (bytes_of(known.answer.response) > answer_bytes_max) return;
        const std::uint64_t hash = key_hash(known.id);
        Shard& shard = shards_[hash % shards_.size()];
        const std::lock_guard guard{shard.mutex};
        if (shard.state != state || shard.known.size() >= answers_max) shard.known.clear();
        shard.state = state;
        shard.known.insert_or_assign(hash, std::move(known));
    }

private:
    // An entity may be shown with something that the clock tells; nobody should see that stand still.
    static constexpr Duration age_max = std::chrono::seconds{1};
    static constexpr std::size_t answer_bytes_max = 4096;
    static constexpr std::size_t answers_max = 256;  // of a shard

    struct Shard {
        std::mutex mutex;
        StateMark state{};
        std::unordered_map<std::uint64_t, Known> known;
    };

    static std::size_t bytes_of(const Response& response) noexcept
    {
        std::size_t bytes = response.body.size();
        for (const Header& header : response.headers)
            bytes += header.name.size() + header.value.size();
        return bytes;
    }

    std::array<Shard, 16> shards_;
};

}  // namespace umavez
