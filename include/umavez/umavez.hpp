#pragma once

// Everything an embedding program needs, except the opt-in header umavez/asio.hpp.

#include <umavez/engine.hpp>
#include <umavez/fingerprint.hpp>
#include <umavez/names.hpp>
#include <umavez/outcome.hpp>
#include <umavez/policy.hpp>
#include <umavez/transaction.hpp>
