#include "modules/fiscal/simulator/simulator.hpp"

#include "base/digest.hpp"
#include "base/json_object.hpp"
#include "base/random.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::simulator {
namespace {

http::Response page(int status, std::string_view words)
{
    return {
        status,
        {{"Content-Type", "text/html"}},
        fmt::format(
            "<!DOCTYPE html><html><head><title>{0}</title></head><body>{0}</body></html>", words
        )
    };
}

// Whose natural key it is.
Service service_of(std::string_view documento)
{
    if (documento.starts_with("NFe")) return Service::sefaz;
    return documento.starts_with("RPS") ? Service::sao_paulo : Service::nacional;
}

Reply without_answer(Ending ending)
{
    return {.response = {}, .ending = ending};
}

http::Response broken(Service service)
{
    if (service != Service::nacional) return page(500, "Server Error");
    return http::json_response(500, R"({"message":"An error has occurred."})");
}

// What the wire says instead, before anybody looked at the request. Nullopt: it is not the wire's fault.
std::optional<Reply> reply_before(Fault fault, Service service)
{
    const bool speaks_json = service == Service::nacional;
    if (fault == Fault::drop_request) return without_answer(Ending::cut);
    if (fault == Fault::reset) return without_answer(Ending::reset);
    if (fault == Fault::error_500) return Reply{broken(service)};
    if (fault == Fault::error_503) return Reply{page(503, "Service Unavailable")};
    if (fault == Fault::bad_gateway && speaks_json)
        return Reply{http::json_response(502, R"({"erro":"Bad Gateway"})")};
    if (fault == Fault::bad_gateway) return Reply{page(502, "Bad Gateway")};
    if (fault == Fault::forbidden) return Reply{page(403, "Forbidden")};
    if (fault == Fault::lost_route) return Reply{page(404, "404 - File or directory not found.")};
    return std::nullopt;
}

// What becomes of the answer of the desk.
Reply reply_after(std::optional<Fault> fault, http::Response response, Service service)
{
    if (fault == Fault::answer_lost) return without_answer(Ending::cut);
    if (fault == Fault::error_after) return {broken(service)};
    if (fault == Fault::unreadable) response.body = "\x1f\x8b{\"chaveAcesso\": \xff\xfe";
    return {std::move(response), fault == Fault::truncated ? Ending::truncated : Ending::whole};
}

}  // namespace

Result<std::unique_ptr<Simulator>> Simulator::open(SimulatorOptions options)
{
    std::vector<LedgerEvent> events;
    auto ledger = Ledger::open(options.ledger, events);
    if (!ledger) return std::unexpected(ledger.error());
    Book book;
    for (const LedgerEvent& event : events) book.apply(event);
    return std::unique_ptr<Simulator>{
        new Simulator{std::move(options), *std::move(ledger), std::move(book)}
    };
}

Simulator::Simulator(SimulatorOptions options, Ledger ledger, Book book)
    : options_(std::move(options)),
      nacional_(options_.ambiente),
      sefaz_(options_.ambiente),
      ledger_(std::move(ledger)),
      book_(std::move(book)),
      plan_(options_.chance)
{
}

Reply Simulator::serve(
    const http::Request& request, std::string caller, const std::stop_token& stop
)
{
    auto asked = read_call(request, std::move(caller));
    if (!asked) return {page(404, "404 - File or directory not found.")};
    std::unique_lock lock{mutex_};
    complete(*asked);
    Moment moment{
        .now = system_clock().realtime(),
        .chance = system_random().next(),
        .turn = book_.requests() + 1,
    };
    const std::optional<Fault> fault = next_fault(*asked, moment.turn, moment.now);
    const auto kept = keep(RequestSeen{
        .at = moment.now,
        .number = moment.turn,
        .service = asked->service,
        .call = asked->call,
        .caller = asked->caller,
        .documento = asked->documento,
        .chave = asked->chave,
        .sha256 = asked->sent.empty() ? "" : to_hex(sha256(asked->sent)),
        .fault = fault ? std::string{to_text(*fault)} : "",
    });
    if (!kept) return {http::text_response(500, kept.error().detail)};
    if (fault) {
        if (auto reply = reply_before(*fault, asked->service)) return *std::move(reply);
    }
    if (fault == Fault::slow_before) {
        wait_slowly(lock, stop);
        moment.now = system_clock().realtime();
    }
    auto response = judge(*asked, moment, fault);
    if (!response) return {http::text_response(500, response.error().detail)};
    if (fault == Fault::slow) wait_slowly(lock, stop);
    lock.unlock();
    return reply_after(fault, *std::move(response), asked->service);
}

