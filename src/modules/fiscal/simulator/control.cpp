#include "modules/fiscal/simulator/control.hpp"

#include "base/json_object.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "http/loopback.hpp"
#include "json/tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace umavez::fiscal::simulator {
namespace {

http::Response refuse(int status, std::string_view why)
{
    return http::json_response(status, JsonObject{}.text("error", why).str());
}

http::Response done()
{
    return http::json_response(200, R"({"done":true})");
}

// Empty: it is not there, or no text.
std::string text_of(JsonValue object, std::string_view name)
{
    const auto found = object.find(name);
    return found && found->kind() == JsonKind::string ? std::string{found->string()}
                                                      : std::string{};
}

std::optional<std::uint64_t> times_of(JsonValue object)
{
    const auto found = object.find("times");
    if (!found) return 1;
    if (found->kind() != JsonKind::number) return std::nullopt;
    const std::string_view digits = found->number();
    std::uint64_t times = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), times);
    if (error != std::errc{} || rest != digits.data() + digits.size() || times == 0)
        return std::nullopt;
    return times;
}

http::Response unknown_word(
    std::string_view name, const std::string& word, const std::vector<std::string>& words
)
{
    return refuse(
        422,
        fmt::format(
            "{}: \"{}\" is not one of {}{}",
            name,
            shown(word),
            fmt::join(words, ", "),
            suggestion(word, words)
        )
    );
}

http::Response add_fault(Simulator& simulator, JsonValue object)
{
    const std::string word = text_of(object, "fault");
    const auto fault = parse_fault(word);
    if (!fault) return unknown_word("fault", word, fault_words());
    ScriptedFault scripted{.fault = *fault, .documento = text_of(object, "documento")};
    if (scripted.documento.empty()) scripted.documento = text_of(object, "id_dps");
    if (object.find("call")) {
        const std::string call = text_of(object, "call");
        scripted.call = parse_call(call);
        if (!scripted.call) return unknown_word("call", call, call_words());
        if (!is_fault_of(*fault, *scripted.call)) {
            return refuse(422, fmt::format("{} is no fault of {}", word, call));
        }
    }
    const auto times = times_of(object);
    if (!times) return refuse(422, "times: write a whole number from 1 on");
    scripted.times = *times;
    simulator.add(std::move(scripted));
    return done();
}

// `tipo` is empty: the note is cancelled.
http::Response add_event(Simulator& simulator, JsonValue object, const std::string& tipo)
{
    const auto registered = simulator.register_behind(text_of(object, "chave"), tipo);
    if (registered) return done();
    return refuse(
        registered.error().code == Errc::not_found ? 404 : 500, registered.error().detail
    );
}

http::Response answer_get(const Simulator& simulator, const http::Request& request)
{
    if (request.path == "/faults") return http::json_response(200, simulator.faults_json());
    if (request.path == "/stats") return http::json_response(200, simulator.stats_json());
    if (request.path != "/ledger") return refuse(404, "there are /faults, /ledger and /stats");
    const std::string_view query = request.query;
    const bool is_of_one = query.starts_with("documento=") || query.starts_with("id_dps=");
    return http::json_response(
        200, simulator.ledger_json(is_of_one ? query.substr(query.find('=') + 1) : "")
    );
}

}  // namespace

http::Response answer_control(Simulator& simulator, const http::Request& request)
{
    if (!http::speaks_to_loopback(request.headers))
        return refuse(403, "the control answers this machine only");
    if (request.method == "GET") return answer_get(simulator, request);
    if (request.method == "DELETE" && request.path == "/faults") {
        simulator.forget_faults();
        return done();
    }
    if (request.method != "POST") return refuse(405, "there are GET, POST and DELETE");
    const auto tree = JsonTree::parse(request.body);
    if (!tree) return refuse(400, tree.error().detail);
    if (request.path == "/faults") return add_fault(simulator, tree->root());
    if (request.path == "/cancel") return add_event(simulator, tree->root(), "");
    if (request.path == "/events") {
        const std::string tipo = text_of(tree->root(), "tipo");
        if (tipo.size() != 6)
            return refuse(422, "tipo: write the six digits of an event, 105102 for instance");
        return add_event(simulator, tree->root(), tipo);
    }
    return refuse(404, "there are /faults, /cancel and /events");
}

}  // namespace umavez::fiscal::simulator
