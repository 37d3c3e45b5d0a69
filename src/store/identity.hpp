#pragma once

// The number a record is found by: eight bytes of a digest of its identity.
//
// An index of numbers is a quarter of the size of one of the texts. Two identities may share a number,
// so whatever is found by it is checked against the texts. SHA-256, because nobody should be able to
// choose keys that share one. Thread-safe.

#include <umavez/names.hpp>

#include <cstdint>

namespace umavez {

std::int64_t identity_of(const RecordId& id);

}  // namespace umavez
