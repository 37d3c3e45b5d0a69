#pragma once

// W3C Trace Context: where in somebody's trace a request stands. Pure, thread-safe.

#include <umavez/response.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

// A traceparent that breaks no rule. Passed on as it came: this server adds no span of its own.
struct TraceContext {
    std::string traceparent;  // "00-<32 hex>-<16 hex>-<2 hex>"

    std::string_view trace_id() const noexcept
    {
        return std::string_view{traceparent}.substr(3, 32);
    }
    std::string_view parent_id() const noexcept
    {
        return std::string_view{traceparent}.substr(36, 16);
    }
    bool is_sampled() const noexcept;
    friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

// Nullopt for what the recommendation says to ignore: upper case, zeros alone, version ff, a
// version 00 with more than four parts. Of a later version the four parts known are kept, as 00.
std::optional<TraceContext> parse_traceparent(std::string_view value);

// Nullopt where the header is not there, or there twice.
std::optional<TraceContext> find_trace_context(const std::vector<Header>& headers);

}  // namespace umavez::http
