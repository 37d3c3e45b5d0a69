// bench_fingerprint: fingerprint_json against what it is measured by.
//
// The floor is "simdjson DOM parse, then SHA-256 of the text": it makes no canonical form, sorts
// nothing and does not look for duplicate names. The peer is npm canonicalize + SHA-256 in one Node
// process. Sides alternate, and the figure is the median of the ratios of the pairs, so a slow
// moment hits both sides.
//
// UMAVEZ_BENCH_NODE names a folder in which `npm install canonicalize` was run.

#include "base/digest.hpp"
#include "orders.hpp"

#include <umavez/fingerprint.hpp>

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace umavez::bench {
namespace {

constexpr int pairs = 9;

// Operations per second over a quarter of a second.
double measure(const std::function<void()>& operation)
{
    using Clock = std::chrono::steady_clock;
    for (int i = 0; i < 200; ++i) operation();
    const auto start = Clock::now();
    std::chrono::duration<double> passed{};
    int count = 0;
    while (passed.count() < 0.25) {
        for (int i = 0; i < 50; ++i) operation();
        count += 50;
        passed = Clock::now() - start;
    }
    return count / passed.count();
}

double median(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + pairs / 2);
    return values[pairs / 2];
}

struct Row {
    const char* peer;
    double goal;
};

// Prints one row of the table and tells whether the goal is met.
bool compare(
    Row row,
    const std::string& document,
    const std::function<double()>& ours,
    const std::function<double()>& theirs
)
{
    std::vector<double> our_rates;
    std::vector<double> their_rates;
    std::vector<double> ratios;
    for (int i = 0; i < pairs; ++i) {
        our_rates.push_back(ours());
        their_rates.push_back(theirs());
        ratios.push_back(our_rates.back() / their_rates.back());
    }
    const double ratio = median(ratios);
    fmt::print(
        "{:>6}  {:<28} {:>10.0f} {:>10.0f} {:>7.2f} {:>6.1f}  {}\n",
        document.size(),
        row.peer,
        median(our_rates),
        median(their_rates),
        ratio,
        row.goal,
        ratio >= row.goal ? "met" : "MISSED"
    );
    return ratio >= row.goal;
}

double measure_ours(const std::string& document)
{
    return measure([&document] {
        if (!fingerprint_json(document)) std::abort();
    });
}

double measure_floor(const simdjson::padded_string& document, simdjson::dom::parser& parser)
{
    return measure([&] {
        if (parser.parse(document).error() != simdjson::SUCCESS) std::abort();
        const Digest digest = sha256({document.data(), document.size()});
        if (digest == Digest{}) std::abort();
    });
}

// 0 if node cannot be run.
double measure_node(const std::string& folder, const std::string& path)
{
    const std::string command =
        fmt::format("node '{}' '{}' '{}'", UMAVEZ_BENCH_SCRIPT, folder, path);
    double rate = 0;
    if (std::FILE* const pipe = ::popen(command.c_str(), "r")) {
        if (std::fscanf(pipe, "%lf", &rate) != 1) rate = 0;
        ::pclose(pipe);
    }
    return rate;
}

bool compare_with_floor(const std::string& document, double goal)
{
    const simdjson::padded_string padded{document};
    simdjson::dom::parser parser;
    return compare(
        {"simdjson DOM, then SHA-256", goal},
        document,
        [&] { return measure_ours(document); },
        [&] { return measure_floor(padded, parser); }
    );
}

bool compare_with_node(const std::string& folder, const std::string& document)
{
    const std::string path = fmt::format("bench_fingerprint_{}.json", document.size());
    std::ofstream{path} << document;
    const bool can_run = measure_node(folder, path) > 0;
    if (!can_run) fmt::print("npm canonicalize skipped: node found none in {}\n", folder);
    const auto ours = [&] { return measure_ours(document); };
    const auto theirs = [&] { return measure_node(folder, path); };
    const bool is_met =
        !can_run || compare({"npm canonicalize, SHA-256", 5.0}, document, ours, theirs);
    std::remove(path.c_str());
    return is_met;
}

}  // namespace
}  // namespace umavez::bench

int main()
{
    using namespace umavez::bench;
    const std::string small = make_order(1024);
    const std::string large = make_order(10 * 1024);
    fmt::print("{} pairs, operations per second\n", pairs);
    fmt::print(
        "{:>6}  {:<28} {:>10} {:>10} {:>7} {:>6}\n",
        "bytes",
        "against",
        "ours",
        "theirs",
        "ratio",
        "goal"
    );
    bool is_met = compare_with_floor(small, 0.4);
    is_met = compare_with_floor(large, 0.3) && is_met;
    const char* const folder = std::getenv("UMAVEZ_BENCH_NODE");
    if (folder == nullptr) {
        fmt::print("npm canonicalize skipped: UMAVEZ_BENCH_NODE is not set\n");
    } else {
        is_met = compare_with_node(folder, small) && is_met;
        is_met = compare_with_node(folder, large) && is_met;
    }
    return is_met ? EXIT_SUCCESS : EXIT_FAILURE;
}
