#include "audit.hpp"

#include "intent.hpp"
#include "ledger.hpp"
#include "plain_database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

// From top to bottom: hearing; the evidence; one function per promise.

namespace umavez::crash {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& nonces, const std::string& body)
{
    for (const std::string& nonce : nonces) {
        if (body.ends_with(":" + nonce)) return true;
    }
    return false;
}

std::size_t count_of(
    const std::map<std::string, std::vector<std::string>>& all, const std::string& key
)
{
    const auto found = all.find(key);
    return found == all.end() ? 0 : found->second.size();
}

bool is_success(const std::string& answer)
{
    return answer.starts_with("2");
}

}  // namespace

void Auditor::hear(const std::vector<std::string>& lines)
{
    for (const std::string& line : lines) {
        std::istringstream words{line};
        std::string verb;
        std::string key;
        std::string body;
        int status = 0;
        words >> verb >> key;
        if (verb == "ack" && words >> status >> body) acknowledge(key, status, body);
        if (verb == "broken" || verb == "failed") heard_broken_.push_back(line);
    }
}

void Auditor::acknowledge(const std::string& key, int status, const std::string& body)
{
    acknowledged_[key].insert(fmt::format("{} {}", status, body));
}

std::vector<std::string> Auditor::judge(Moment moment)
{
    const fs::path copy = fs::path{directory_} / "audit";
    fs::remove_all(copy);
    fs::create_directory(copy);
    for (const char* const name : {"crash.db", "crash.db-wal"}) {
        const fs::path from = fs::path{database_directory_} / name;
        if (!fs::exists(from)) continue;
        fs::copy_file(from, copy / name);
        fs::permissions(copy / name, fs::perms::owner_read | fs::perms::owner_write);
    }
    return judge_copy(copy / "crash.db", moment);
}

std::vector<std::string> Auditor::judge_copy(const std::string& database_path, Moment moment)
{
    complaints_ = heard_broken_;
    try {
        Evidence evidence;
        read_ledgers(evidence);
        // A process may die before it has made its database; then nothing can have been
        // acknowledged.
        if (fs::exists(database_path)) read_database(database_path, evidence);
        judge_acknowledged(evidence);
        judge_orders(evidence);
        judge_sessions(evidence);
        judge_effects(evidence);
        if (moment == Moment::at_the_end) judge_end(evidence);
    } catch (const std::exception& error) {
        complain(error.what());
    }
    return complaints_;
}

void Auditor::read_ledgers(Evidence& evidence)
{
    for (const LedgerLine& line : read_ledger(directory_ + "/ledger")) {
        if (line.event == "run") evidence.runs[line.key].push_back(line.nonce);
        if (line.event == "effect") evidence.effects[line.key].push_back(line.nonce);
    }
    for (const LedgerLine& line : read_ledger(directory_ + "/authority")) {
        evidence.accepted[line.key].push_back(line.nonce);
    }
}

void Auditor::read_database(const std::string& path, Evidence& evidence)
{
    PlainDatabase database{path};
    database.each("PRAGMA integrity_check", [this](const Columns& found) {
        if (found[0] != "ok") complain("integrity_check: " + found[0]);
    });
    database.each("PRAGMA foreign_key_check", [this](const Columns& found) {
        complain("foreign_key_check: " + found[0]);
    });
    bool has_tables = false;
    // Nor before it has made its tables.
    database.each(
        "SELECT name FROM sqlite_schema WHERE name IN ('umavez_records', 'pedidos')",
        [&, count = 0](const Columns&) mutable { has_tables = ++count == 2; }
    );
    if (!has_tables) return;
    database.each(
        "SELECT key, status, response_status, response_body FROM umavez_records",
        [&](const Columns& found) {
            const Found record{.status = found[1], .answer = found[2] + " " + found[3]};
            if (!evidence.records.emplace(found[0], record).second) complain(found[0] + " twice");
        }
    );
    database.each("SELECT intent, nonce FROM pedidos", [&](const Columns& found) {
        evidence.orders[found[0]].push_back(found[1]);
    });
    database.each(
        "SELECT p.intent, i.nonce FROM itens AS i JOIN pedidos AS p ON p.id = i.pedido",
        [&](const Columns& found) { evidence.items[found[0]].push_back(found[1]); }
    );
    database.each("SELECT intent, nonce FROM sessoes", [&](const Columns& found) {
        evidence.sessions[found[0]] = found[1];
    });
}

