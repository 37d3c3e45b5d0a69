#pragma once

// What SQLite is told once for a whole process. For programs, before threads start and before the first
// database is opened; a library that did it would change the settings of its host.

namespace umavez {

// Without it every allocation of every connection takes one lock, and a profile of replays showed threads
// waiting for each other there. Nothing happens where SQLite is in use already.
void let_sqlite_count_no_memory() noexcept;

}  // namespace umavez
