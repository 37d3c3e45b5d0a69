#pragma once

// The modules of this program: what they serve, their tables and their problems. Plain values.

#include "app/settings.hpp"
#include "http/problem_catalogue.hpp"
#include "key_protocol/protect.hpp"

#include <umavez/transaction.hpp>

#include <vector>

namespace umavez {

struct Modules {
    key_protocol::Api api;
    std::vector<OperationSpec> workers;  // what no request runs
    std::vector<Migration> migrations;
    http::ProblemCatalogue problems;  // those of the server and the protocol too
};

// Of the database that the settings name.
Dialect dialect_of(const Settings& settings);

// With the policies as the settings want them. The error names the operation and the cure.
Result<Modules> load_modules(const Settings& settings);

}  // namespace umavez
