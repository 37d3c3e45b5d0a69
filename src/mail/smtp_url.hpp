#pragma once

// Where mail goes, as operators write it. Pure, thread-safe.

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::mail {

enum class StartTls : std::uint8_t {
    offered,  // used where the server offers it
    required,
    never,
};

struct SmtpUrl {
    bool is_tls = false;  // smtps: TLS from the start
    std::string host;
    std::uint16_t port = 25;
    std::string user;
    std::string password;
    std::string greeting;  // what we call ourselves in EHLO; empty: the machine's name
    StartTls starttls = StartTls::offered;
    std::string ca_file;  // who vouches for the server; empty: whom the system trusts
};

// smtp[s]://[USER:PASSWORD@]HOST[:PORT][?starttls=offered|required|never][&ca=FILE][&ehlo=NAME]. All are
// percent-encoded. Where there is a password and no word on STARTTLS, it is required: nobody in between
// should be able to ask for the password by leaving STARTTLS out of the offer.
Result<SmtpUrl> parse_smtp_url(std::string_view url);

}  // namespace umavez::mail
