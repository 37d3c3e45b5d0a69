#include "modules/fiscal/sao_paulo/sao_paulo_authority.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/exchange/exchange.hpp"
#include "modules/fiscal/sao_paulo/answers.hpp"
#include "modules/fiscal/sao_paulo/comparison.hpp"
#include "modules/fiscal/sao_paulo/pedido_envio.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::sao_paulo {
namespace {

ExchangeTerms terms_of(const SaoPauloOptions& options)
{
    return {
        .ca_file = options.ca_file,
        .ca_setting = "fiscal.sao_paulo.ca_file",
        .connect_timeout = options.connect_timeout,
        .answer_bytes_max = soap_bytes_max,
    };
}

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

Result<SpRpsKey> key_of(const Subject& subject)
{
    const auto key = SpRpsKey::parse(subject.id_autoridade);
    if (!key) return refuse(fmt::format("{} names no RPS", shown(subject.id_autoridade)));
    return *key;
}

Result<ChaveNfe> chave_of(const Subject& subject)
{
    const auto chave = ChaveNfe::parse(subject.chave);
    if (!chave) return refuse(fmt::format("{} is no key of an NFS-e", shown(subject.chave)));
    return *chave;
}

// A question before an emission, into the answer of that emission: none, so far.
Said held_back(Said asked)
{
    const bool is_found = asked.word == Word::authorised || asked.word == Word::cancelled ||
                          asked.word == Word::substituted;
    Said said{
        .word = is_found                        ? Word::exists
                : asked.word == Word::throttled ? Word::throttled
                                                : Word::unreached,
        .wait = asked.wait,
        .detail = "not sent, after asking first: " +
                  (is_found ? "there is the note " + asked.chave : asked.detail),
        .http_status = asked.http_status,
        .is_certificate_refused = asked.is_certificate_refused,
    };
    return said;
}

}  // namespace

// The exchanges about one document, with one certificate, each within the limit.
class SaoPauloAuthority::Conversation {
public:
    Conversation(
        const SaoPauloAuthority& authority,
        const Subject& subject,
        Duration limit,
        const std::stop_token& stop
    )
        : authority_(authority),
          subject_(subject),
          limit_(limit),
          exchange_(
              *authority.certificates_,
              authority.clock_,
              terms_of(authority.options_),
              subject.emitente,
              stop
          )
    {
    }

    Said say(Method method, const std::string& message, const Exchange::Read& read)
    {
        return exchange_.ask(
            {
                .what = std::string{to_text(method)},
                .url = authority_.address_of(subject_.ambiente),
                .headers = {{"Content-Type", content_type_of(method)}},
                .body = make_envelope(method, authority_.layout_of(message), message),
            },
            limit_,
            read
        );
    }

    Said ask(const SpRpsKey& key)
    {
        if (!exchange_.certificate()) return exchange_.missing();
        const auto message = make_pedido_consulta(
            authority_.layout_of(subject_.xml), subject_.emitente, key, signer()
        );
        if (!message) return unreached(message.error().detail);
        Asked asked{.key = key, .sent = subject_.xml};
        if (const auto chave = ChaveNfe::parse(subject_.chave)) asked.chave = *chave;
        return say(Method::consulta_nfe, *message, [&](const HttpAnswer& answer) {
            return read_consult(answer, asked);
        });
    }

    Said emit(const SpRpsKey& key)
    {
        if (subject_.was_sent || authority_.options_.asks_always) {
            // Whoever waits for the emission counts on nothing being under way after the limit.
            const Duration whole = limit_;
            const Duration began = authority_.clock_.boottime();
            limit_ = whole / 2;
            Said asked = ask(key);
            if (asked.word != Word::absent) return held_back(std::move(asked));
            const Duration took = authority_.clock_.boottime() - began;
            limit_ = whole - took;
        }
        return say(Method::envio_rps, subject_.xml, [&](const HttpAnswer& answer) {
            return read_emission(answer, key);
        });
    }

    Said end(Said said) const { return exchange_.end(std::move(said)); }

private:
    xml::SigningKey signer() const
    {
        const auto& certificate = exchange_.certificate();
        return {certificate->certificate_pem(), certificate->key_pem()};
    }

    const SaoPauloAuthority& authority_;
    const Subject& subject_;
    Duration limit_;  // of the next exchange
    Exchange exchange_;
};

SaoPauloAuthority::SaoPauloAuthority(
    SaoPauloOptions options, std::shared_ptr<const CertificateBook> certificates, const Clock& clock
)
    : options_(std::move(options)), certificates_(std::move(certificates)), clock_(clock)
{
}

const std::string& SaoPauloAuthority::address_of(Ambiente ambiente) const noexcept
{
    return ambiente == Ambiente::producao ? options_.producao : options_.homologacao;
}

SpLayout SaoPauloAuthority::layout_of(const std::string& message) const
{
    return find_layout(message).value_or(options_.layout);
}

Result<void> SaoPauloAuthority::check(const Subject& subject) const
{
    if (address_of(subject.ambiente).empty()) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "fiscal.sao_paulo.{}: give the address of the city's service, or of a simulator",
                fiscal::to_text(subject.ambiente)
            )
        );
    }
    const auto certificate = certificates_->find(subject.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    return {};
}

Said SaoPauloAuthority::emit(const Subject& subject, Duration limit, const std::stop_token& stop)
    const
{
    const auto key = key_of(subject);
    if (!key) return unreached(key.error().detail);
    Conversation conversation{*this, subject, limit, stop};
    Said said = conversation.emit(*key);
    return conversation.end(std::move(said));
}

Said SaoPauloAuthority::consult(const Subject& subject, Duration limit, const std::stop_token& stop)
    const
{
    const auto key = key_of(subject);
    if (!key) return unreached(key.error().detail);
    Conversation conversation{*this, subject, limit, stop};
    Said said = conversation.ask(*key);
    return conversation.end(std::move(said));
}

std::optional<bool> SaoPauloAuthority::is_made_of(const std::string& given, const std::string& sent)
    const
{
    const auto note = xml::Document::parse(given, {.bytes_max = soap_bytes_max});
    if (!note || note->root().name() != "NFe") return std::nullopt;
    return is_made_of_rps(note->root(), sent);
}

Result<std::string> SaoPauloAuthority::make_cancellation(
    const Subject& subject, const std::string& /*justificativa*/, Instant /*now*/
) const
{
    const auto chave = chave_of(subject);
    if (!chave) return std::unexpected(chave.error());
    const auto certificate = certificates_->find(subject.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    return make_pedido_cancelamento(
        layout_of(subject.xml),
        subject.emitente,
        *chave,
        {(*certificate)->certificate_pem(), (*certificate)->key_pem()},
        options_.im_width
    );
}

Said SaoPauloAuthority::cancel(
    const Subject& subject,
    const Cancelamento& cancelamento,
    Duration limit,
    const std::stop_token& stop
) const
{
    const auto chave = chave_of(subject);
    if (!chave) return unreached(chave.error().detail);
    Conversation conversation{*this, subject, limit, stop};
    Said said = conversation.say(
        Method::cancelamento_nfe,
        cancelamento.pedido,
        [&](const HttpAnswer& answer) { return read_cancellation(answer, *chave); }
    );
    return conversation.end(std::move(said));
}

}  // namespace umavez::fiscal::sao_paulo
