#pragma once

// Builders for tests: records, requests and policies with good defaults, so that a test shows only what
// matters to it. Thread-safe.

#include "core/transition.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace umavez::test {

using namespace std::chrono_literals;

// A Sunday in November; far from 0, so that small errors with units show.
inline constexpr Instant t0 = from_micros(1'700'000'000'000'000);

inline Target target_of(std::uint8_t number)
{
    Target target;
    target.digest.fill(number);
    return target;
}

inline Fingerprint fingerprint_of(std::uint8_t number)
{
    Fingerprint fingerprint{.version = fingerprint_version};
    fingerprint.digest.fill(number);
    return fingerprint;
}

inline Execution execution_of(std::uint8_t number)
{
    Execution execution;
    execution.fill(number);
    return execution;
}

inline RecordId id_of(
    std::string_view key,
    std::string_view operation = "pedidos.criar",
    std::string_view tenant_id = "loja"
)
{
    return {*TenantId::parse(tenant_id), *Operation::parse(operation), *Key::parse(key)};
}

inline Request request_of(std::uint8_t target = 1, std::uint8_t fingerprint = 1)
{
    return {
        .tenant_id = *TenantId::parse("loja"),
        .operation = *Operation::parse("pedidos.criar"),
        .key = *Key::parse("pedido-1"),
        .target = target_of(target),
        .fingerprint = fingerprint_of(fingerprint),
        .wait = std::nullopt,
    };
}

inline StoredResponse stored(int status = 201, std::string body = "pedido 1")
{
    return to_stored({.status = status, .headers = {}, .body = std::move(body), .entity = {}}, 1 << 20);
}

// Claimed at t0 by request_of() under a lease of 30 s.
inline Record processing_record()
{
    return {
        .target = target_of(1),
        .fingerprint = fingerprint_of(1),
        .status = Status::processing,
        .token = {.epoch = to_micros(t0), .execution = execution_of(1)},
        .attempts = 1,
        .retry_at = {},
        .response = {},
        .checkpoint = {},
        .created_at = t0,
        .updated_at = t0,
        .completed_at = {},
        .processing_expires_at = t0 + 30s,
        .expires_at = {},
    };
}

// Completed at t0, kept for a day.
inline Record completed_record(Status status = Status::succeeded)
{
    Record record = processing_record();
    record.status = status;
    record.final = status == Status::failed;
    record.response = stored(status == Status::succeeded ? 201 : 422);
    record.completed_at = t0;
    record.processing_expires_at.reset();
    record.expires_at = t0 + 24h;
    return record;
}

inline Record released_record()
{
    Record record = completed_record(Status::failed);
    record.final = false;
    record.response.reset();
    return record;
}

// In doubt since t0, to be asked about from t0 + 15 s on.
inline Record in_doubt_record()
{
    Record record = processing_record();
    record.status = Status::in_doubt;
    record.processing_expires_at.reset();
    record.retry_at = t0 + 15s;
    return record;
}

inline Policy leased_policy(OnAbandoned on_abandoned = OnAbandoned::automatic)
{
    return {
        .guarantee = Guarantee::leased,
        .retry_horizon = {},
        .on_abandoned = on_abandoned,
        .effect = RepeatedEffect::deduplicated,
    };
}

inline Policy reconciled_policy(OnAbandoned on_abandoned = OnAbandoned::automatic)
{
    Policy policy = leased_policy(on_abandoned);
    policy.has_reconciler = true;
    return policy;
}

inline Policy cached_policy()
{
    Policy policy;
    policy.guarantee = Guarantee::cached;
    return policy;
}

}  // namespace umavez::test
