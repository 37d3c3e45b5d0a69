#pragma once

// How a server process asks the system for memory. Call it once, before threads start.

namespace umavez {

// In large steps, and gives it back late. By default the heap of a thread grows page by page, with a
// system call for each: a fifth of the cost of a new record in memory.
void take_memory_in_large_steps() noexcept;

}  // namespace umavez
