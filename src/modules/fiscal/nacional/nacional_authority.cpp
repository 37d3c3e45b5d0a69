#include "modules/fiscal/nacional/nacional_authority.hpp"

#include "base/json_object.hpp"
#include "modules/fiscal/exchange/exchange.hpp"
#include "modules/fiscal/ids/nfse_event_id.hpp"
#include "modules/fiscal/nacional/answers.hpp"
#include "modules/fiscal/nacional/dps.hpp"
#include "modules/fiscal/nacional/packing.hpp"
#include "modules/fiscal/nacional/pedido_cancelamento.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::fiscal::nacional {
namespace {

// An NFS-e of the largest DPS, packed, with room.
constexpr std::size_t answer_bytes_max = 8 * 1024 * 1024;

ExchangeTerms terms_of(const NacionalOptions& options)
{
    return {
        .ca_file = options.ca_file,
        .ca_setting = "fiscal.nacional.ca_file",
        .connect_timeout = options.connect_timeout,
        .answer_bytes_max = answer_bytes_max,
    };
}

}  // namespace

// The calls about one document, with one certificate, each within the limit.
class NacionalAuthority::Conversation {
public:
    Conversation(
        const NacionalAuthority& authority,
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

    Said ask(
        const std::string& method,
        const std::string& path,
        std::string body,
        const Exchange::Read& read
    )
    {
        const std::string& base = authority_.base_of(subject_.ambiente);
        Request request{
            .what = method + " " + path,
            .method = method,
            .url = base.empty() ? "" : base + path,
            .headers = {{"Accept", "application/json"}},
            .body = std::move(body),
        };
        if (!request.body.empty()) {
            request.headers.push_back({"Content-Type", "application/json"});
        }
        return exchange_.ask(std::move(request), limit_, read);
    }

    Said end(Said said) const { return exchange_.end(std::move(said)); }

    Said consult()
    {
        if (!subject_.chave.empty()) {
            return follow_events({.word = Word::exists, .chave = subject_.chave});
        }
        std::string chave = subject_.pista;
        if (chave.empty()) {
            Said key = find_key();
            if (key.word != Word::exists) return key;
            if (key.chave.empty()) {
                key.word = Word::unknown;
                key.detail = "there is an NFS-e, but the answer has no key";
                return key;
            }
            chave = std::move(key.chave);
        }
        Said said = find_nfse(chave);
        // A key that leads nowhere is looked up again.
        if (said.http_status == 404) return said;
        if (said.word == Word::exists) said = follow_events(std::move(said));
        if (!is_end(said.word)) {
            said.chave.clear();
            said.pista = std::move(chave);
        }
        return said;
    }

private:
    static bool is_end(Word word) noexcept
    {
        return word != Word::unknown && word != Word::unreached && word != Word::throttled;
    }

    // exists with the key, or without it where our certificate may not be told.
    Said find_key()
    {
        const std::string path = "/dps/" + subject_.id_autoridade;
        const auto read = [this](const HttpAnswer& answer) {
            return read_dps_answer(answer, subject_.id_autoridade);
        };
        Said said = ask("GET", path, "", read);
        if (said.http_status != 401 && said.http_status != 403) return said;
        // The key is for actors of the note; whether there is one, for everybody.
        Said seen = ask("HEAD", path, "", read);
        if (seen.word == Word::absent) return seen;
        const bool is_forbidden = seen.http_status == 401 || seen.http_status == 403;
        said.is_certificate_refused =
            (said.is_certificate_refused && is_forbidden) || seen.is_certificate_refused;
        if (seen.word == Word::exists) {
            said.detail = "there is an NFS-e, but this certificate may not see it: " + said.detail;
        }
        return said;
    }

    Said find_nfse(const std::string& chave)
    {
        Said said = ask("GET", "/nfse/" + chave, "", [&chave](const HttpAnswer& answer) {
            return read_nfse_answer(answer, chave);
        });
        if (said.word != Word::exists) return said;
        if (const auto same = is_same_dps(subject_.xml, said.xml)) {
            said.is_ours = *same;
        } else {
            said.detail = "it cannot be compared with what was sent: " + same.error().detail;
        }
        return said;
    }

    Said find_event(const std::string& chave, std::string_view evento)
    {
        return ask(
            "GET",
            fmt::format("/nfse/{}/eventos/{}/1", chave, evento),
            "",
            [&](const HttpAnswer& answer) { return read_event_answer(answer, chave, evento); }
        );
    }

    // What became of the NFS-e that was found: an event decides. A question that is not answered leaves
    // everything open.
    Said follow_events(Said found)
    {
        for (const auto& [evento, word] :
             {std::pair{evento_cancelamento, Word::cancelled},
              std::pair{evento_substituicao, Word::substituted},
              std::pair{evento_analise_pedida, Word::under_analysis}}) {
            Said event = find_event(found.chave, evento);
            if (event.word == Word::absent) continue;
            if (event.word == Word::exists && word == Word::under_analysis) {
                return follow_analysis(std::move(found), std::move(event));
            }
            if (event.word == Word::exists) event.word = word;
            event.is_ours = found.is_ours;
            return event;
        }
        found.word = Word::authorised;
        return found;
    }

    Said follow_analysis(Said found, Said asked)
    {
        asked.is_ours = found.is_ours;
        Said granted = find_event(found.chave, evento_analise_deferida);
        if (granted.word == Word::exists) {
            granted.word = Word::cancelled;
            granted.is_ours = found.is_ours;
        }
        if (granted.word != Word::absent) return granted;
        Said declined = find_event(found.chave, evento_analise_indeferida);
        if (declined.word == Word::exists) {
            found.word = Word::authorised;
            return found;
        }
        if (declined.word != Word::absent) return declined;
        asked.word = Word::under_analysis;
        return asked;
    }

    const NacionalAuthority& authority_;
    const Subject& subject_;
    const Duration limit_;  // of each call
    Exchange exchange_;
};

NacionalAuthority::NacionalAuthority(
    NacionalOptions options, std::shared_ptr<const CertificateBook> certificates, const Clock& clock
)
    : options_(std::move(options)), certificates_(std::move(certificates)), clock_(clock)
{
}

const std::string& NacionalAuthority::base_of(Ambiente ambiente) const noexcept
{
    return ambiente == Ambiente::producao ? options_.producao : options_.homologacao;
}

Result<void> NacionalAuthority::check(const Subject& subject) const
{
    if (base_of(subject.ambiente).empty()) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "fiscal.nacional.{}: give the address of the authority", to_text(subject.ambiente)
            )
        );
    }
    const auto certificate = certificates_->find(subject.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    return {};
}