const Desk& Simulator::desk_of(Service service) const noexcept
{
    if (service == Service::sefaz) return sefaz_;
    if (service == Service::sao_paulo) return sao_paulo_;
    return nacional_;
}

// Of which document it is, where the request alone does not tell.
void Simulator::complete(Asked& asked) const
{
    if (const Note* const note = book_.find_by_chave(asked.chave))
        asked.documento = note->authorised.documento;
    if (const Batch* const batch = book_.find_batch_by_recibo(asked.recibo))
        asked.documento = batch->received.documento;
}

// Whoever asks SEFAZ too much is told so again, and every call begins the time anew.
std::optional<Fault> Simulator::next_fault(const Asked& asked, std::uint64_t number, Instant now)
{
    if (asked.service == Service::sefaz) {
        const auto throttled = book_.find_throttled(asked.caller);
        if (throttled && now - *throttled < options_.throttle) return Fault::throttle;
    }
    return plan_.next(asked, number);
}

// An error: nothing that follows from the request is in the ledger.
Result<http::Response> Simulator::judge(
    const Asked& asked, const Moment& moment, std::optional<Fault> fault
)
{
    const Desk& desk = desk_of(asked.service);
    Judgement judgement = desk.judge(asked, book_, moment, fault);
    if (judgement.events.empty()) return std::move(judgement.response);
    if (auto kept = keep(judgement.events); !kept) return std::unexpected(kept.error());
    const auto* const authorised = std::get_if<Authorised>(&judgement.events.front());
    if (fault == Fault::cancel_behind && authorised != nullptr) {
        const EventRegistered behind = desk.event_behind(authorised->chave, "", book_, moment.now);
        if (auto kept = keep(behind); !kept) return std::unexpected(kept.error());
    }
    return std::move(judgement.response);
}

// The line first: what the book says is what is durable.
Result<void> Simulator::keep(std::span<const LedgerEvent> events)
{
    if (auto appended = ledger_.append(events); !appended) return appended;
    for (const LedgerEvent& event : events) book_.apply(event);
    return {};
}

void Simulator::wait_slowly(std::unique_lock<std::mutex>& lock, const std::stop_token& stop)
{
    nobody_.wait_for(lock, stop, options_.slow, [] { return false; });
}

void Simulator::add(ScriptedFault fault)
{
    const std::lock_guard guard{mutex_};
    plan_.add(std::move(fault));
}

void Simulator::forget_faults()
{
    const std::lock_guard guard{mutex_};
    plan_.forget();
}

std::string Simulator::faults_json() const
{
    const std::lock_guard guard{mutex_};
    const std::string scripted = to_json_array(plan_.scripted(), [](const ScriptedFault& fault) {
        JsonObject object;
        if (fault.call) object.text("call", to_text(*fault.call));
        object.text_unless_empty("documento", fault.documento);
        return object.text("fault", to_text(fault.fault)).number("times", fault.times).str();
    });
    return JsonObject{}.raw("faults", scripted).str();
}

std::string Simulator::ledger_json(std::string_view documento) const
{
    const std::lock_guard guard{mutex_};
    return book_.to_json(documento);
}

std::string Simulator::stats_json() const
{
    const std::lock_guard guard{mutex_};
    return book_.stats_json();
}

Result<void> Simulator::register_behind(std::string_view chave, std::string_view tipo)
{
    const std::lock_guard guard{mutex_};
    const Note* const note = book_.find_by_chave(chave);
    if (note == nullptr) return fail(Errc::not_found, "there is no note of this chave");
    const Service service = service_of(note->authorised.documento);
    const EventRegistered behind =
        desk_of(service).event_behind(chave, tipo, book_, system_clock().realtime());
    if (note->events.contains(behind.tipo)) return {};
    return keep(behind);
}

}  // namespace umavez::fiscal::simulator
