#pragma once

// The row "claim rate with millions of stored records, against none" of bench_store. Filling takes minutes,
// so it is only run where it is asked for by name. Confined to its thread.

#include "support/comparison.hpp"

namespace umavez::bench {

// Two databases on one private server. UMAVEZ_BENCH_STORE_RECORDS: how many [10,000,000].
void compare_full(Table& table);

}  // namespace umavez::bench
