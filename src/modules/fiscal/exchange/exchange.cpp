#include "modules/fiscal/exchange/exchange.hpp"

#include "base/headers.hpp"
#include "modules/fiscal/certificates/issuer_certificate.hpp"
#include "outbound/call.hpp"
#include "outbound/retry_after.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umavez::fiscal {
namespace {

Said unanswered(const outbound::CallError& error, std::string_view ca_setting)
{
    using enum outbound::CallFailure;
    Said said{
        .word = error.effect == Effect::none ? Word::unreached : Word::unknown,
        .detail = error.detail,
        .is_certificate_refused = error.failure == certificate_refused,
    };
    if (error.failure == untrusted) {
        said.detail = fmt::format(
            "the certificate of the authority is not believed ({}): see whether {} has its CA",
            error.detail,
            ca_setting
        );
    }
    return said;
}

}  // namespace

Exchange::Exchange(
    const CertificateBook& certificates,
    const Clock& clock,
    ExchangeTerms terms,
    std::string_view emitente,
    const std::stop_token& stop
)
    : certificates_(certificates),
      clock_(clock),
      terms_(std::move(terms)),
      emitente_(emitente),
      stop_(stop)
{
    auto certificate = certificates.find(emitente, clock.realtime());
    if (certificate) {
        certificate_ = *std::move(certificate);
    } else {
        missing_ = certificate.error().detail;
    }
}

Said Exchange::ask(Request request, Duration limit, const Read& read)
{
    if (!certificate_) return missing();
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(limit);
    if (request.url.empty()) return unreached(request.what + " has no address there");
    if (time <= std::chrono::milliseconds{0}) return unreached("it was given no time");
    if (stop_.stop_requested()) return unreached("cut: the sender stops");
    const outbound::Call call{
        .method = std::move(request.method),
        .url = std::move(request.url),
        .headers = std::move(request.headers),
        .body = std::move(request.body),
        .connect_timeout = std::min(terms_.connect_timeout, time),
        .total_timeout = time,
        .body_bytes_max = terms_.answer_bytes_max,
    };
    ++count_;
    const auto reply = outbound::call(
        call, {.allow_private = true, .ca_file = terms_.ca_file, .certificate = certificate_}, stop_
    );
    Said said;
    if (reply) {
        const auto retry = find_lines(reply->headers, "Retry-After");
        said = read({
            .status = reply->status,
            .body = reply->body,
            .retry_after = outbound::parse_retry_after(retry.value, clock_.realtime()),
        });
    } else {
        said = unanswered(reply.error(), terms_.ca_setting);
        // It would be the same for every call.
        if (said.is_certificate_refused) return said;
    }
    if (!said.detail.empty()) said.detail = fmt::format("{}: {}", request.what, said.detail);
    return said;
}

Said Exchange::end(Said said) const
{
    said.exchanges = count_;
    if (!said.is_certificate_refused || !certificate_) return said;
    said.detail = describe_refusal(*certificate_, emitente_, said.detail);
    certificates_.forget(emitente_);
    return said;
}

Said Exchange::missing() const
{
    return {.word = Word::unreached, .detail = missing_, .is_certificate_refused = true};
}

}  // namespace umavez::fiscal
