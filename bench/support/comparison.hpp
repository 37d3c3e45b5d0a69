#pragma once

// Comparison: two sides measured in turns, and the table of what came out.
//
// Each pair gives one ratio and the verdict is the median of the ratios, so that a slow moment of the
// machine, which hits both sides of a pair, says little. Confined to its thread.

#include <functional>
#include <string>
#include <vector>

namespace umavez::bench {

enum class Goal : unsigned char { at_least, at_most };

struct Comparison {
    std::string what;
    std::function<double()> ours;   // one short window
    std::function<double()> limit;  // the same of what we are measured by
    double goal = 1.0;
    Goal kind = Goal::at_least;
};

class Table {
public:
    static constexpr int pairs_min = 5;

    // `pairs` is raised to pairs_min.
    explicit Table(int pairs);

    // Runs the pairs and prints their row. The first pair warms up and is thrown away.
    void compare(const Comparison& comparison);

    // A row for a figure without a goal.
    void show(const std::string& what, const std::function<double()>& measure) const;

    bool all_met() const noexcept { return all_met_; }

private:
    const int pairs_;
    bool all_met_ = true;
};

double median(std::vector<double> values);

}  // namespace umavez::bench
