#include "modules/fiscal/simulator/book.hpp"

#include "base/json_object.hpp"

#include <algorithm>

namespace umavez::fiscal::simulator {
namespace {

std::string counts_json(const std::map<std::string, std::uint64_t>& counts)
{
    JsonObject object;
    for (const auto& [name, count] : counts) object.number(name, count);
    return object.str();
}

}  // namespace

void Book::apply(const LedgerEvent& event)
{
    std::visit([this](const auto& kind) { add(kind); }, event);
}

void Book::add(const RequestSeen& seen)
{
    requests_ = std::max(requests_, seen.number);
    ++calls_[std::string{to_text(seen.call)}];
    if (!seen.fault.empty()) ++faults_[seen.fault];
    if (seen.id_dps.empty()) return;
    Document& document = documents_[seen.id_dps];
    ++document.requests;
    ++document.by_call[std::string{to_text(seen.call)}];
    if (seen.call == Call::emitir && !seen.sha256.empty()) ++document.sent[seen.sha256];
}

void Book::add(const Authorised& authorised)
{
    ++authorisations_;
    ids_[authorised.chave] = authorised.id_dps;
    std::uint64_t& last = numeros_[authorised.inscricao];
    last = std::max(last, authorised.numero);
    Document& document = documents_[authorised.id_dps];
    ++document.authorisations;
    document.notes.push_back({.authorised = authorised});
    // The system itself registers what a substitution does to the old note.
    link({.at = authorised.at, .chave = authorised.substitui, .tipo = "105102"});
}

void Book::add(const EventRegistered& registered)
{
    link(registered);
}

// The first of its kind counts; one of a note that is not known, not at all.
void Book::link(const EventRegistered& event)
{
    const auto id = ids_.find(event.chave);
    if (id == ids_.end()) return;
    for (Note& note : documents_[id->second].notes) {
        if (note.authorised.chave == event.chave) note.events.try_emplace(event.tipo, event);
    }
}

const Note* Book::find_by_id_dps(std::string_view id_dps) const
{
    const auto found = documents_.find(id_dps);
    if (found == documents_.end() || found->second.notes.empty()) return nullptr;
    return &found->second.notes.front();
}

const Note* Book::find_by_chave(std::string_view chave) const
{
    const auto id = ids_.find(chave);
    return id == ids_.end() ? nullptr : find_by_id_dps(id->second);
}

std::uint64_t Book::last_numero(std::string_view inscricao) const
{
    const auto found = numeros_.find(inscricao);
    return found == numeros_.end() ? 0 : found->second;
}

std::string Book::to_json(const Document& document)
{
    JsonObject object;
    object.number("authorisations", document.authorisations);
    const Note* const note = document.notes.empty() ? nullptr : &document.notes.front();
    object.text("chave", note == nullptr ? "" : note->authorised.chave);
    object.text("sha256", note == nullptr ? "" : note->authorised.sha256);
    object.boolean("cancelled", note != nullptr && note->is_cancelled());
    object.boolean("substituted", note != nullptr && note->is_substituted());
    std::vector<std::string> events;
    if (note != nullptr) {
        for (const auto& [tipo, event] : note->events) events.push_back(to_json_text(tipo));
    }
    object.raw("events", to_json_array(events));
    object.number("requests", document.requests);
    object.raw("calls", counts_json(document.by_call));
    object.raw("sent", counts_json(document.sent));
    return object.str();
}

std::string Book::to_json(std::string_view id_dps) const
{
    JsonObject documents;
    for (const auto& [id, document] : documents_) {
        if (id_dps.empty() || id == id_dps) documents.raw(id, to_json(document));
    }
    return JsonObject{}
        .number("authorisations", authorisations_)
        .number("requests", requests_)
        .raw("documents", documents.str())
        .str();
}

std::string Book::stats_json() const
{
    std::uint64_t cancelled = 0;
    std::uint64_t doubled = 0;
    std::uint64_t authorised = 0;
    for (const auto& [id, document] : documents_) {
        authorised += document.authorisations > 0 ? 1U : 0U;
        doubled += document.authorisations > 1 ? 1U : 0U;
        for (const Note& note : document.notes) cancelled += note.is_cancelled() ? 1U : 0U;
    }
    return JsonObject{}
        .number("requests", requests_)
        .number("documents", documents_.size())
        .number("authorised", authorised)
        .number("authorised_twice", doubled)
        .number("cancelled", cancelled)
        .raw("calls", counts_json(calls_))
        .raw("faults", counts_json(faults_))
        .str();
}

}  // namespace umavez::fiscal::simulator
