#pragma once

// What an error of PostgreSQL means for the caller. Pure; thread-safe.

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::pg {

// What can be done about a failed statement, besides telling it.
enum class Remedy : std::uint8_t {
    none,
    run_again,  // a lost race: the same transaction may succeed (40001, 40P01)
    wait_more,  // a lock was not had in time (55P03)
    reconnect,  // this connection, or its server, is of no use any more
};

struct ServerFailure {
    std::string_view sqlstate;  // five characters; empty: the server said nothing
    std::string_view message;
    std::string_view constraint;
    std::string_view table;
    std::string_view column;
};

Remedy remedy_of(std::string_view sqlstate) noexcept;

// Of a server that did not let us in: misconfigured, if it will not do so later either.
Errc code_of_refusal(std::string_view sqlstate) noexcept;

// The detail names constraint, table and column but no values: those belong to somebody.
Error to_error(const ServerFailure& failure, std::string_view sql);

}  // namespace umavez::pg
