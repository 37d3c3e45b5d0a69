#include "modules/fiscal/sefaz/sefaz_authority.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/sefaz/conversation.hpp"
#include "modules/fiscal/sefaz/embedding.hpp"
#include "modules/fiscal/sefaz/messages.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "modules/fiscal/sefaz/pedido_evento.hpp"
#include "modules/fiscal/sefaz/pedido_inutilizacao.hpp"
#include "modules/fiscal/sefaz/protocol.hpp"
#include "xml/document.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

EndpointKey endpoint_of(const AccessKey& chave, Ambiente ambiente, Service service)
{
    return {lugar_of(chave), chave.tipo(), ambiente, service};
}

EndpointKey endpoint_of(const Inutilizacao& asked)
{
    return {asked.uf, asked.tipo, asked.ambiente, Service::inutilizacao};
}

std::int64_t numero_of(const AccessKey& chave)
{
    return chave.fields().natural.numero;
}

Said no_key(std::string_view text)
{
    return unreached(fmt::format("{} is no access key", shown(text)));
}

}  // namespace

SefazAuthority::SefazAuthority(
    SefazOptions options, std::shared_ptr<const CertificateBook> certificates, const Clock& clock
)
    : options_(std::move(options)), certificates_(std::move(certificates)), clock_(clock)
{
}

Result<void> SefazAuthority::check_endpoint(const EndpointKey& where) const
{
    if (options_.endpoints.contains(where)) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "[[fiscal.sefaz]] {}: give the address of {} for {} in {}, {}",
            setting_of(where.service),
            to_text(where.service),
            to_text(where.tipo),
            where.lugar,
            to_text(where.ambiente)
        )
    );
}

