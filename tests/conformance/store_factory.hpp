#pragma once

// StoreFactory: how the exam opens a store. A new adapter adds one entry to store_factories() and passes
// every test of this folder. Thread-safe.

#include "conformance/fake_clock.hpp"
#include "store/store.hpp"

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace umavez::test {

class OpenedStore {
public:
    virtual ~OpenedStore() = default;
    virtual Store& store() = 0;

    // Closes the store and opens it again on the same data. False: this store keeps nothing.
    virtual bool reopen() { return false; }
};

struct StoreFactory {
    std::string name;
    std::function<std::unique_ptr<OpenedStore>(const Clock&)> open_fresh;

    friend std::ostream& operator<<(std::ostream& out, const StoreFactory& factory)
    {
        return out << factory.name;
    }
};

const std::vector<StoreFactory>& store_factories();

std::unique_ptr<OpenedStore> open_fresh_postgres(const Clock& clock);

// For INSTANTIATE_TEST_SUITE_P: the tests are named after their stores.
inline constexpr auto factory_name = [](const auto& info) { return info.param.name; };

}  // namespace umavez::test
