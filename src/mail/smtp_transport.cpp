#include "mail/smtp_transport.hpp"

#include "base/char_set.hpp"
#include "base/without_sigpipe.hpp"
#include "mail/encoding.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::mail {
namespace {

constexpr std::size_t detail_bytes_max = 300;
constexpr std::string_view dot = ".\r\n";
constexpr Deadline at_once{};

// What may stand between the brackets of a command. The rules of address.hpp are stricter; these only keep a
// command one command.
constexpr CharSet command_chars{[](unsigned char byte) {
    return is_visible(byte) && byte != '<' && byte != '>';
}};

bool is_for_command(std::string_view address)
{
    return !address.empty() && address.size() <= 320 && command_chars.has_all(address);
}

std::string_view to_text(Carried carried)
{
    switch (carried) {
        case Carried::done: return "what came is not SMTP";
        case Carried::closed: return "the connection ended";
        case Carried::timeout: return "no answer in time";
        case Carried::stopped: return "the sender stops";
    }
    return "";
}

std::string_view name_of(Step step)
{
    switch (step) {
        case Step::mail: return "MAIL";
        case Step::rcpt: return "RCPT";
        case Step::data: return "DATA";
        case Step::dot: return "the message";
    }
    return "";
}

}  // namespace

SmtpTransport::~SmtpTransport()
{
    const WithoutSigpipe quiet;
    connection_.reset();
}

Deadline SmtpTransport::later() const
{
    return std::chrono::steady_clock::now() + options_.answer_timeout;
}

void SmtpTransport::drop()
{
    if (connection_) connection_->mark_useless();
    connection_.reset();
    reader_ = {};
    needs_reset_ = false;
}

Delivered SmtpTransport::send(
    const Envelope& envelope, std::string_view content, std::stop_token stop
)
{
    if (!is_for_command(envelope.from) || !is_for_command(envelope.to)) {
        return {.verdict = Verdict::refused, .detail = "an address that SMTP cannot carry"};
    }
    const WithoutSigpipe quiet;
    const StopSignal signal{std::move(stop)};
    const std::string lines = to_smtp_lines(content);
    if (connection_ && !connection_->is_quiet()) drop();
    const bool is_reused = connection_ != nullptr;
    if (!is_reused) {
        Delivered opened = open(later(), signal);
        if (!connection_) return opened;
    }
    Tried tried = try_once(envelope, lines, signal);
    if (tried.has_begun || !is_reused || signal.is_set()) return std::move(tried.delivered);
    // The server had ended the old connection, and was only now heard.
    drop();
    Delivered opened = open(later(), signal);
    return connection_ ? try_once(envelope, lines, signal).delivered : opened;
}

Delivered SmtpTransport::open(Deadline deadline, const StopSignal& stop)
{
    auto opened = SmtpConnection::open(url_, options_, deadline, stop);
    if (opened) {
        connection_ = *std::move(opened);
        return {};
    }
    return {
        .verdict = Verdict::unreachable,
        .code = opened.error().code,
        .detail = std::move(opened.error().detail),
    };
}

SmtpTransport::Tried SmtpTransport::try_once(
    const Envelope& envelope, const std::string& lines, const StopSignal& stop
)
{
    const Deadline deadline = later();
    if (std::exchange(needs_reset_, false)) {
        const auto reset = ask("RSET\r\n", deadline, &stop);
        if (!reset || reset->code / 100 != 2) {
            const Carried carried = reset ? Carried::closed : reset.error();
            return {break_off(Verdict::unreachable, "RSET", carried), false};
        }
    }
    const std::pair<Step, std::string> commands[] = {
        {Step::mail, fmt::format("MAIL FROM:<{}>\r\n", envelope.from)},
        {Step::rcpt, fmt::format("RCPT TO:<{}>\r\n", envelope.to)},
        {Step::data, "DATA\r\n"},
    };
    for (const auto& [step, command] : commands) {
        const bool has_begun = step != Step::mail;
        const auto reply = ask(command, deadline, &stop);
        if (!reply) {
            return {break_off(Verdict::unreachable, name_of(step), reply.error()), has_begun};
        }
        if (const auto verdict = judge(step, reply->code)) {
            return {conclude(step, *verdict, *reply), has_begun || reply->code != 421};
        }
    }
    return {hand_over(lines, stop)};
}

Delivered SmtpTransport::hand_over(std::string_view lines, const StopSignal& stop)
{
    const Deadline deadline = later();
    const Carried body = connection_->write(lines, deadline, &stop);
    if (body != Carried::done) return not_handed_over(body);
    // A server that has spoken already does not want the rest: without the dot it cannot have taken anything.
    if (const Carried early = connection_->read(reader_, at_once, nullptr);
        early != Carried::timeout) {
        return not_handed_over(early);
    }
    std::string_view rest = dot;
    const Carried last = connection_->write(rest, deadline, nullptr);
    if (last != Carried::done && rest.size() == dot.size()) return not_handed_over(last);
    if (last != Carried::done) return break_off(Verdict::unknown, "the last line", last);
    const auto reply = read_reply(deadline, nullptr);
    if (!reply) return break_off(Verdict::unknown, "the answer", reply.error());
    return conclude(Step::dot, *judge(Step::dot, reply->code), *reply);
}

// The dot did not leave, so the message was not taken. What the server said, if anything, tells why. It
// counts as an attempt: a message whose server hangs up in its middle would otherwise be tried for ever.
Delivered SmtpTransport::not_handed_over(Carried carried)
{
    if (carried == Carried::stopped) return break_off(Verdict::unreachable, "DATA", carried);
    const auto reply = read_reply(at_once, nullptr);
    if (!reply || reply->code / 100 < 4) return break_off(Verdict::put_off, "DATA", carried);
    Delivered refused = conclude(Step::dot, *judge(Step::dot, reply->code), *reply);
    drop();
    return refused;
}

std::expected<Reply, Carried> SmtpTransport::ask(
    std::string_view command, Deadline deadline, const StopSignal* stop
)
{
    const Carried sent = connection_->write(command, deadline, stop);
    // Even if it does not listen any more, it may have said why.
    if (sent != Carried::done && sent != Carried::closed) return std::unexpected(sent);
    return read_reply(deadline, stop);
}

std::expected<Reply, Carried> SmtpTransport::read_reply(Deadline deadline, const StopSignal* stop)
{
    for (;;) {
        if (auto reply = reader_.take()) return *std::move(reply);
        if (reader_.is_broken()) return std::unexpected(Carried::done);
        const Carried carried = connection_->read(reader_, deadline, stop);
        if (carried != Carried::done) return std::unexpected(carried);
    }
}

Delivered SmtpTransport::conclude(Step step, Verdict verdict, const Reply& reply)
{
    Delivered delivered{
        .verdict = verdict,
        .code = reply.code,
        .detail = fmt::format("{}: {} {}", name_of(step), reply.code, reply.text)
                      .substr(0, detail_bytes_max),
    };
    if (verdict == Verdict::accepted) delivered.external_id = find_queue_id(reply.text);
    const bool is_over = verdict == Verdict::unreachable || verdict == Verdict::unknown ||
                         reply.code == 421 || !reader_.is_empty();
    needs_reset_ = verdict != Verdict::accepted;
    if (is_over) drop();
    return delivered;
}

Delivered SmtpTransport::break_off(Verdict verdict, std::string_view where, Carried carried)
{
    drop();
    return {.verdict = verdict, .detail = fmt::format("{}: {}", where, to_text(carried))};
}

}  // namespace umavez::mail
