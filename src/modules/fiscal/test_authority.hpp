#pragma once

// TestAuthority: an authority with a ledger of its own, which misbehaves as it is told.
//
// The ledger is what the tests believe: never two authorisations under one natural key, never a cancelled
// document authorised again. By default it does not recognise a repeated document, as São Paulo does not:
// whoever sends twice without having asked is found out. Thread-safe.

#include "modules/fiscal/authority/authority.hpp"
#include "support/wait.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace umavez::fiscal {

enum class Fault : std::uint8_t {
    none,
    unreached,     // nothing left us
    request_lost,  // nothing was stored, no answer
    answer_lost,   // stored, no answer
    lands_later,   // no answer; stored when land() is called
    later,         // refused for now
    refused,
    denied,
    throttled,
    duplicate,      // stored, and said to be there already
    cancel_behind,  // stored, no answer, and at once cancelled by somebody else
    analysis,       // of a cancellation: the tax office looks at it
    rubbish,        // stored, answered with a code that nobody knows
    unclear,        // nothing was stored, answered with a code that nobody knows
    half,           // of an enquiry: the access key was found, the rest was not answered
    certificate,    // the certificate that we show is not taken
};

class TestAuthority final : public Authority {
public:
    struct Entry {
        std::string xml;
        std::string chave;
        int authorisations = 0;
        int cancellations = 0;  // events that were registered
        bool is_cancelled = false;
        bool is_in_analysis = false;
    };

    std::string_view name() const noexcept override { return "test"; }
    Result<void> check(const Subject&) const override
    {
        const std::lock_guard guard{mutex_};
        if (check_error.empty()) return {};
        return fail(Errc::misconfigured, check_error);
    }
    Said emit(const Subject& subject, Duration, const std::stop_token& stop) const override
    {
        std::unique_lock lock{mutex_};
        ++emits;
        const Fault fault = begin(lock, emit_faults, subject.id_autoridade, stop);
        const Said said = emit_now(subject, fault);
        end(subject.id_autoridade);
        return said;
    }
    Said consult(const Subject& subject, Duration limit, const std::stop_token& stop) const override
    {
        Said said = consult_now(subject, limit, stop);
        if (before_answer) before_answer();
        said.exchanges = 1;
        return said;
    }
    Said consult_now(const Subject& subject, Duration, const std::stop_token& stop) const
    {
        std::unique_lock lock{mutex_};
        ++consults;
        arrive(system_clock().boottime());
        const Fault fault = take(consult_faults);
        if (stop.stop_requested()) return {.word = Word::unknown, .detail = "stopped"};
        if (fault == Fault::unreached) return {.word = Word::unreached};
        if (fault == Fault::throttled) return {.word = Word::throttled, .wait = throttle_wait};
        if (fault == Fault::certificate) return certificate_refused();
        asked_with.push_back(subject.pista);
        if (fault == Fault::half) {
            const Said said = what_is_there(subject);
            return {.word = Word::unknown, .pista = said.chave};
        }
        if (fault != Fault::none)
            return {.word = Word::unknown, .detail = "503", .http_status = 503};
        return what_is_there(subject);
    }
    std::optional<bool> is_made_of(const std::string& given, const std::string& sent) const override
    {
        return given == "<nfse>" + sent + "</nfse>";
    }
    Result<std::string> make_cancellation(
        const Subject& subject, const std::string& justificativa, Instant now
    ) const override
    {
        return "<cancela chave='" + subject.chave + "' em='" + std::to_string(to_micros(now)) +
               "'>" + justificativa + "</cancela>";
    }
    Said cancel(
        const Subject& subject,
        const Cancelamento& cancelamento,
        Duration,
        const std::stop_token& stop
    ) const override
    {
        std::unique_lock lock{mutex_};
        ++cancels;
        pedidos.push_back(cancelamento.pedido);
        const Fault fault = begin(lock, cancel_faults, subject.id_autoridade, stop);
        const Said said = cancel_now(subject, cancelamento, fault);
        end(subject.id_autoridade);
        return said;
    }
    Result<std::string> make_substitution(
        const Subject& subject,
        const std::string& justificativa,
        const std::string& chave_substituta,
        Instant
    ) const override
    {
        return "<substitui chave='" + subject.chave + "' por='" + chave_substituta + "'>" +
               justificativa + "</substitui>";
    }
    Result<std::string> make_voiding(const Inutilizacao& inutilizacao) const override
    {
        return "<inutiliza uf='" + inutilizacao.uf + "' n='" +
               std::to_string(inutilizacao.primeiro) + "'/>";
    }
    Said void_numbers(
        const Inutilizacao& inutilizacao,
        const std::string& pedido,
        Duration,
        const std::stop_token& stop
    ) const override
    {
        std::unique_lock lock{mutex_};
        ++voids;
        pedidos.push_back(pedido);
        const std::string id = "DPS" + std::to_string(inutilizacao.primeiro);
        const Fault fault = begin(lock, void_faults, id, stop);
        const Said said = void_now(id, fault);
        end(id);
        return said;
    }
    Duration absence_settles_after() const noexcept override { return settles_after; }
    std::uint32_t enquiries_per_hour() const noexcept override { return enquiries_most; }

