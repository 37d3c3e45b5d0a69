#pragma once

// TlsWatch: who does not take whose certificate, heard where TLS reads and writes. The library that makes the
// calls tells no more than a text, and where writing the request failed first not even that.
//
// In TLS 1.2 a server judges inside of the handshake, and nothing was sent yet. In TLS 1.3 our side of it is
// over when the server sees our certificate, and the request goes out right behind. Still a server may take
// no data before it has taken certificate and Finished (RFC 8446, 4.4.4), and we send none early. So an alert
// about the certificate proves that the request was never read, if the certificate was asked for in the
// handshake and the alert is the first that we hear after it. A session ticket would say that the handshake
// ended well (4.6.1); a request for a certificate that comes later (post-handshake authentication, or the
// renegotiation of TLS 1.2), that the server knew already what we want of it.
//
// Confined to its thread.

#include <openssl/ssl.h>

#include <span>
#include <string_view>

namespace umavez::outbound {

class TlsWatch {
public:
    TlsWatch() = default;
    TlsWatch(const TlsWatch&) = delete;
    TlsWatch& operator=(const TlsWatch&) = delete;

    // Connections made of it tell us what they read. The watch outlives them.
    void follow(SSL_CTX& context);

    // Our side of the handshake is over.
    void on_connected() noexcept { is_connected_ = true; }

    // A part of what was read or written; version and kind are OpenSSL's.
    using Bytes = std::span<const unsigned char>;
    void on_read(int version, int kind, Bytes bytes) noexcept;
    void on_written(int kind, Bytes bytes) noexcept;

    // We do not take theirs.
    bool is_refusing() const noexcept { return is_refusing_; }

    // They do not take ours, or want one and we have none.
    bool is_refused() const noexcept { return alert_ >= 0; }

    // It is refused, and whatever was sent after the handshake was not read.
    bool is_refused_unread() const noexcept { return is_refused() && is_unread_; }

    // The alert in words: "unknown CA".
    std::string_view why() const;

private:
    bool is_connected_ = false;
    bool is_refusing_ = false;
    bool is_asked_ = false;    // for a certificate
    bool has_spoken_ = false;  // since we are connected
    bool is_unread_ = false;   // as of the alert
    int alert_ = -1;           // that refuses
};

}  // namespace umavez::outbound
