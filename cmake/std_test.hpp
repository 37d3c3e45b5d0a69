#pragma once

// cmake/std.hpp for tests.

#include "std.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