    // What was on its way arrives; by itself it does when `arrives_within` is over.
    void land()
    {
        const std::lock_guard guard{mutex_};
        arrive(Duration::max());
    }
    // Calls that change something wait for open().
    void close()
    {
        const std::lock_guard guard{mutex_};
        is_closed = true;
    }
    void open()
    {
        const std::lock_guard guard{mutex_};
        is_closed = false;
        changed.notify_all();
    }
    // Until so many calls wait at the closed door. It is opened if they do not come: whoever stands there
    // belongs to a test that ends.
    void wait_for_callers(int count)
    {
        std::unique_lock lock{mutex_};
        if (changed.wait_for(lock, test::wait_limit(), [&] { return waiting >= count; })) return;
        is_closed = false;
        changed.notify_all();
        throw test::WaitNotMet{test::not_met(std::to_string(count) + " calls are at the door")};
    }
    void cancel_behind(const std::string& id)
    {
        const std::lock_guard guard{mutex_};
        ledger[id].is_cancelled = true;
    }
    void decide_analysis(const std::string& id, bool is_granted)
    {
        const std::lock_guard guard{mutex_};
        ledger[id].is_in_analysis = false;
        ledger[id].is_cancelled = is_granted;
    }
    Entry entry(const std::string& id) const
    {
        const std::lock_guard guard{mutex_};
        const auto found = ledger.find(id);
        return found == ledger.end() ? Entry{} : found->second;
    }

    // Guarded by mutex_; tests set them while nothing runs.
    mutable std::deque<Fault> emit_faults, consult_faults, cancel_faults, void_faults;
    mutable std::map<std::string, Entry> ledger;
    mutable std::map<std::string, std::string> voided;  // their protocols
    mutable int emits = 0, consults = 0, cancels = 0, voids = 0;
    std::uint32_t enquiries_most = 0;
    mutable int together_most = 0;  // calls that change one document at the same time
    mutable std::vector<std::string> pedidos;
    mutable std::vector<std::string> asked_with;  // what enquiries were told of those before
    bool dedupes = false;
    Duration settles_after{};
    Duration arrives_within = std::chrono::hours{1};
    std::string check_error;
    std::optional<Duration> throttle_wait;
    std::function<void()> before_answer;  // to an enquiry, when the authority has looked

private:
    static Said certificate_refused()
    {
        return {
            .word = Word::unreached,
            .detail = "the authority does not take the certificate of 00574753000100",
            .is_certificate_refused = true,
        };
    }
    static Fault take(std::deque<Fault>& faults)
    {
        if (faults.empty()) return Fault::none;
        const Fault first = faults.front();
        faults.pop_front();
        return first;
    }
    // A call that was cut while it waited outside left nothing.
    Fault begin(
        std::unique_lock<std::mutex>& lock,
        std::deque<Fault>& faults,
        const std::string& id,
        const std::stop_token& stop
    ) const
    {
        together_most = std::max(together_most, ++together[id]);
        ++waiting;
        changed.notify_all();
        const bool is_open = changed.wait(lock, stop, [this] { return !is_closed; });
        --waiting;
        arrive(system_clock().boottime());
        if (!is_open) return Fault::request_lost;
        return take(faults);
    }
    void end(const std::string& id) const { --together[id]; }

    Said emit_now(const Subject& subject, Fault fault) const
    {
        const std::string& id = subject.id_autoridade;
        switch (fault) {
            case Fault::unreached: return {.word = Word::unreached, .detail = "connection refused"};
            case Fault::request_lost: return {.word = Word::unknown, .detail = "timeout"};
            case Fault::later: return {.word = Word::later, .mensagens = {{"E1217", "manutenção"}}};
            case Fault::refused: return {.word = Word::refused, .mensagens = {{"E0160", "não"}}};
            case Fault::denied: return {.word = Word::denied, .mensagens = {{"110", "denegado"}}};
            case Fault::throttled: return {.word = Word::throttled, .wait = throttle_wait};
            case Fault::unclear: return {.word = Word::unknown, .mensagens = {{"X8", "?"}}};
            case Fault::lands_later:
                under_way.push_back({id, subject.xml, system_clock().boottime() + arrives_within});
                return {.word = Word::unknown, .detail = "timeout"};
            case Fault::certificate: return certificate_refused();
            case Fault::none:
            case Fault::answer_lost:
            case Fault::duplicate:
            case Fault::cancel_behind:
            case Fault::analysis:
            case Fault::half:
            case Fault::rubbish: break;
        }
        if (dedupes && ledger.contains(id)) {
            return {.word = Word::exists, .mensagens = {{"E0014", "já existe"}}};
        }
        store(id, subject.xml);
        if (fault == Fault::cancel_behind) ledger[id].is_cancelled = true;
        if (fault == Fault::duplicate)
            return {.word = Word::exists, .mensagens = {{"E0014", "já"}}};
        if (fault == Fault::rubbish) return {.word = Word::unknown, .mensagens = {{"X9", "?"}}};
        if (fault != Fault::none) return {.word = Word::unknown, .detail = "connection cut"};
        return what_is_there(subject);
    }