// What was acknowledged is kept, and every caller was told the same.
void Auditor::judge_acknowledged(const Evidence& evidence)
{
    for (const auto& [key, answers] : acknowledged_) {
        const auto intent = parse_intent(key);
        // A session that was swept may be opened anew, with another answer.
        if (!intent || intent->kind == Kind::session) continue;
        if (answers.size() > 1) complain(key + " was acknowledged with different answers");
        const auto record = evidence.records.find(key);
        if (record == evidence.records.end()) {
            complain(key + " was acknowledged and has no record");
            continue;
        }
        const Found& found = record->second;
        if (found.status != "succeeded" && found.status != "failed") {
            complain(fmt::format("{} was acknowledged and is {}", key, found.status));
        }
        if (found.answer != *answers.begin()) {
            complain(fmt::format("{}: told {}, kept {}", key, *answers.begin(), found.answer));
        }
        const bool has_effect = intent->kind == Kind::order ? count_of(evidence.orders, key) == 1
                                                            : count_of(evidence.effects, key) >= 1;
        if (is_success(found.answer) && !has_effect)
            complain(key + " succeeded without its effect");
    }
}

// Business rows and record: both or neither, once.
void Auditor::judge_orders(const Evidence& evidence)
{
    for (const auto& [key, nonces] : evidence.orders) {
        const auto record = evidence.records.find(key);
        const bool is_kept =
            record != evidence.records.end() && record->second.status == "succeeded";
        if (!is_kept) complain(key + ": a business row without its record");
        if (nonces.size() != 1) complain(fmt::format("{}: {} orders", key, nonces.size()));
        if (is_kept && !contains(nonces, record->second.answer)) complain(key + ": another order");
        if (count_of(evidence.items, key) != nonces.size()) complain(key + ": items are missing");
    }
    for (const auto& [key, record] : evidence.records) {
        if (!key.starts_with("order")) continue;
        if (record.status == "succeeded" && !evidence.orders.contains(key)) {
            complain(key + ": a record without its business row");
        }
        if (record.status == "processing" || record.status == "in_doubt") {
            complain(fmt::format("{}: an atomic record is {}", key, record.status));
        }
    }
}

void Auditor::judge_sessions(const Evidence& evidence)
{
    for (const auto& [key, nonce] : evidence.sessions) {
        const auto record = evidence.records.find(key);
        const bool is_its =
            record != evidence.records.end() && record->second.answer.ends_with(nonce);
        if (!is_its) complain(key + ": a session without its record");
    }
    for (const auto& [key, record] : evidence.records) {
        if (key.starts_with("session") && !evidence.sessions.contains(key)) {
            complain(key + ": a record without its session");
        }
    }
}

void Auditor::judge_effects(const Evidence& evidence)
{
    for (const auto& [key, nonces] : evidence.effects) {
        const bool is_deduplicated = key.starts_with("slip");
        if (!is_deduplicated && nonces.size() > 1) {
            complain(fmt::format("{}: the effect happened {} times", key, nonces.size()));
        }
    }
    for (const auto& [key, nonces] : evidence.accepted) {
        if (nonces.size() > 1) complain(key + ": accepted twice, under different effect keys");
    }
    for (const auto& [key, nonces] : evidence.runs) {
        const bool is_held = key.starts_with("notice");
        if (is_held && nonces.size() > 1) complain(key + ": held, and run again");
    }
    for (const auto& [key, record] : evidence.records) {
        const auto intent = parse_intent(key);
        const bool is_leased =
            intent && intent->kind != Kind::order && intent->kind != Kind::session;
        if (!is_leased || record.status != "succeeded") continue;
        const auto& happened = intent->kind == Kind::slip ? evidence.accepted : evidence.effects;
        const auto found = happened.find(key);
        if (found == happened.end()) {
            complain(key + " is kept as succeeded and has no effect");
        } else if (!contains(found->second, record.answer)) {
            complain(key + " is kept with the answer of another effect");
        }
    }
}

void Auditor::judge_end(const Evidence& evidence)
{
    std::ifstream generations{directory_ + "/generations"};
    for (unsigned generation = 0; generations >> generation;) {
        for (const Intent& intent : intents_of(generation)) {
            if (intent.kind == Kind::session) continue;
            const auto record = evidence.records.find(intent.key());
            const std::string status =
                record == evidence.records.end() ? "absent" : record->second.status;
            const bool is_over =
                status == "succeeded" || (status == "failed" && intent.kind == Kind::order);
            const bool is_held = status == "in_doubt" && intent.kind == Kind::notice;
            if (!is_over && !is_held) complain(fmt::format("{} ended {}", intent.key(), status));
            if (is_held && acknowledged_.contains(intent.key()))
                complain(intent.key() + ": told and held");
        }
    }
}

std::string to_text(const std::vector<std::string>& complaints)
{
    return fmt::format("{}", fmt::join(complaints, "\n"));
}

}  // namespace umavez::crash