Result<void> SefazAuthority::check(const Subject& subject) const
{
    const auto chave = AccessKey::parse(subject.id_autoridade);
    if (!chave) {
        return fail(
            Errc::invalid_argument, fmt::format("the access key {}", describe(chave.error()).en)
        );
    }
    // What cannot be asked about must not be sent.
    for (const Service service : {Service::autorizacao, Service::consulta_protocolo}) {
        const EndpointKey where = endpoint_of(*chave, subject.ambiente, service);
        if (auto checked = check_endpoint(where); !checked) return checked;
    }
    const auto certificate = certificates_->find(subject.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    return {};
}

Said SefazAuthority::emit(const Subject& subject, Duration limit, const std::stop_token& stop) const
{
    // Once more, although it was read before it was kept: what does not fit its key must not leave.
    const auto nfe = read_nfe(subject.xml);
    if (!nfe) return unreached(nfe.error().detail);
    if (nfe->chave.text() != subject.id_autoridade || nfe->ambiente != subject.ambiente) {
        return unreached("the document is not the one that it is kept as");
    }
    const Sent sent{
        .chave = nfe->chave.text(),
        .ambiente = subject.ambiente,
        .nfe = subject.xml,
        .dig_val = nfe->dig_val,
        .receipt_pause = options_.receipt_pause,
    };
    Conversation conversation{*this, subject.emitente, limit, stop};
    Said said = conversation.ask(
        endpoint_of(nfe->chave, subject.ambiente, Service::autorizacao),
        make_envi_nfe(subject.xml, nfe->numero),
        [&](const HttpAnswer& answer) { return read_emission(answer, sent, conversation.now()); }
    );
    return conversation.end(std::move(said));
}

Said SefazAuthority::consult(const Subject& subject, Duration limit, const std::stop_token& stop)
    const
{
    Conversation conversation{*this, subject.emitente, limit, stop};
    Said said = conversation.consult(subject);
    return conversation.end(std::move(said));
}

std::optional<bool> SefazAuthority::is_made_of(const std::string& given, const std::string& sent)
    const
{
    const auto protocol = xml::Document::parse(given);
    const auto digest = find_dig_val(sent);
    if (!protocol || !digest) return std::nullopt;
    return is_ours(protocol->root(), {.dig_val = *digest});
}

Result<std::string> SefazAuthority::sign_event(
    const Subject& subject,
    const std::string& justificativa,
    const std::string& chave_substituta,
    Instant now
) const
{
    if (const auto chave = AccessKey::parse(subject.chave)) {
        const auto where = endpoint_of(*chave, subject.ambiente, Service::recepcao_evento);
        if (auto checked = check_endpoint(where); !checked) {
            return std::unexpected(checked.error());
        }
    }
    const auto certificate = certificates_->find(subject.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    return make_pedido_evento(
        {
            .ambiente = subject.ambiente,
            .emitente = subject.emitente,
            .chave = subject.chave,
            .protocolo = subject.protocolo,
            .justificativa = justificativa,
            .chave_substituta = chave_substituta,
            .now = now,
        },
        {(*certificate)->certificate_pem(), (*certificate)->key_pem()}
    );
}

Result<std::string> SefazAuthority::make_cancellation(
    const Subject& subject, const std::string& justificativa, Instant now
) const
{
    return sign_event(subject, justificativa, "", now);
}

Result<std::string> SefazAuthority::make_substitution(
    const Subject& subject,
    const std::string& justificativa,
    const std::string& chave_substituta,
    Instant now
) const
{
    if (chave_substituta.empty()) {
        return fail(Errc::invalid_argument, "give the key of the NFC-e that took its place");
    }
    return sign_event(subject, justificativa, chave_substituta, now);
}

Said SefazAuthority::cancel(
    const Subject& subject,
    const Cancelamento& cancelamento,
    Duration limit,
    const std::stop_token& stop
) const
{
    const auto chave = AccessKey::parse(subject.chave);
    if (!chave) return no_key(subject.chave);
    const auto tp_evento = find_tp_evento(cancelamento.pedido);
    if (!tp_evento) return unreached("the request that was kept is no event");
    const EventSent sent{
        .chave = subject.chave,
        .ambiente = subject.ambiente,
        .tp_evento = *tp_evento,
        .evento = cancelamento.pedido,
    };
    Conversation conversation{*this, subject.emitente, limit, stop};
    Said said = conversation.ask(
        endpoint_of(*chave, subject.ambiente, Service::recepcao_evento),
        make_env_evento(cancelamento.pedido, numero_of(*chave)),
        [&](const HttpAnswer& answer) { return read_event(answer, sent); }
    );
    return conversation.end(std::move(said));
}

Result<std::string> SefazAuthority::make_voiding(const Inutilizacao& inutilizacao) const
{
    const auto certificate = certificates_->find(inutilizacao.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    auto pedido = make_pedido_inutilizacao(
        inutilizacao, {(*certificate)->certificate_pem(), (*certificate)->key_pem()}
    );
    if (!pedido) return pedido;
    if (auto checked = check_endpoint(endpoint_of(inutilizacao)); !checked) {
        return std::unexpected(checked.error());
    }
    return pedido;
}

Said SefazAuthority::void_numbers(
    const Inutilizacao& inutilizacao,
    const std::string& pedido,
    Duration limit,
    const std::stop_token& stop
) const
{
    Conversation conversation{*this, inutilizacao.emitente, limit, stop};
    Said said = conversation.ask(
        endpoint_of(inutilizacao),
        root_text(pedido),
        [&](const HttpAnswer& answer) { return read_voiding(answer, pedido); }
    );
    return conversation.end(std::move(said));
}

ServiceStatus SefazAuthority::status(
    const StatusQuestion& question, Duration limit, const std::stop_token& stop
) const
{
    bool is_running = false;
    Conversation conversation{*this, question.emitente, limit, stop};
    Said said = conversation.ask(
        {question.lugar, question.tipo, question.ambiente, Service::status_servico},
        make_cons_stat(question.ambiente, question.uf),
        [&](const HttpAnswer& answer) {
            ServiceStatus status = read_status(answer, question.ambiente);
            is_running = status.is_running;
            return std::move(status.said);
        }
    );
    return {.is_running = is_running, .said = conversation.end(std::move(said))};
}

}  // namespace umavez::fiscal::sefaz