    Said cancel_now(const Subject& subject, const Cancelamento& cancelamento, Fault fault) const
    {
        const std::string& id = subject.id_autoridade;
        switch (fault) {
            case Fault::unreached: return {.word = Word::unreached};
            case Fault::request_lost: return {.word = Word::unknown, .detail = "timeout"};
            case Fault::later: return {.word = Word::later};
            case Fault::refused:
            case Fault::denied: return {.word = Word::refused, .mensagens = {{"E0822", "prazo"}}};
            case Fault::throttled: return {.word = Word::throttled, .wait = throttle_wait};
            case Fault::unclear: return {.word = Word::unknown, .mensagens = {{"X8", "?"}}};
            case Fault::lands_later:
                under_way.push_back({id, {}, system_clock().boottime() + arrives_within});
                return {.word = Word::unknown, .detail = "timeout"};
            case Fault::analysis:
                ledger[id].is_in_analysis = true;
                return {.word = Word::under_analysis};
            case Fault::certificate: return certificate_refused();
            case Fault::half:
            case Fault::none:
            case Fault::answer_lost:
            case Fault::duplicate:
            case Fault::cancel_behind:
            case Fault::rubbish: break;
        }
        if (ledger[id].is_cancelled) return {.word = Word::exists, .mensagens = {{"E0840", "já"}}};
        register_event(id);
        if (!cancelamento.chave_substituta.empty() && fault == Fault::none) {
            return {.word = Word::substituted, .protocolo = "EVT" + id, .xml = "<evento/>"};
        }
        if (fault == Fault::duplicate) return {.word = Word::exists};
        if (fault != Fault::none) return {.word = Word::unknown, .detail = "connection cut"};
        return {.word = Word::cancelled, .protocolo = "EVT" + id, .xml = "<evento/>"};
    }

    // Whoever voids again is told what was registered first.
    Said void_now(const std::string& id, Fault fault) const
    {
        if (fault == Fault::unreached) return {.word = Word::unreached};
        if (fault == Fault::request_lost) return {.word = Word::unknown, .detail = "timeout"};
        if (fault == Fault::later) return {.word = Word::later};
        if (fault == Fault::refused) {
            return {.word = Word::refused, .mensagens = {{"453", "ano"}}};
        }
        if (ledger.contains(id)) return {.word = Word::exists, .mensagens = {{"241", "em uso"}}};
        voided.emplace(id, "V" + std::to_string(voids));
        if (fault != Fault::none) return {.word = Word::unknown, .detail = "connection cut"};
        return {.word = Word::voided, .protocolo = voided[id], .xml = "<retInut/>"};
    }

    Said what_is_there(const Subject& subject) const
    {
        const auto found = ledger.find(subject.id_autoridade);
        if (found == ledger.end()) return {.word = Word::absent, .http_status = 404};
        const Entry& there = found->second;
        Said said{.word = Word::authorised, .http_status = 200};
        said.chave = there.chave;
        said.is_ours = there.xml == subject.xml;
        said.xml = "<nfse>" + there.xml + "</nfse>";
        said.protocolo = "P" + there.chave;
        if (there.is_in_analysis) said.word = Word::under_analysis;
        if (there.is_cancelled) {
            said.word = Word::cancelled;
            said.xml = "<evento/>";
            said.protocolo = "EVT";
        }
        return said;
    }
    struct UnderWay {
        std::string id;
        std::optional<std::string> xml;  // nullopt: a cancellation
        Duration at{};
    };
    void arrive(Duration now) const
    {
        for (const UnderWay& one : under_way) {
            if (one.at > now) continue;
            if (one.xml) {
                if (!dedupes || !ledger.contains(one.id)) store(one.id, *one.xml);
            } else {
                register_event(one.id);
            }
        }
        std::erase_if(under_way, [now](const UnderWay& one) { return one.at <= now; });
    }
    void store(const std::string& id, const std::string& xml) const
    {
        Entry& there = ledger[id];
        ++there.authorisations;
        there.xml = xml;
        there.chave = "CHAVE-" + id;
    }
    void register_event(const std::string& id) const
    {
        ++ledger[id].cancellations;
        ledger[id].is_cancelled = true;
    }

    mutable std::mutex mutex_;
    mutable std::condition_variable_any changed;
    mutable std::vector<UnderWay> under_way;
    mutable std::map<std::string, int> together;
    mutable int waiting = 0;
    bool is_closed = false;
};

}  // namespace umavez::fiscal
