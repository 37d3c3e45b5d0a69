#include "modules/fiscal/simulator/simulator.hpp"

#include "base/digest.hpp"
#include "base/json_object.hpp"
#include "base/random.hpp"
#include "modules/fiscal/simulator/shapes.hpp"

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

Reply without_answer(Ending ending)
{
    return {.response = {}, .ending = ending};
}

// What is said instead, before anybody looked at the request. Nullopt: the fault comes later.
std::optional<Reply> reply_before(Fault fault, const Asked& asked, const Wording& wording)
{
    const auto refused = [&](std::string codigo) {
        return Reply{to_response(refusal(400, std::move(codigo), asked.id_dps), asked.call, wording)
        };
    };
    switch (fault) {
        case Fault::drop_request: return without_answer(Ending::cut);
        case Fault::reset: return without_answer(Ending::reset);
        case Fault::error_500:
            return Reply{http::json_response(500, R"({"message":"An error has occurred."})")};
        case Fault::error_503: return Reply{page(503, "Service Unavailable")};
        case Fault::bad_gateway:
            return Reply{http::json_response(502, R"({"erro":"Bad Gateway"})")};
        case Fault::throttle: {
            http::Response response =
                http::json_response(429, R"({"message":"Too Many Requests"})");
            response.headers.push_back({"Retry-After", "2"});
            return Reply{std::move(response)};
        }
        case Fault::maintenance: return refused("E1217");
        case Fault::refuse: return refused(asked.call == Call::emitir ? "E0010" : "E0822");
        case Fault::forbidden: return Reply{page(403, "Forbidden")};
        case Fault::lost_route: return Reply{page(404, "404 - File or directory not found.")};
        case Fault::slow_before:
        case Fault::answer_lost:
        case Fault::slow:
        case Fault::error_after:
        case Fault::duplicate:
        case Fault::cancel_behind:
        case Fault::unreadable:
        case Fault::truncated:
        case Fault::odd_shapes: return std::nullopt;
    }
    return std::nullopt;
}

// What becomes of the answer of the office.
Reply reply_after(std::optional<Fault> fault, Answer answer, Call call, Wording wording)
{
    if (fault == Fault::answer_lost) return without_answer(Ending::cut);
    if (fault == Fault::error_after) {
        return {http::json_response(500, R"({"message":"An error has occurred."})")};
    }
    if (fault == Fault::duplicate && answer.status == 201) {
        answer = refusal(400, call == Call::emitir ? "E0014" : "E0840", answer.id_dps);
    }
    if (fault == Fault::odd_shapes) wording.shape = Shape::odd;
    Reply reply{to_response(answer, call, wording)};
    if (fault == Fault::unreadable) reply.response.body = "\x1f\x8b{\"chaveAcesso\": \xff\xfe";
    if (fault == Fault::truncated) reply.ending = Ending::truncated;
    return reply;
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
      office_(options_.ambiente),
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
    if (const Note* const note = book_.find_by_chave(asked->chave))
        asked->id_dps = note->authorised.id_dps;
    const std::uint64_t number = book_.requests() + 1;
    const std::optional<Fault> fault = plan_.next(asked->call, asked->id_dps, number);
    const Wording wording{
        .ambiente = options_.ambiente, .now = system_clock().realtime(), .turn = number
    };
    const auto kept = keep(RequestSeen{
        .at = wording.now,
        .number = number,
        .call = asked->call,
        .id_dps = asked->id_dps,
        .chave = asked->chave,
        .sha256 = asked->xml.empty() ? "" : to_hex(sha256(asked->xml)),
        .fault = fault ? std::string{to_text(*fault)} : "",
    });
    if (!kept) return {http::text_response(500, kept.error().detail)};
    if (fault) {
        if (auto reply = reply_before(*fault, *asked, wording)) return *std::move(reply);
    }
    if (fault == Fault::slow_before) wait_slowly(lock, stop);
    Decision decision = decide(*asked, fault);
    if (fault == Fault::slow) wait_slowly(lock, stop);
    lock.unlock();
    return reply_after(fault, std::move(decision.answer), asked->call, wording);
}

Decision Simulator::decide(const Asked& asked, std::optional<Fault> fault)
{
    const Moment moment{.now = system_clock().realtime(), .chance = system_random().next()};
    Decision decision = office_.decide(asked, book_, moment);
    if (!decision.event) return decision;
    if (const auto kept = keep(*decision.event); !kept) {
        return {{.status = 500, .erros = {{"", kept.error().detail}}}};
    }
    if (fault == Fault::cancel_behind) {
        const EventRegistered cancelled{
            .at = moment.now, .chave = decision.answer.chave, .tipo = "101101"
        };
        if (const auto kept = keep(cancelled); !kept) {
            return {{.status = 500, .erros = {{"", kept.error().detail}}}};
        }
    }
    return decision;
}

// The line first: what the book says is what is durable.
Result<void> Simulator::keep(const LedgerEvent& event)
{
    if (auto appended = ledger_.append(event); !appended) return appended;
    book_.apply(event);
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
        object.text_unless_empty("id_dps", fault.id_dps);
        return object.text("fault", to_text(fault.fault)).number("times", fault.times).str();
    });
    return JsonObject{}.raw("faults", scripted).str();
}

std::string Simulator::ledger_json(std::string_view id_dps) const
{
    const std::lock_guard guard{mutex_};
    return book_.to_json(id_dps);
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
    if (note->events.contains(tipo)) return {};
    return keep(EventRegistered{
        .at = system_clock().realtime(), .chave = std::string{chave}, .tipo = std::string{tipo}
    });
}

}  // namespace umavez::fiscal::simulator
