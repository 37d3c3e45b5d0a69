#include "modules/fiscal/sefaz/conversation.hpp"

#include "modules/fiscal/sefaz/messages.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"
#include "modules/fiscal/sefaz/pista.hpp"

#include <algorithm>
#include <utility>

namespace umavez::fiscal::sefaz {
namespace {

ExchangeTerms terms_of(const SefazOptions& options)
{
    return {
        .ca_file = options.ca_file,
        .ca_setting = "ca_file of [[fiscal.sefaz]]",
        .connect_timeout = options.connect_timeout,
        .answer_bytes_max = soap_bytes_max,
    };
}

Said not_yet(Duration wait, std::string why)
{
    return {.word = Word::unknown, .wait = wait, .detail = std::move(why)};
}

// The words after which there is nothing more to ask.
bool is_end(Word word) noexcept
{
    switch (word) {
        case Word::authorised:
        case Word::cancelled:
        case Word::substituted:
        case Word::denied:
        case Word::refused: return true;
        case Word::under_analysis:
        case Word::voided:
        case Word::exists:
        case Word::absent:
        case Word::later:
        case Word::throttled:
        case Word::unreached:
        case Word::unknown: break;
    }
    return false;
}

}  // namespace

SefazAuthority::Conversation::Conversation(
    const SefazAuthority& authority,
    std::string_view emitente,
    Duration limit,
    const std::stop_token& stop
)
    : authority_(authority),
      limit_(limit),
      exchange_(
          *authority.certificates_, authority.clock_, terms_of(authority.options_), emitente, stop
      )
{
}

Said SefazAuthority::Conversation::ask(
    const EndpointKey& where, std::string_view message, const Exchange::Read& read
)
{
    const Endpoints& endpoints = authority_.options_.endpoints;
    const auto endpoint = endpoints.find(where);
    return exchange_.ask(
        {
            .what = std::string{to_text(where.service)},
            .url = endpoint == endpoints.end() ? "" : endpoint->second,
            .headers = {{"Content-Type", content_type_of(where.service)}},
            .body = make_envelope(where.service, message),
        },
        limit_,
        read
    );
}

Said SefazAuthority::Conversation::consult(const Subject& subject)
{
    const std::string& chave = subject.chave.empty() ? subject.id_autoridade : subject.chave;
    const std::string dig_val = find_dig_val(subject.xml).value_or("");
    const Sent sent{
        .chave = chave,
        .ambiente = subject.ambiente,
        .nfe = subject.xml,
        .dig_val = dig_val,
        .receipt_pause = authority_.options_.receipt_pause,
    };
    const Pista pista = parse_pista(subject.pista);
    if (pista.recibo.empty()) return ask_by_key(subject, sent, pista.outra_chave);
    if (now() < pista.recibo_from) {
        Said early = not_yet(pista.recibo_from - now(), "it is too early to ask its receipt");
        early.pista = subject.pista;
        return early;
    }
    auto [said, is_usable] = ask_receipt(subject, sent, pista.recibo);
    // A certificate that is refused would be so by every call.
    if (is_end(said.word) || said.is_certificate_refused) return std::move(said);
    const Pista learnt = parse_pista(said.pista);
    if (learnt.recibo.empty()) return ask_by_key(subject, sent, learnt.outra_chave);
    if (is_usable) return std::move(said);
    return ask_beside(subject, sent, std::move(said));
}

// Its service may never answer again: the key may tell all the same. Only that it is absent is not believed,
// since it may be in the queue that the receipt is of.
Said SefazAuthority::Conversation::ask_beside(
    const Subject& subject, const Sent& sent, Said receipt
)
{
    Said said = ask_by_key(subject, sent, "");
    if (said.word == Word::absent) {
        std::string why = receipt.detail + "; by its key it is absent, which is not believed";
        return unknown(std::move(receipt), std::move(why));
    }
    if (is_end(said.word) || !said.pista.empty()) return said;
    said.pista = std::move(receipt.pista);
    said.wait = std::max(said.wait, receipt.wait);
    return said;
}

// `known`: another key, under which the number is said to be in use; or empty.
Said SefazAuthority::Conversation::ask_by_key(
    const Subject& subject, const Sent& sent, const std::string& known
)
{
    if (!known.empty()) {
        Said said = ask_other(subject, sent, known);
        if (said.word != Word::absent) return said;
    }
    auto [said, outra_chave] = ask_key(subject, sent);
    if (said.word != Word::exists) return std::move(said);
    if (outra_chave.empty()) {
        return unknown(
            std::move(said), "the number is in use under another key, which is not told"
        );
    }
    Said other = ask_other(subject, sent, outra_chave);
    if (other.word != Word::absent) return other;
    return unknown(std::move(said), "the number is in use under another key, which is not there");
}

Recibo SefazAuthority::Conversation::ask_receipt(
    const Subject& subject, const Sent& sent, std::string_view recibo
)
{
    const auto chave = AccessKey::parse(subject.id_autoridade);
    if (!chave) return {unreached("the document has no access key")};
    const EndpointKey where{
        lugar_of(*chave), chave->tipo(), subject.ambiente, Service::ret_autorizacao
    };
    if (!authority_.options_.endpoints.contains(where)) return {};  // not any more: by its key
    bool is_usable = false;
    Said said = ask(where, make_cons_reci(subject.ambiente, recibo), [&](const HttpAnswer& answer) {
        Recibo read = read_receipt(answer, recibo, sent, now());
        is_usable = read.is_usable;
        return std::move(read.said);
    });
    if (said.http_status == 0) {  // no answer
        said.wait = sent.receipt_pause;
        said.pista =
            to_text(Pista{.recibo = std::string{recibo}, .recibo_from = now() + sent.receipt_pause}
            );
    }
    return {std::move(said), is_usable};
}

Situacao SefazAuthority::Conversation::ask_key(const Subject& subject, const Sent& sent)
{
    const auto chave = AccessKey::parse(sent.chave);
    if (!chave) return {unreached("the document has no access key")};
    std::string outra_chave;
    Said said =
        ask({lugar_of(*chave), chave->tipo(), subject.ambiente, Service::consulta_protocolo},
            make_cons_sit(subject.ambiente, sent.chave),
            [&](const HttpAnswer& answer) {
                Situacao found = read_situacao(answer, sent);
                outra_chave = std::move(found.outra_chave);
                return std::move(found.said);
            });
    return {std::move(said), std::move(outra_chave)};
}

// What became of the other document of the number. A digest covers the key: what is there is ours only if
// the authority holds our digest all the same. Absent is the other one, not ours.
Said SefazAuthority::Conversation::ask_other(
    const Subject& subject, const Sent& sent, const std::string& outra_chave
)
{
    const Sent other{
        .chave = outra_chave,
        .ambiente = sent.ambiente,
        .nfe = {},  // not its document
        .dig_val = sent.dig_val,
    };
    Said said = ask_key(subject, other).said;
    if (is_end(said.word)) {
        said.is_ours = said.is_ours.value_or(false);
        return said;
    }
    if (said.word == Word::exists) said.word = Word::unknown;  // a third key: nobody can say
    said.pista = to_text(Pista{.outra_chave = outra_chave});
    return said;
}

}  // namespace umavez::fiscal::sefaz
