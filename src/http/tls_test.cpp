// The server under TLS: the same answers, certificates that change, and clients that never shake
// hands.

#include "http/raw_client.hpp"
#include "http/server.hpp"
#include "http/test_certificate.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace umavez::http {
namespace {

using testing::HasSubstr;

// A folder that goes away with the test.
class Folder {
public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "umavez-tls-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string file(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

// Blocking, with RawClient's deadline underneath. Confined to its thread.
class TlsClient {
public:
    explicit TlsClient(std::uint16_t port, int version_max = TLS1_3_VERSION) : raw_(port)
    {
        context_ = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_max_proto_version(context_, version_max);
        SSL_CTX_set_cipher_list(context_, "DEFAULT:@SECLEVEL=0");
        ssl_ = SSL_new(context_);
        SSL_set_fd(ssl_, raw_.handle());
        static constexpr unsigned char offer[] = "\x02h2\x08http/1.1";
        SSL_set_alpn_protos(ssl_, offer, sizeof offer - 1);
        int done = 0;
        do {
            done = SSL_connect(ssl_);
        } while (is_interrupted(done));
        is_connected_ = done == 1;
    }
    ~TlsClient()
    {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

    bool is_connected() const noexcept { return is_connected_; }

    std::string server_name() const
    {
        X509* const cert = SSL_get1_peer_certificate(ssl_);
        char name[64] = {};
        X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, sizeof name);
        X509_free(cert);
        return name;
    }

    std::string protocol() const
    {
        const unsigned char* chosen = nullptr;
        unsigned bytes = 0;
        SSL_get0_alpn_selected(ssl_, &chosen, &bytes);
        return {reinterpret_cast<const char*>(chosen), bytes};
    }

    void send(const std::string& bytes)
    {
        while (is_interrupted(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())))) {
        }
    }

    // Until the body "end" has come.
    std::string read_answer()
    {
        std::string answer;
        while (!answer.ends_with("end") && read_some(answer)) {
        }
        return answer;
    }

    // Everything; empty if the end was not announced.
    std::string read_all()
    {
        std::string answer;
        while (read_some(answer)) {
        }
        return (SSL_get_shutdown(ssl_) & SSL_RECEIVED_SHUTDOWN) != 0 ? answer : "";
    }

private:
    // The process was stopped, and goes on: a socket with a deadline tells so.
    bool is_interrupted(int done) const
    {
        const int reason = SSL_get_error(ssl_, done);
        const bool may_go_on = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
        return may_go_on && errno == EINTR;
    }

    bool read_some(std::string& out)
    {
        char bytes[16 * 1024];
        int got = 0;
        do {
            got = SSL_read(ssl_, bytes, sizeof bytes);
        } while (is_interrupted(got));
        if (got <= 0 && SSL_get_error(ssl_, got) == SSL_ERROR_WANT_READ) {
            throw test::WaitNotMet{test::not_met("the server answers")};
        }
        if (got > 0) out.append(bytes, static_cast<std::size_t>(got));
        return got > 0;
    }

    RawClient raw_;
    SSL_CTX* context_ = nullptr;
    SSL* ssl_ = nullptr;
    bool is_connected_ = false;
};

const std::string get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string get_and_close = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

class TlsTest : public testing::Test {
protected:
    TlsTest() { write_certificate(files_, "first"); }

    void serve(ServerOptions options = {})
    {
        options.port = 0;
        options.tls = files_;
        auto handler = [](Request request) -> Task<Response> {
            co_return text_response(200, request.body + " end");
        };
        auto made = Server::listen(options, handler, nullptr);
        ASSERT_TRUE(made) << made.error().detail;
        server_ = std::move(*made);
        server_->start();
    }

    std::string listen_error()
    {
        auto handler = [](Request) -> Task<Response> { co_return Response{}; };
        const auto made = Server::listen({.port = 0, .tls = files_}, handler, nullptr);
        return made ? "" : made.error().detail;
    }

    Folder folder_;
    TlsFiles files_{folder_.file("cert.pem"), folder_.file("key.pem")};
    std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, AnswersKeepsTheConnectionAndAnnouncesItsEnd)
{
    serve();
    TlsClient client{server_->port()};
    ASSERT_TRUE(client.is_connected());

    EXPECT_EQ(client.protocol(), "http/1.1");
    const std::string body(100'000, 'b');
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + body);
    EXPECT_EQ(body_of(client.read_answer()), body + " end");
    client.send(get_and_close);
    EXPECT_EQ(body_of(client.read_all()), " end");
}

TEST_F(TlsTest, ARefusalReachesTheClient)
{
    serve();
    TlsClient client{server_->port()};

    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\nmore");

    EXPECT_EQ(status_of(client.read_all()), 413);
}

TEST_F(TlsTest, OldVersionsAreRefused)
{
    serve();

    EXPECT_FALSE((TlsClient{server_->port(), TLS1_1_VERSION}.is_connected()));
    EXPECT_TRUE((TlsClient{server_->port(), TLS1_2_VERSION}.is_connected()));
}

TEST_F(TlsTest, WhoeverDoesNotShakeHandsIsCut)
{
    serve({.head_limit = std::chrono::milliseconds{50}});
    RawClient silent{server_->port()};
    RawClient plain{server_->port()};
    plain.send(get);

    EXPECT_EQ(silent.read_all(), "");
    EXPECT_EQ(status_of(plain.read_all()), 0);
}

TEST_F(TlsTest, ANewCertificateIsForConnectionsToCome)
{
    serve();
    TlsClient before{server_->port()};
    write_certificate(files_, "second");
    ASSERT_TRUE(server_->reload_tls());
    TlsClient after{server_->port()};

    EXPECT_EQ(before.server_name(), "first");
    EXPECT_EQ(after.server_name(), "second");
    before.send(get);
    EXPECT_EQ(status_of(before.read_answer()), 200);
}

TEST_F(TlsTest, ABadNewCertificateKeepsTheOldOne)
{
    serve();
    std::ofstream{files_.cert} << "nonsense";

    const auto reloaded = server_->reload_tls();

    ASSERT_FALSE(reloaded);
    EXPECT_THAT(reloaded.error().detail, HasSubstr("it is not a PEM certificate"));
    TlsClient client{server_->port()};
    EXPECT_EQ(client.server_name(), "first");
}

TEST_F(TlsTest, WhatCannotBeUsedIsRefusedWithItsName)
{
    const TlsFiles other{folder_.file("other.pem"), folder_.file("other.key")};
    write_certificate(other, "other");
    std::filesystem::rename(other.key, files_.key);
    EXPECT_THAT(listen_error(), HasSubstr("tls.key: "));
    EXPECT_THAT(listen_error(), HasSubstr("it is not the key of the certificate"));

    write_certificate(files_, "protected", "pass");
    EXPECT_THAT(listen_error(), HasSubstr("it has a passphrase"));

    std::ofstream{files_.key} << "nonsense";
    EXPECT_THAT(listen_error(), HasSubstr("it is not a PEM private key"));

    std::filesystem::remove(files_.cert);
    EXPECT_THAT(listen_error(), HasSubstr("tls.cert: "));
    EXPECT_THAT(listen_error(), HasSubstr("cannot be read: No such file"));
}

TEST_F(TlsTest, StopEndsIdleConnections)
{
    serve();
    TlsClient client{server_->port()};
    client.send(get);
    client.read_answer();

    EXPECT_EQ(server_->stop(test::wait_limit()), 0u);
}

}  // namespace
}  // namespace umavez::http
