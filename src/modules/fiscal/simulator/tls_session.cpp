#include "modules/fiscal/simulator/tls_session.hpp"

#include "http/encode.hpp"
#include "http/request_reader.hpp"

#include <openssl/x509.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace umavez::fiscal::simulator {
namespace {

using http::RequestReader;

constexpr http::ReaderLimits reader_limits{
    .head_bytes_max = 16 * 1024, .body_bytes_max = 8 * 1024 * 1024
};

struct FreeSsl {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};
struct FreeCertificate {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};

// ICP-Brasil writes "NOME DA EMPRESA:00574753000100" as the common name.
std::string inscricao_of(SSL& ssl)
{
    const std::unique_ptr<X509, FreeCertificate> certificate{SSL_get1_peer_certificate(&ssl)};
    if (!certificate) return {};
    std::array<char, 256> name{};
    const int length = X509_NAME_get_text_by_NID(
        X509_get_subject_name(certificate.get()),
        NID_commonName,
        name.data(),
        static_cast<int>(name.size())
    );
    if (length <= 0) return {};
    const std::string_view text{name.data(), static_cast<std::size_t>(length)};
    const std::size_t colon = text.rfind(':');
    return colon == std::string_view::npos ? std::string{} : std::string{text.substr(colon + 1)};
}

class Session {
public:
    Session(SSL& ssl, const Serve& serve, const std::stop_token& stop)
        : ssl_(ssl), serve_(serve), stop_(stop), caller_(inscricao_of(ssl)), reader_(reader_limits)
    {
    }

    Farewell run()
    {
        while (!stop_.stop_requested() && read_request()) {
            const http::Request request = reader_.take();
            const Reply reply = serve_(request, caller_, stop_);
            if (reply.ending == Ending::reset) return Farewell::reset;
            if (reply.ending == Ending::cut || !write(reply, request) || !reader_.keeps_alive())
                break;
            if (reply.ending == Ending::truncated) break;
        }
        return Farewell::close;
    }

private:
    // False: there is none any more.
    bool read_request()
    {
        for (;;) {
            const RequestReader::Step step = reader_.next();
            if (std::holds_alternative<RequestReader::Complete>(step)) return true;
            if (const auto* const refusal = std::get_if<http::Refusal>(&step)) {
                write({http::text_response(refusal->status, "")}, reader_.request());
                return false;
            }
            if (std::holds_alternative<RequestReader::SendContinue>(step)) {
                if (!send("HTTP/1.1 100 Continue\r\n\r\n")) return false;
            } else if (std::holds_alternative<RequestReader::NeedBytes>(step)) {
                const std::span<char> space = reader_.prepare();
                std::size_t got = 0;
                if (SSL_read_ex(&ssl_, space.data(), space.size(), &got) != 1) return false;
                reader_.commit(got);
            }
        }
    }

    bool write(const Reply& reply, const http::Request& request)
    {
        const http::Delivery delivery{
            .now = system_clock().realtime(),
            .request_id = {},
            .keep_alive = reader_.keeps_alive() && reply.ending == Ending::whole,
            .is_head = request.method == "HEAD",
        };
        std::string bytes;
        http::append_head(bytes, reply.response, delivery);
        if (http::sends_body(reply.response, delivery)) {
            const std::string_view body = reply.response.body;
            bytes += reply.ending == Ending::truncated ? body.substr(0, body.size() / 2) : body;
        }
        return send(bytes);
    }

    bool send(std::string_view bytes)
    {
        std::size_t sent = 0;
        return SSL_write_ex(&ssl_, bytes.data(), bytes.size(), &sent) == 1;
    }

    SSL& ssl_;
    const Serve& serve_;
    const std::stop_token& stop_;
    const std::string caller_;
    RequestReader reader_;
};

}  // namespace

Farewell serve_connection(
    SSL_CTX& context, int socket, const Serve& serve, const std::stop_token& stop
)
{
    const std::unique_ptr<SSL, FreeSsl> ssl{SSL_new(&context)};
    if (!ssl || SSL_set_fd(ssl.get(), socket) != 1 || SSL_accept(ssl.get()) != 1)
        return Farewell::close;
    return Session{*ssl, serve, stop}.run();
}

}  // namespace umavez::fiscal::simulator
