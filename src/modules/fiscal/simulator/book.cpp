#include "modules/fiscal/simulator/book.hpp"

#include "base/json_object.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::fiscal::simulator {
namespace {

std::string counts_json(const std::map<std::string, std::uint64_t>& counts)
{
    JsonObject object;
    for (const auto& [name, count] : counts) object.number(name, count);
    return object.str();
}

// Parts of the id of a voiding. Numbers of nine digits compare as texts do.
std::string series_of_range(std::string_view id)
{
    return fmt::format("NFe{}{}", id.substr(2, 2), id.substr(6, 19));
}
std::string_view first_of_range(std::string_view id)
{
    return id.substr(25, 9);
}
std::string_view last_of_range(std::string_view id)
{
    return id.substr(34, 9);
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
    if (seen.service == Service::sefaz && seen.fault == "throttle")
        throttled_[seen.caller] = seen.at;
    if (seen.documento.empty()) return;
    Document& document = documents_[seen.documento];
    ++document.requests;
    ++document.by_call[std::string{to_text(seen.call)}];
    if (seen.call == Call::emitir && !seen.sha256.empty()) ++document.sent[seen.sha256];
    const bool is_question = seen.call == Call::recibo || seen.call == Call::consultar;
    const auto batch = batches_.find(seen.documento);
    if (is_question && batch != batches_.end()) ++batch->second.questions;
}

void Book::add(const Authorised& authorised)
{
    ++authorisations_;
    if (!authorised.protocolo.empty()) ++protocols_;
    ids_[authorised.chave] = authorised.documento;
    std::uint64_t& last = numeros_[authorised.inscricao];
    last = std::max(last, authorised.numero);
    Document& document = documents_[authorised.documento];
    ++document.authorisations;
    document.notes.push_back({.authorised = authorised});
    // The system itself registers what a substitution does to the old note.
    link({.at = authorised.at, .chave = authorised.substitui, .tipo = "105102"});
}

void Book::add(const Received& received)
{
    batches_.insert_or_assign(received.documento, Batch{.received = received});
}

void Book::add(const EventRegistered& registered)
{
    if (!registered.protocolo.empty()) ++protocols_;
    link(registered);
}

void Book::add(const Voided& voided)
{
    ++protocols_;
    voided_.push_back(voided);
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

const Note* Book::find_by_documento(std::string_view documento) const
{
    const auto found = documents_.find(documento);
    if (found == documents_.end() || found->second.notes.empty()) return nullptr;
    return &found->second.notes.back();
}

std::vector<Note> Book::find_notes(std::string_view documento) const
{
    const auto found = documents_.find(documento);
    return found == documents_.end() ? std::vector<Note>{} : found->second.notes;
}

const Note* Book::find_by_chave(std::string_view chave) const
{
    const auto id = ids_.find(chave);
    if (id == ids_.end()) return nullptr;
    const std::vector<Note>& notes = documents_.find(id->second)->second.notes;
    const auto found = std::ranges::find_if(notes, [chave](const Note& note) {
        return note.authorised.chave == chave;
    });
    return found == notes.end() ? nullptr : &*found;
}

const Batch* Book::find_batch(std::string_view documento) const
{
    const auto found = batches_.find(documento);
    return found == batches_.end() ? nullptr : &found->second;
}

const Batch* Book::find_batch_by_recibo(std::string_view recibo) const
{
    for (const auto& [documento, batch] : batches_) {
        if (batch.received.recibo == recibo) return &batch;
    }
    return nullptr;
}

const Voided* Book::find_voided(std::string_view id) const
{
    const auto found = std::ranges::find_if(voided_, [id](const Voided& voided) {
        return series_of_range(voided.id) == series_of_range(id) &&
               first_of_range(voided.id) <= last_of_range(id) &&
               first_of_range(id) <= last_of_range(voided.id);
    });
    return found == voided_.end() ? nullptr : &*found;
}

bool Book::is_range_used(std::string_view id) const
{
    const std::string series = series_of_range(id);
    for (auto at = documents_.lower_bound(series); at != documents_.end(); ++at) {
        if (!at->first.starts_with(series)) break;
        const std::string_view number = std::string_view{at->first}.substr(series.size(), 9);
        const bool is_inside = first_of_range(id) <= number && number <= last_of_range(id);
        if (is_inside && !at->second.notes.empty()) return true;
    }
    return false;
}

std::optional<Instant> Book::find_throttled(std::string_view caller) const
{
    const auto found = throttled_.find(caller);
    return found == throttled_.end() ? std::nullopt : std::optional{found->second};
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
    const Note* const note = document.notes.empty() ? nullptr : &document.notes.back();
    object.text("chave", note == nullptr ? "" : note->authorised.chave);
    object.text("sha256", note == nullptr ? "" : note->authorised.sha256);
    object.text_unless_empty("protocolo", note == nullptr ? "" : note->authorised.protocolo);
    object.boolean("cancelled", note != nullptr && note->is_cancelled());
    object.number("cancellations", std::ranges::count_if(document.notes, &Note::is_cancelled));
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

std::string Book::to_json(std::string_view documento) const
{
    JsonObject documents;
    for (const auto& [id, document] : documents_) {
        if (documento.empty() || id == documento) documents.raw(id, to_json(document));
    }
    const auto range_json = [](const Voided& voided) {
        return JsonObject{}.text("id", voided.id).text("protocolo", voided.protocolo).str();
    };
    return JsonObject{}
        .number("authorisations", authorisations_)
        .number("requests", requests_)
        .raw("documents", documents.str())
        .raw("voided", to_json_array(voided_, range_json))
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
        .number("voided", voided_.size())
        .raw("calls", counts_json(calls_))
        .raw("faults", counts_json(faults_))
        .str();
}

}  // namespace umavez::fiscal::simulator
