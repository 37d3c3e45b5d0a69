#pragma once

// The number a record is found by: eight bytes of a digest of its identity.
//
// An index of numbers is a quarter of the size of one of the texts, so a million records fit into the
// cache of the lane, and a checkpoint writes a quarter of the pages. Two identities may share a
// number: rows are checked against the texts, and a `rank` keeps their numbers unique. SHA-256,
// because nobody should be able to choose keys that share one. Thread-safe.

#include <umavez/names.hpp>

#include <cstdint>

namespace umavez {

std::int64_t identity_of(const RecordId& id);

}  // namespace umavez
