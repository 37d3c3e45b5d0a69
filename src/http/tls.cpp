#include "http/tls.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace umavez::http {
namespace {

namespace ssl = boost::asio::ssl;

std::unexpected<Error> refuse(
    std::string_view setting, const std::string& file, std::string_view why
)
{
    return fail(Errc::misconfigured, fmt::format("{}: {}: {}", setting, shown(file), why));
}

// OpenSSL's own words for a file that is not there are of no help.
Result<void> check_readable(std::string_view setting, const std::string& file)
{
    if (std::filesystem::is_directory(file)) return refuse(setting, file, "it is a directory");
    if (!std::ifstream{file}) {
        const int reason = errno;
        return refuse(setting, file, fmt::format("cannot be read: {}", std::strerror(reason)));
    }
    return {};
}

// HTTP/1.1 where the client offers it, and no answer to its offer otherwise.
int choose_protocol(
    SSL* /*connection*/,
    const unsigned char** out,
    unsigned char* out_bytes,
    const unsigned char* in,
    unsigned int in_bytes,
    void* /*unused*/
)
{
    static constexpr unsigned char ours[] = "\x08http/1.1";
    unsigned char* chosen = nullptr;
    const int result =
        SSL_select_next_proto(&chosen, out_bytes, ours, sizeof ours - 1, in, in_bytes);
    if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

void harden(SSL_CTX* context)
{
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE
    );
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
    // An idle connection keeps no buffers.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
}

}  // namespace

Result<std::shared_ptr<ssl::context>> load_tls(const TlsFiles& files)
{
    if (auto readable = check_readable("tls.cert", files.cert); !readable)
        return std::unexpected(readable.error());
    if (auto readable = check_readable("tls.key", files.key); !readable)
        return std::unexpected(readable.error());

    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    harden(context->native_handle());
    boost::system::error_code error;
    // Without this OpenSSL would ask on the terminal.
    bool is_protected = false;
    context->set_password_callback(
        [&is_protected](std::size_t, ssl::context::password_purpose) {
            is_protected = true;
            return std::string{};
        },
        error
    );
    context->use_certificate_chain_file(files.cert, error);
    if (error) return refuse("tls.cert", files.cert, "it is not a PEM certificate");
    context->use_private_key_file(files.key, ssl::context::pem, error);
    if (is_protected)
        return refuse("tls.key", files.key, "it has a passphrase; store it without one");
    if (error &&
        ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH) {
        return refuse("tls.key", files.key, "it is not the key of the certificate in tls.cert");
    }
    if (error) return refuse("tls.key", files.key, "it is not a PEM private key");
    if (SSL_CTX_check_private_key(context->native_handle()) != 1) {
        return refuse("tls.key", files.key, "it is not the key of the certificate in tls.cert");
    }
    // The callback above speaks of a local variable.
    context->set_password_callback(
        [](std::size_t, ssl::context::password_purpose) { return std::string{}; }, error
    );
    return context;
}

}  // namespace umavez::http
