#pragma once

// How often this process is the child of a fork() since the program started: 0 in the first. Threads and the
// locks they held stay behind in the parent, so whoever has threads compares this with what it was born with.
// Thread-safe.

namespace umavez {

unsigned fork_generation() noexcept;

}  // namespace umavez
