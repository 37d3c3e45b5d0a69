#pragma once

// SmtpSink: a private SMTP server (smtp_sink.py, which says what it can do) that counts what it takes.
// Failures throw. It ends with the object, and with the thread that made it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace umavez::test {

struct SunkMail {
    std::string message_id;
    std::string to;
    std::string queue_id;
    std::size_t connection = 0;
};

class SmtpSink {
public:
    // `arguments` as in smtp_sink.py, but --make-cert has no value: the folder is folder().
    explicit SmtpSink(std::vector<std::string> arguments = {});
    ~SmtpSink();
    SmtpSink(const SmtpSink&) = delete;
    SmtpSink& operator=(const SmtpSink&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    std::string url() const { return "smtp://127.0.0.1:" + std::to_string(port_); }
    const std::filesystem::path& folder() const noexcept { return folder_; }
    std::string certificate() const { return folder_ / "cert.pem"; }  // of --make-cert

    std::vector<SunkMail> taken() const;
    std::size_t connections() const;
    std::string content_of(const std::string& queue_id) const;

private:
    std::filesystem::path folder_;
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace umavez::test
