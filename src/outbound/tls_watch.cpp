#include "outbound/tls_watch.hpp"

#include <algorithm>
#include <array>

namespace umavez::outbound {
namespace {

constexpr std::array refusals = {
    SSL_AD_BAD_CERTIFICATE,
    SSL_AD_UNSUPPORTED_CERTIFICATE,
    SSL_AD_CERTIFICATE_REVOKED,
    SSL_AD_CERTIFICATE_EXPIRED,
    SSL_AD_CERTIFICATE_UNKNOWN,
    SSL_AD_UNKNOWN_CA,
    SSL_AD_ACCESS_DENIED,
    SSL_AD_DECRYPT_ERROR,  // a signature is not of the key that it should be of
    SSL_AD_CERTIFICATE_REQUIRED,
};

bool is_refusal(int alert) noexcept
{
    return std::ranges::find(refusals, alert) != refusals.end();
}

// Which one, of the two bytes of an alert; -1: it is none.
int alert_of(int kind, TlsWatch::Bytes bytes) noexcept
{
    return kind == SSL3_RT_ALERT && bytes.size() == 2 ? bytes[1] : -1;
}

void tell(
    int is_written, int version, int kind, const void* data, std::size_t size, SSL*, void* watch
)
{
    const std::span bytes{static_cast<const unsigned char*>(data), size};
    if (is_written != 0) {
        static_cast<TlsWatch*>(watch)->on_written(kind, bytes);
    } else {
        static_cast<TlsWatch*>(watch)->on_read(version, kind, bytes);
    }
}

}  // namespace

void TlsWatch::follow(SSL_CTX& context)
{
    SSL_CTX_set_msg_callback(&context, tell);
    SSL_CTX_set_msg_callback_arg(&context, this);
}

void TlsWatch::on_read(int version, int kind, Bytes bytes) noexcept
{
    if (bytes.empty()) return;
    // What a record of TLS 1.3 holds is told before the message itself.
    const bool is_record = kind == SSL3_RT_INNER_CONTENT_TYPE;
    if (is_record && is_connected_ && bytes[0] != SSL3_RT_ALERT) has_spoken_ = true;
    if (kind == SSL3_RT_HANDSHAKE && bytes[0] == SSL3_MT_CERTIFICATE_REQUEST) is_asked_ = true;
    const int alert = alert_of(kind, bytes);
    // Ciphers are agreed on before a certificate is asked for: a handshake that fails then is about it.
    if (!is_asked_ || !(is_refusal(alert) || alert == SSL_AD_HANDSHAKE_FAILURE)) return;
    alert_ = alert;
    is_unread_ = !is_connected_ || (version == TLS1_3_VERSION && !has_spoken_);
}

void TlsWatch::on_written(int kind, Bytes bytes) noexcept
{
    if (is_refusal(alert_of(kind, bytes))) is_refusing_ = true;
}

std::string_view TlsWatch::why() const
{
    return is_refused() ? SSL_alert_desc_string_long(alert_) : "";
}

}  // namespace umavez::outbound
