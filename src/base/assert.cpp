#include "base/assert.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace umavez {
namespace {

void print_and_abort(const char* condition, const std::source_location& where)
{
    std::fprintf(
        stderr, "umavez: broken promise: %s at %s:%u\n", condition, where.file_name(), where.line()
    );
    std::abort();
}

std::atomic<AssertHandler> current_handler{&print_and_abort};

}  // namespace

AssertHandler set_assert_handler(AssertHandler handler) noexcept
{
    return current_handler.exchange(handler == nullptr ? &print_and_abort : handler);
}

void assert_failed(const char* condition, const std::source_location& where)
{
    current_handler.load()(condition, where);
    std::abort();
}

}  // namespace umavez
