#pragma once

// Auditor: judges a directory of the crash tests by means that are not the engine's: SQLite's own
// API on a copy of the database, the ledger files, and the answers that were acknowledged.
//
// The copy is what a restart would find: the log is recovered in it, and the original stays
// untouched. Confined to one thread.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::crash {

enum class Moment : std::uint8_t {
    after_death,  // some keys are still under way
    at_the_end,   // every key has its last answer
};

class Auditor {
public:
    // The ledger is in `directory`, and so is the database unless it has a place of its own.
    explicit Auditor(std::string directory) : Auditor{directory, directory} {}
    Auditor(std::string directory, std::string database_directory)
        : directory_(std::move(directory)), database_directory_(std::move(database_directory))
    {
    }

    // Takes note of what a child said: acknowledged answers, and promises it saw broken.
    void hear(const std::vector<std::string>& lines);
    void acknowledge(const std::string& key, int status, const std::string& body);

    // Judges a copy of the database, made here or already elsewhere. Empty: everything is as
    // promised.
    std::vector<std::string> judge(Moment moment);
    std::vector<std::string> judge_copy(const std::string& database_path, Moment moment);

    std::size_t acknowledged_count() const noexcept { return acknowledged_.size(); }

private:
    struct Found {
        std::string status;
        std::string answer;  // "<status> <body>", as it was acknowledged
    };
    struct Evidence {
        std::map<std::string, Found> records;
        std::map<std::string, std::vector<std::string>> orders;  // nonces by key
        std::map<std::string, std::vector<std::string>> items;   // by the key of their order
        std::map<std::string, std::string> sessions;
        std::map<std::string, std::vector<std::string>> runs;
        std::map<std::string, std::vector<std::string>> effects;
        std::map<std::string, std::vector<std::string>> accepted;
    };

    void read_database(const std::string& path, Evidence& evidence);
    void read_ledgers(Evidence& evidence);
    void judge_acknowledged(const Evidence& evidence);
    void judge_orders(const Evidence& evidence);
    void judge_sessions(const Evidence& evidence);
    void judge_effects(const Evidence& evidence);
    void judge_end(const Evidence& evidence);
    void complain(std::string what) { complaints_.push_back(std::move(what)); }

    const std::string directory_;
    const std::string database_directory_;
    std::map<std::string, std::set<std::string>> acknowledged_;  // answers by key
    std::vector<std::string> heard_broken_;
    std::vector<std::string> complaints_;
};

// For a failure's message.
std::string to_text(const std::vector<std::string>& complaints);

}  // namespace umavez::crash
