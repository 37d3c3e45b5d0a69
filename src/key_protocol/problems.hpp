#pragma once

// The kinds of problems that speak of keys and of resources. Pure, thread-safe.

#include "http/problem_catalogue.hpp"

#include <vector>

namespace umavez::key_protocol {

// The kinds of the protocol itself, and of request bodies and resources.
std::vector<http::ProblemKind> protocol_problems();
std::vector<http::ProblemKind> resource_problems();

// Both, and those of the server: what a program starts with, before its modules add their own.
http::ProblemCatalogue standard_problems();

}  // namespace umavez::key_protocol