Said NacionalAuthority::emit(const Subject& subject, Duration limit, const std::stop_token& stop)
    const
{
    const std::string body = JsonObject{}.text("dpsXmlGZipB64", pack(subject.xml)).str();
    Conversation conversation{*this, subject, limit, stop};
    const auto read = [&subject](const HttpAnswer& answer) {
        return read_emission(answer, subject.id_autoridade);
    };
    Said said = conversation.end(conversation.ask("POST", "/nfse", body, read));
    if (said.word == Word::authorised) {
        if (const auto same = is_same_dps(subject.xml, said.xml)) said.is_ours = *same;
    }
    return said;
}

Said NacionalAuthority::consult(const Subject& subject, Duration limit, const std::stop_token& stop)
    const
{
    Conversation conversation{*this, subject, limit, stop};
    return conversation.end(conversation.consult());
}

std::optional<bool> NacionalAuthority::is_made_of(const std::string& given, const std::string& sent)
    const
{
    const auto same = is_same_dps(sent, given);
    return same ? std::optional{*same} : std::nullopt;
}

Result<std::string> NacionalAuthority::make_cancellation(
    const Subject& subject, const std::string& justificativa, Instant now
) const
{
    const auto certificate = certificates_->find(subject.emitente, clock_.realtime());
    if (!certificate) return std::unexpected(certificate.error());
    return make_pedido_cancelamento(
        {
            .ambiente = subject.ambiente,
            .emitente = subject.emitente,
            .chave = subject.chave,
            .justificativa = justificativa,
            .now = now,
        },
        {(*certificate)->certificate_pem(), (*certificate)->key_pem()}
    );
}

Said NacionalAuthority::cancel(
    const Subject& subject,
    const Cancelamento& cancelamento,
    Duration limit,
    const std::stop_token& stop
) const
{
    const std::string body =
        JsonObject{}.text("pedidoRegistroEventoXmlGZipB64", pack(cancelamento.pedido)).str();
    Conversation conversation{*this, subject, limit, stop};
    const auto read = [&subject](const HttpAnswer& answer) {
        return read_cancellation(answer, subject.chave);
    };
    const std::string path = fmt::format("/nfse/{}/eventos", subject.chave);
    return conversation.end(conversation.ask("POST", path, body, read));
}

}  // namespace umavez::fiscal::nacional
