#pragma once

// Book: what the lines of a ledger say, added up. It believes nothing but the lines: an authorisation that is
// in there twice is counted twice. Confined to whoever holds it.

#include "modules/fiscal/simulator/ledger_event.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

struct Note {
    Authorised authorised;
    std::map<std::string, EventRegistered, std::less<>> events = {};  // by their kind, "101101"
    bool is_cancelled() const { return events.contains("101101") || events.contains("105104"); }
    bool is_substituted() const { return events.contains("105102"); }
};

class Book {
public:
    void apply(const LedgerEvent& event);

    const Note* find_by_id_dps(std::string_view id_dps) const;
    const Note* find_by_chave(std::string_view chave) const;
    std::uint64_t last_numero(std::string_view inscricao) const;
    std::uint64_t requests() const noexcept { return requests_; }

    // By id of the DPS, of one or of all: authorisations, chave, sha256, cancelled, events, requests.
    std::string to_json(std::string_view id_dps = {}) const;
    // How many there are of what.
    std::string stats_json() const;

private:
    struct Document {
        std::uint64_t authorisations = 0;
        std::uint64_t requests = 0;
        std::map<std::string, std::uint64_t> by_call = {};
        std::map<std::string, std::uint64_t> sent = {
        };  // how often each content was, by its digest
        std::vector<Note> notes = {};  // more than one would be our own mistake
    };

    void add(const RequestSeen& seen);
    void add(const Authorised& authorised);
    void add(const EventRegistered& registered);
    void link(const EventRegistered& event);
    static std::string to_json(const Document& document);

    std::map<std::string, Document, std::less<>> documents_;     // by id of the DPS
    std::map<std::string, std::string, std::less<>> ids_;        // of the DPS, by chave
    std::map<std::string, std::uint64_t, std::less<>> numeros_;  // the last one, by inscricao
    std::map<std::string, std::uint64_t> calls_;
    std::map<std::string, std::uint64_t> faults_;
    std::uint64_t requests_ = 0;
    std::uint64_t authorisations_ = 0;
};

}  // namespace umavez::fiscal::simulator
