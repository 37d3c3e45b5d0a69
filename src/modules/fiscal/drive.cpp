#include "modules/fiscal/drive.hpp"

#include "base/digest.hpp"
#include "base/random_unit.hpp"
#include "base/shown.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"

#include <algorithm>
#include <utility>

namespace umavez::fiscal {
namespace {

// A turn of the rate that is so near is waited for while somebody waits for us.
constexpr Duration short_wait = std::chrono::seconds{2};

bool is_cancellation(Word word) noexcept
{
    return word == Word::cancelled || word == Word::substituted;
}

Operacao operacao_of(Act change) noexcept
{
    if (change == Act::cancel) return Operacao::cancelar;
    return change == Act::void_number ? Operacao::inutilizar : Operacao::emitir;
}

class Driver {
public:
    Driver(Course& course, const Plan& plan)
        : course_(course),
          plan_(plan),
          before_(course.row() ? course.row()->estado : Estado::reservado)
    {
    }

    Ended run()
    {
        if (const auto remembered = remember(); !remembered) return failed(remembered.error());
        for (bool sends = plan_.sends_first && plan_.send;;) {
            const auto called = sends ? plan_.send(course_) : plan_.consult(course_);
            if (!called) return failed(called.error());
            if (const auto* const refused = std::get_if<NotCalled>(&*called)) {
                const Duration wait = refused->permission.wait;
                const bool is_near = !refused->permission.is_blocked && wait <= short_wait &&
                                     turns_++ < plan_.attempts;
                if (is_near && course_.may_go_on() && course_.pause(wait)) continue;
                return not_called(*refused, sends);
            }
            const Said& said = std::get<Said>(*called);
            ++(sends ? sent_ : asked_);
            // What may be under way cannot be taken back by a later answer.
            if (sends && effect_of(said.word) == Effect::unknown) before_ = in_doubt();
            if (sends) last_ = LastSaid{said.word, to_json(said.mensagens)};
            const auto delay = delay_after(said, sends);
            NextStep step = step_after(said, sends, delay.has_value());
            if (step.then == Then::wait && !course_.pause(*delay)) {
                step = step_after(said, sends, false);  // somebody wants us to stop
            }
            if (step.concern) concern_ = step.concern;
            switch (step.then) {
                case Then::finish: return finish(step, said, !sends);
                case Then::let_go: return let_go(step, said, !sends);
                case Then::give_up_for_now: return stay_open(step, said);
                case Then::wait: break;
                case Then::resend_same_bytes:
                    if (!plan_.send) return may_send();
                    if (sent_ >= plan_.attempts || !course_.may_go_on())
                        return stay_open(step, said);
                    sends = true;
                    break;
                case Then::consult:
                    if (asked_ >= plan_.attempts || !course_.may_go_on())
                        return stay_open(step, said);
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
        const NextStep step = step_after(said, false, false);
        if (said.is_certificate_refused) {
            if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
            return {.how = How::open, .is_certificate_refused = true, .detail = said.detail};
        }
        if (step.to != course_.row()->estado) return finish(step, said, true);
        if (step.concern) {
            Documento next = *course_.row();
            next.alerta = describe(*step.concern);
            return write(std::move(next), {.how = How::open, .word = said.word});
        }
        if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
        const bool is_known = step.then == Then::finish;
        return {
            .how = is_known ? How::finished : How::open,
            .was_found = true,
            .retry_after = said.wait,
            .detail = said.detail,
            .word = said.word,
        };
    }

private:
    // What the last of the calls before this drive was told.
    Result<void> remember()
    {
        auto last = course_.last_said(operacao_of(plan_.change));
        if (!last) return std::unexpected(last.error());
        last_ = *std::move(last);
        return {};
    }

    Estado in_doubt() const
    {
        if (plan_.change == Act::cancel) return Estado::cancelamento_pendente;
        if (plan_.change == Act::void_number) return Estado::inutilizacao_pendente;
        return Estado::indeterminado;
    }

    // Nullopt: the call is not made again now.
    std::optional<Duration> delay_after(const Said& said, bool sent) const
    {
        if (!course_.may_go_on() || said.is_certificate_refused) return std::nullopt;
        RetryRule rule = course_.settings().retry;
        rule.attempts = plan_.attempts;
        return retry_delay(rule, sent ? sent_ : asked_, said.wait, unit(system_random()));
    }

    NextStep step_after(const Said& said, bool sent, bool may_try_again) const
    {
        const auto until = course_.sent_until();
        const bool was_refused = last_ && last_->word == Word::refused;
        const bool was_unclear = last_ && last_->word == Word::unknown && last_->has_code();
        // A repetition may do no harm; but a document that is let go is never asked about again.
        const Duration settle = was_refused || was_unclear
                                    ? std::max(plan_.settle, course_.settings().settle)
                                    : plan_.settle;
        // What is not there when it is asked for may arrive before the answer does.
        const bool is_settled =
            settle == Duration{0} || !until || course_.called_at() >= *until + settle;
        const Estado from = course_.row() ? course_.row()->estado : Estado::transmitido;
        NextStep step = next_step(
            from,
            sent ? plan_.change : plan_.enquiry,
            said.word,
            {
                .before = before_,
                .may_try_again = may_try_again,
                .is_settled = is_settled,
                .has_code = !said.mensagens.empty(),
                .was_unclear = was_unclear,
                .was_refused = was_refused,
                .is_replaced = course_.row() && course_.row()->substituto_id,
                .is_ours = said.is_ours,
            }
        );
        if (said.is_certificate_refused) step.concern = Concern::certificate_refused;
        if (said.is_reissue && !step.concern) step.concern = Concern::reissued;
        return step;
    }

    static Ended failed(const Error& error)
    {
        const bool is_lost = error.code == Errc::lease_lost || error.code == Errc::unique_violation;
        return {.how = is_lost ? How::lost : How::trouble, .detail = error.detail};
    }

    // Nothing left this process this time; what the row says is still so.
    Ended not_called(const NotCalled& refused, bool sends)
    {
        const Duration wait = refused.permission.wait;
        const NextStep step = step_after({.word = Word::throttled}, sends, false);
        Ended ended{
            .how = step.then == Then::let_go ? How::gave_up : How::open,
            .is_blocked = refused.permission.is_blocked,
            .retry_after = wait,
            .detail = "the guard does not permit a call",
        };
        if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
        if (!course_.row()) return ended;
        Documento next = *course_.row();
        next.estado = step.to;
        if (next.estado == course_.row()->estado && !is_open(next.estado)) return ended;
        next.enviado_ate = course_.sent_until();
        if (is_open(next.estado)) {
            put_off(next, wait);
        } else {
            if (plan_.amend) plan_.amend(next);
            free(next);
        }
        return write(std::move(next), std::move(ended));
    }

    Ended may_send()
    {
        if (const auto flushed = course_.flush(); !flushed) return failed(flushed.error());
        return {.how = How::may_send};
    }

    Ended finish(const NextStep& step, const Said& said, bool was_found)
    {
        Documento next = next_row(step, said);
        next.conciliar_em = std::nullopt;
        next.conciliacoes = 0;
        if (!step.concern) next.alerta = std::nullopt;
        // Polled until the tax office has decided.
        if (is_open(next.estado)) put_off(next, said.wait);
        Ended ended{.how = How::finished, .was_found = was_found, .word = said.word};
        return write(std::move(next), std::move(ended), said, plan_.on_final);
    }

    Ended let_go(const NextStep& step, const Said& said, bool was_found)
    {
        Documento next = next_row(step, said);
        // Why it was refused was said when it was sent.
        if (was_found && last_ && said.mensagens.empty()) next.mensagens = last_->mensagens;
        free(next);
        Ended ended{
            .how = How::gave_up,
            .is_blocked = said.word == Word::throttled,
            .is_certificate_refused = said.is_certificate_refused,
            .was_found = was_found,
            .retry_after = said.wait,
            .detail = said.detail,
            .word = said.word,
        };
        return write(std::move(next), std::move(ended), said);
    }

    // Nobody has to look at it any more.
    static void free(Documento& next)
    {
        next.conciliar_em = std::nullopt;
        next.conciliacoes = 0;
        // A number that was taken by sending it is taken all the same.
        if (is_unused(next.estado) && !next.reservado_em) {
            next.reservado_em = next.created_at;
            next.prazo_inutilizacao = to_text(void_deadline(next.created_at));
        }
    }

    Ended stay_open(const NextStep& step, const Said& said)
    {
        Documento next = next_row(step, said);
        if (next.estado == Estado::transmitido) next.estado = Estado::indeterminado;
        if (concern_) next.alerta = describe(*concern_);
        // It was too early to ask: that is no question that was answered in vain.
        const bool was_asked = said.exchanges > 0 || said.word != Word::unknown || !said.wait;
        if (was_asked) {
            put_off(next, said.wait);
        } else {
            next.conciliar_em = course_.now() + *said.wait;
        }
        Ended ended{
            .how = How::open,
            .is_certificate_refused = said.is_certificate_refused,
            .retry_after = *next.conciliar_em - course_.now(),
            .detail = said.detail.empty() ? std::string{to_text(said.word)} : said.detail,
        };
        // Asking again cannot change what is there; a person can.
        if (step.concern == Concern::not_ours) next.conciliar_em = std::nullopt;
        return write(std::move(next), std::move(ended), said);
    }

    void put_off(Documento& next, std::optional<Duration> wish) const
    {
        ++next.conciliacoes;
        const Duration own = reconcile_delay(course_.settings(), next.conciliacoes);
        next.conciliar_em = course_.now() + std::max(own, wish.value_or(Duration{0}));
    }

    Documento next_row(const NextStep& step, const Said& said) const
    {
        Documento next = learnt(*course_.row(), said, step.to);
        next.enviado_ate = course_.sent_until();
        if (step.concern) next.alerta = describe(*step.concern);
        if (said.word == Word::authorised && step.to == Estado::autorizado) {
            if (!said.protocolo.empty()) next.protocolo = shown(said.protocolo);
            if (!said.xml.empty()) next.autorizado_sha256 = to_hex(sha256(said.xml));
            if (!next.autorizado_em) next.autorizado_em = course_.now();
        }
        if (is_cancellation(said.word)) {
            if (!said.protocolo.empty()) next.protocolo_cancelamento = shown(said.protocolo);
            if (!said.xml.empty()) next.evento_sha256 = to_hex(sha256(said.xml));
            next.cancelado_em = course_.now();
        }
        if (said.word == Word::voided) {
            if (!said.protocolo.empty()) next.protocolo = shown(said.protocolo);
            if (!said.xml.empty()) next.evento_sha256 = to_hex(sha256(said.xml));
        }
        if (plan_.amend) plan_.amend(next);
        return next;
    }

    Ended write(Documento next, Ended ended, const Said& said = {}, const Course::More& more = {})
    {
        const bool keeps =
            !said.xml.empty() && (said.word == Word::authorised || said.word == Word::voided ||
                                  is_cancellation(said.word));
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
    Estado before_;
    std::optional<LastSaid> last_;    // to what was sent last, now or before
    std::optional<Concern> concern_;  // the last one; a doubt is told with it
    std::uint32_t sent_ = 0;
    std::uint32_t asked_ = 0;
    std::uint32_t turns_ = 0;  // of the guard, that were waited for
};

}  // namespace

Ended drive(Course& course, const Plan& plan)
{
    return Driver{course, plan}.run();
}

Ended verify(Course& course, const Plan& plan)
{
    return Driver{course, plan}.verify();
}

}  // namespace umavez::fiscal
