#pragma once

// The fixture of the exam: a fresh store and a clock that only the test moves. Confined to its test.

#include "conformance/store_driver.hpp"
#include "conformance/store_factory.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace umavez::test {

class StoreConformance : public ::testing::TestWithParam<StoreFactory> {
protected:
    Store& store() { return opened_->store(); }
    StoreDriver driver() { return StoreDriver{store()}; }

    FakeClock clock_;
    std::unique_ptr<OpenedStore> opened_ = GetParam().open_fresh(clock_);
};

}  // namespace umavez::test
