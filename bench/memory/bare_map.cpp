#include "memory/bare_map.hpp"

#include "support/requests.hpp"

#include <utility>

namespace umavez::bench {
namespace {

std::string make_identity(std::uint64_t number)
{
    std::string identity;
    identity.reserve(64);
    identity += tenant_text;
    identity += ' ';
    identity += operation_text;
    identity += ' ';
    identity += make_key(number);
    return identity;
}

}  // namespace

void BareMap::insert(std::uint64_t number)
{
    std::string identity = make_identity(number);
    auto record = std::make_unique<Record>();
    record->attempts = 1;
    record->processing_expires_at = Instant{Duration{number}};
    Shard& shard = shard_of(identity);
    const std::lock_guard guard{shard.mutex};
    shard.records.try_emplace(std::move(identity), std::move(record));
}

void BareMap::update(std::uint64_t number, Response response)
{
    const std::string identity = make_identity(number);
    Shard& shard = shard_of(identity);
    const std::lock_guard guard{shard.mutex};
    Record& record = *shard.records.find(identity)->second;
    record.status = Status::succeeded;
    record.response = StoredResponse{.response = std::move(response)};
    record.completed_at = Instant{Duration{number}};
}

Response BareMap::find(std::uint64_t number) const
{
    const std::string identity = make_identity(number);
    const Shard& shard = shard_of(identity);
    const std::lock_guard guard{shard.mutex};
    return shard.records.find(identity)->second->response->response;
}

BareMap::Shard& BareMap::shard_of(const std::string& key)
{
    return shards_[(std::hash<std::string>{}(key) >> 48) % shards_.size()];
}

const BareMap::Shard& BareMap::shard_of(const std::string& key) const
{
    return shards_[(std::hash<std::string>{}(key) >> 48) % shards_.size()];
}

}  // namespace umavez::bench
