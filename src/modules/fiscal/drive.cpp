#include "modules/fiscal/drive.hpp"

#include "base/digest.hpp"
#include "base/shown.hpp"

#include <algorithm>
#include <utility>

namespace umavez::fiscal {
namespace {

// A turn of the rate that is so near is waited for while somebody waits for us.
constexpr Duration short_wait = std::chrono::seconds{2};

bool is_open(Estado estado) noexcept
{
    return estado == Estado::transmitido || estado == Estado::indeterminado ||
           estado == Estado::cancelamento_pendente || estado == Estado::cancelamento_em_analise;
}

bool is_cancellation(Word word) noexcept
{
    return word == Word::cancelled || word == Word::substituted;
}

class Driver {
public:
    Driver(Course& course, const Plan& plan, const Settings& settings)
        : course_(course),
          plan_(plan),
          settings_(settings),
          before_(course.row() ? course.row()->estado : Estado::reservado)
    {
    }

    Ended run()
    {
        bool sends = plan_.sends_first && plan_.send;
        for (;;) {
            const auto called = sends ? plan_.send(course_) : plan_.consult(course_);
            if (!called) return failed(called.error());
            if (const auto* const refused = std::get_if<NotCalled>(&*called)) {
                const Duration wait = refused->permission.wait;
                const bool is_near = !refused->permission.is_blocked && wait <= short_wait;
                if (is_near && course_.may_go_on() && course_.pause(wait)) continue;
                return not_called(*refused, sends);
            }
            const Said& said = std::get<Said>(*called);
            ++(sends ? sent_ : asked_);
            // What may be under way cannot be taken back by a later answer.
            if (sends && effect_of(said.word) != Effect::none) before_ = in_doubt();
            const Step step = step_after(situation(said, sends), said);
            switch (step.next) {
                case Next::finish: return finish(step, said, !sends);
                case Next::give_up: return give_up(step, said);
                case Next::stay_open: return stay_open(step, said);
                case Next::send:
                    if (!plan_.send) return may_send();
                    if (sent_ >= plan_.attempts || !course_.may_go_on())
                        return stay_open(step, said);
                    if (sends && !course_.pause(attempt_delay(settings_, sent_, said.wait))) {
                        return give_up_or_stay(step, said);
                    }
                    sends = true;
                    break;
                case Next::consult:
                    if (asked_ >= plan_.attempts || !course_.may_go_on())
                        return stay_open(step, said);
                    if (!sends && !course_.pause(attempt_delay(settings_, asked_, said.wait))) {
                        return stay_open(step, said);
                    }
                    sends = false;
                    break;
            }
        }
    }

    Ended verify()
    {
        const auto called = plan_.consult(course_);
        if (!called) return failed(called.error());
        if (const auto* const refused = std::get_if<NotCalled>(&*called)) {
            return {
                .how = How::open,
                .is_blocked = refused->permission.is_blocked,
                .retry_after = refused->permission.wait,
            };
        }
        const Said& said = std::get<Said>(*called);
        if (said.word == Word::cancelled || said.word == Word::substituted ||
            said.word == Word::under_analysis) {
            return finish(step_after(situation(said, false), said), said, true);
        }
        if (said.word == Word::absent || said.is_ours == false) {
            Documento next = *course_.row();
            next.alerta = said.word == Word::absent
                              ? "the authority does not know this document any more"
                              : "the authority holds another document under this number";
            return write(std::move(next), {.how = How::open});
        }
        if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
        return {
            .how = said.word == Word::authorised ? How::finished : How::open, .was_found = true
        };
    }

private:
    Estado in_doubt() const
    {
        return plan_.change == Deed::emit ? Estado::indeterminado : Estado::cancelamento_pendente;
    }

    Situation situation(const Said& said, bool sent) const
    {
        const std::uint32_t tried = sent ? sent_ : asked_;
        // Whoever wants to be left alone for longer than a client waits is left alone.
        const bool is_patient = said.wait.value_or(Duration{0}) <= settings_.backoff_longest;
        const auto until = course_.sent_until();
        return {
            .estado = course_.row() ? course_.row()->estado : Estado::transmitido,
            .before = before_,
            .deed = sent ? plan_.change : plan_.enquiry,
            .may_try_again = tried < plan_.attempts && is_patient && course_.may_go_on(),
            .is_settled =
                plan_.settle == Duration{0} || !until || course_.now() >= *until + plan_.settle,
        };
    }

    Ended failed(const Error& error)
    {
        const bool is_lost = error.code == Errc::lease_lost;
        return {.how = is_lost ? How::lost : How::trouble, .detail = error.detail};
    }

