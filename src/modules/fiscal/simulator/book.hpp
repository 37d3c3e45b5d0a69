#pragma once

// Book: what the lines of a ledger say, added up. It believes nothing but the lines: an authorisation that is
// in there twice is counted twice. Confined to whoever holds it.

#include "modules/fiscal/simulator/ledger_event.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal::simulator {

struct Note {
    Authorised authorised;
    std::map<std::string, EventRegistered, std::less<>> events = {};  // by their kind, "101101"
    bool is_cancelled() const
    {
        return events.contains("101101") || events.contains("105104") ||
               events.contains("110111") || events.contains("110112") ||
               events.contains("cancelamento");
    }
    bool is_substituted() const { return events.contains("105102") || events.contains("110112"); }
};

// A batch at SEFAZ. It is judged when it is asked about for the third time, by its receipt or by the key of
// its note.
struct Batch {
    static constexpr std::uint64_t questions_to_be_judged = 3;
    Received received;
    std::uint64_t questions = 0;
    bool is_waiting() const noexcept { return questions < questions_to_be_judged; }
};

class Book {
public:
    void apply(const LedgerEvent& event);

    const Note* find_by_documento(std::string_view documento) const;  // the newest
    std::vector<Note> find_notes(std::string_view documento) const;
    const Note* find_by_chave(std::string_view chave) const;
    std::uint64_t last_numero(std::string_view inscricao) const;
    std::uint64_t requests() const noexcept { return requests_; }

    // Of SEFAZ.
    const Batch* find_batch(std::string_view documento) const;  // the newest of this document
    const Batch* find_batch_by_recibo(std::string_view recibo) const;
    // The first range that has a number in common with this one, which is the id of a voiding.
    const Voided* find_voided(std::string_view id) const;
    bool is_range_used(std::string_view id) const;
    std::uint64_t protocols() const noexcept { return protocols_; }  // given out
    // When a caller was last told that it asks too much.
    std::optional<Instant> find_throttled(std::string_view caller) const;

    // By natural key, of one or of all: authorisations, chave, sha256, cancelled, events, requests.
    std::string to_json(std::string_view documento = {}) const;
    // How many there are of what.
    std::string stats_json() const;

private:
    struct Document {
        std::uint64_t authorisations = 0;
        std::uint64_t requests = 0;
        std::map<std::string, std::uint64_t> by_call = {};
        std::map<std::string, std::uint64_t> sent = {
        };  // how often each content was, by its digest
        std::vector<Note> notes = {};  // the newest is the last
    };

    void add(const RequestSeen& seen);
    void add(const Authorised& authorised);
    void add(const Received& received);
    void add(const EventRegistered& registered);
    void add(const Voided& voided);
    void link(const EventRegistered& event);
    static std::string to_json(const Document& document);

    std::map<std::string, Document, std::less<>> documents_;     // by natural key
    std::map<std::string, std::string, std::less<>> ids_;        // natural keys, by chave
    std::map<std::string, std::uint64_t, std::less<>> numeros_;  // the last one, by inscricao
    std::map<std::string, Batch, std::less<>> batches_;          // by natural key
    std::map<std::string, Instant, std::less<>> throttled_;      // by caller
    std::vector<Voided> voided_;
    std::map<std::string, std::uint64_t> calls_;
    std::map<std::string, std::uint64_t> faults_;
    std::uint64_t requests_ = 0;
    std::uint64_t authorisations_ = 0;
    std::uint64_t protocols_ = 0;
};

}  // namespace umavez::fiscal::simulator
