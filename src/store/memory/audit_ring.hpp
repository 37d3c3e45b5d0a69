#pragma once

// AuditRing: the last entries of one key, oldest first. Bounded, so a key that is replayed for ever costs
// no more than one that is not. Confined to the shard of its record.

#include "store/audit.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace umavez {

class AuditRing {
public:
    static constexpr std::size_t entries_max = 100;

    void push(Instant at, const FencingToken& token, AuditNote note)
    {
        Kept kept{at, token, note.event, std::move(note.detail)};
        if (entries_.size() < entries_max) {
            entries_.push_back(std::move(kept));
            return;
        }
        entries_[oldest_] = std::move(kept);
        oldest_ = (oldest_ + 1) % entries_max;
    }

    // The last `count_max` of them.
    std::vector<AuditEntry> list(const RecordId& id, std::size_t count_max) const
    {
        const std::size_t size = entries_.size();
        const std::size_t skipped = size > count_max ? size - count_max : 0;
        std::vector<AuditEntry> listed;
        listed.reserve(size - skipped);
        for (std::size_t i = skipped; i < size; ++i) {
            const Kept& kept = entries_[(oldest_ + i) % size];
            listed.push_back({id, kept.at, kept.event, kept.token, kept.detail});
        }
        return listed;
    }

private:
    struct Kept {
        Instant at;
        FencingToken token;
        AuditEvent event;
        std::string detail;
    };

    std::size_t oldest_ = 0;
    // Two inline: a key that was claimed, executed and never seen again needs no allocation. Last, so that
    // their memory is not touched where nothing is audited.
    boost::container::small_vector<Kept, 2> entries_;
};

}  // namespace umavez
