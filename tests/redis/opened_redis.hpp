#pragma once

// A Redis store for tests of what is peculiar to it: under the server's own clock, and with answers
// that may be errors. Confined to its test.

#include "conformance/store_driver.hpp"
#include "store/redis/redis_store.hpp"
#include "support/patiently.hpp"
#include "support/redis_server.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace umavez::test {

using namespace std::chrono_literals;

// The limits that the URL does not name are such that no stall of the machine reaches them.
inline std::string patient(std::string url)
{
    for (const std::string limit : {"connect_timeout=", "answer_timeout="}) {
        if (url.find(limit) != url.npos) continue;
        url += (url.find('?') == url.npos ? "?" : "&") + limit + "3600s";
    }
    return url;
}

inline std::unique_ptr<Store> open_store(const std::string& url)
{
    return must(patiently("the store is opened", [&] { return open_redis_store(patient(url)); }));
}

inline Result<Found> try_insert(
    Store& store, const RecordId& id, std::uint8_t execution, const Policy& policy = cached_policy()
)
{
    Insertion insertion{
        id, StoreDriver::claim(policy, execution), AuditNote{AuditEvent::claimed, ""}
    };
    Found found;
    auto inserted = wait(store.insert_or_get_one(insertion, found));
    if (!inserted) return std::unexpected(inserted.error());
    return found;
}

inline Result<Replaced> try_replace(
    Store& store, const RecordId& id, const Expected& expected, Draft next
)
{
    Change change{expected, std::move(next), std::nullopt};
    Replaced replaced;
    auto done = wait(store.replace_one(id, change, replaced));
    if (!done) return std::unexpected(done.error());
    return replaced;
}

inline Result<Replaced> try_finish(
    Store& store, const RecordId& id, const Record& owned, StoredResponse response = stored()
)
{
    Draft draft = complete_draft(owned, Status::succeeded, std::move(response), cached_policy());
    return try_replace(store, id, settler_expects(owned.token), std::move(draft));
}

}  // namespace umavez::test
