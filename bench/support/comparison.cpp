#include "support/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace umavez::bench {
namespace {

// 12.3 or 45678: what a reader needs of a figure.
std::string brief(double figure)
{
    return figure < 1000 ? fmt::format("{:.1f}", figure) : fmt::format("{:.0f}", figure);
}

}  // namespace

Table::Table(int pairs) : pairs_(std::max(pairs, pairs_min))
{
    fmt::print(
        "{} pairs, sides in turns; the ratio is the median of the pairs' ratios\n"
        "{:<58} | {:>9} | {:>9} | {:<20} | {:>8} | ok\n",
        pairs_,
        "what",
        "ours",
        "limit",
        "ratio [min..max]",
        "goal"
    );
    std::fflush(stdout);
}

void Table::compare(const Comparison& comparison)
{
    std::vector<double> ours;
    std::vector<double> limit;
    std::vector<double> ratios;
    for (int pair = 0; pair <= pairs_; ++pair) {
        const double our_figure = comparison.ours();
        const double their_figure = comparison.limit();
        if (pair == 0) continue;
        ours.push_back(our_figure);
        limit.push_back(their_figure);
        ratios.push_back(our_figure / their_figure);
    }
    const double ratio = median(ratios);
    const bool is_floor = comparison.kind == Goal::at_least;
    const bool is_met = is_floor ? ratio >= comparison.goal : ratio <= comparison.goal;
    all_met_ = all_met_ && is_met;
    const auto [least, most] = std::ranges::minmax(ratios);
    fmt::print(
        "{:<58} | {:>9} | {:>9} | {:<20} | {:>2} {:>5.2f} | {}\n",
        comparison.what,
        brief(median(ours)),
        brief(median(limit)),
        fmt::format("{:.2f} [{:.2f}..{:.2f}]", ratio, least, most),
        is_floor ? ">=" : "<=",
        comparison.goal,
        is_met ? "yes" : "NO"
    );
    std::fflush(stdout);
}

void Table::show(const std::string& what, const std::function<double()>& measure) const
{
    std::vector<double> figures;
    measure();
    for (int i = 0; i < pairs_; ++i) figures.push_back(measure());
    fmt::print("{:<58} | {:>9} |\n", what, brief(median(figures)));
    std::fflush(stdout);
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace umavez::bench