    // Nothing left this process this time; what the row says is still so.
    Ended not_called(const NotCalled& refused, bool sends)
    {
        Said nothing{.word = Word::throttled, .wait = refused.permission.wait};
        const Step step = step_after(situation(nothing, sends), nothing);
        Ended ended{
            .how = step.next == Next::give_up ? How::gave_up : How::open,
            .is_blocked = refused.permission.is_blocked,
            .retry_after = refused.permission.wait,
            .detail = "the guard does not permit a call",
        };
        if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
        if (!course_.row()) return ended;
        Documento next = *course_.row();
        next.estado = step.to;
        const bool is_nothing_new = next.estado == course_.row()->estado && !is_open(next.estado);
        if (is_nothing_new) return ended;
        if (is_open(next.estado)) put_off(next, refused.permission.wait);
        return write(std::move(next), std::move(ended));
    }

    Ended may_send()
    {
        if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
        return {.how = How::may_send};
    }

    Ended finish(const Step& step, const Said& said, bool was_found)
    {
        Documento next = next_row(step, said);
        next.conciliar_em = std::nullopt;
        next.conciliacoes = 0;
        next.alerta = step.alerta.empty() ? std::nullopt : std::optional{step.alerta};
        // Polled until the tax office has decided.
        if (is_open(next.estado)) put_off(next, said.wait);
        Ended ended{.how = How::finished, .was_found = was_found, .mensagens = said.mensagens};
        return write(std::move(next), std::move(ended), said, plan_.on_final);
    }

    Ended give_up(const Step& step, const Said& said)
    {
        Documento next = next_row(step, said);
        next.conciliar_em = std::nullopt;
        next.conciliacoes = 0;
        Ended ended{
            .how = How::gave_up,
            .is_blocked = said.word == Word::throttled,
            .retry_after = said.wait,
            .detail = said.detail,
            .mensagens = said.mensagens,
        };
        return write(std::move(next), std::move(ended), said);
    }

    // A stop ended the pause before the next attempt of what the authority had not taken.
    Ended give_up_or_stay(Step step, const Said& said)
    {
        if (before_ == in_doubt() || is_open(before_)) return stay_open(step, said);
        step.to = before_;
        return give_up(step, said);
    }

    Ended stay_open(const Step& step, const Said& said)
    {
        Documento next = next_row(step, said);
        if (next.estado == Estado::transmitido) next.estado = Estado::indeterminado;
        if (!step.alerta.empty()) next.alerta = step.alerta;
        put_off(next, said.wait);
        Ended ended{
            .how = How::open,
            .retry_after = *next.conciliar_em - course_.now(),
            .detail = said.detail.empty() ? std::string{to_text(said.word)} : said.detail,
            .mensagens = said.mensagens,
        };
        // Asking again cannot change what is there; a person can.
        if (said.is_ours == false) next.conciliar_em = std::nullopt;
        return write(std::move(next), std::move(ended), said);
    }

    void put_off(Documento& next, std::optional<Duration> wish) const
    {
        ++next.conciliacoes;
        const Duration own = reconcile_delay(settings_, next.conciliacoes);
        next.conciliar_em = course_.now() + std::max(own, wish.value_or(Duration{0}));
    }

    Documento next_row(const Step& step, const Said& said) const
    {
        Documento next = learnt(*course_.row(), said, step.to);
        next.enviado_ate = course_.sent_until();
        if (said.word == Word::authorised && step.to == Estado::autorizado) {
            if (!said.protocolo.empty()) next.protocolo = shown(said.protocolo);
            if (!said.xml.empty()) next.autorizado_sha256 = to_hex(sha256(said.xml));
            if (!next.autorizado_em) next.autorizado_em = course_.now();
        }
        if (plan_.amend) plan_.amend(next);
        if (is_cancellation(said.word)) {
            if (!said.protocolo.empty()) next.protocolo_cancelamento = shown(said.protocolo);
            if (!said.xml.empty()) next.evento_sha256 = to_hex(sha256(said.xml));
            next.cancelado_em = course_.now();
        }
        return next;
    }

    Ended write(Documento next, Ended ended, const Said& said = {}, const Course::More& more = {})
    {
        const bool keeps =
            !said.xml.empty() && (said.word == Word::authorised || is_cancellation(said.word));
        const auto written = course_.write(
            std::move(next),
            [&](Transaction& transaction, const Documento& documento) -> Result<void> {
                if (keeps) {
                    const auto kept = keep_xml(transaction, documento.id, said.xml);
                    if (!kept) return std::unexpected(kept.error());
                }
                return more ? more(transaction, documento) : Result<void>{};
            }
        );
        if (!written) return failed(written.error());
        return ended;
    }

    Course& course_;
    const Plan& plan_;
    const Settings& settings_;
    Estado before_;
    std::uint32_t sent_ = 0;
    std::uint32_t asked_ = 0;
};

}  // namespace

Ended drive(Course& course, const Plan& plan)
{
    return Driver{course, plan, course.settings()}.run();
}

Ended verify(Course& course, const Plan& plan)
{
    return Driver{course, plan, course.settings()}.verify();
}

}  // namespace umavez::fiscal
