#pragma once

// What nearly every test includes: std.hpp, and gtest. No state, so no thread rule.

#include "std.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
