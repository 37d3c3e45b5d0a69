#include "base/fork.hpp"

#include <pthread.h>

namespace umavez {
namespace {

unsigned generation = 0;  // changed only in a child, while it has one thread

const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++generation; });

}  // namespace

unsigned fork_generation() noexcept
{
    static_cast<void>(registered);
    return generation;
}

}  // namespace umavez
