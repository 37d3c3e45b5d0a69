#pragma once

// What is removed from the storage: files of mailings that have been over for a while, and orphans,
// which belong to no mailing because their upload broke off between the file and its row. Blocks;
// a stop ends it between two files. Thread-safe, and safe beside other processes that do the same.

#include "modules/mailing/storage.hpp"

#include <umavez/transaction.hpp>

#include <cstddef>

namespace umavez::mailing {

// Much longer than any upload takes to commit.
inline constexpr Duration orphan_age = std::chrono::hours{24};

// Files whose mailing has been over for `retention`. The mailing forgets its file before the file goes: a
// crash in between leaves an orphan. Tells how many were removed.
Result<std::size_t> sweep_over(
    Database& database, const Storage& storage, Duration retention, const std::stop_token& stop
);

// Looks at every file: once an hour is often enough. Tells how many were removed.
Result<std::size_t> sweep_orphans(
    Database& database,
    const Storage& storage,
    const Clock& clock,
    Duration age,
    const std::stop_token& stop
);

}  // namespace umavez::mailing
