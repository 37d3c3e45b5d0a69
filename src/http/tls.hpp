#pragma once

// The certificate of the server, read from files.

#include "http/server.hpp"

#include <umavez/result.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>

namespace umavez::http {

// TLS 1.2 and later, forward secrecy only. An error names the setting, the file and the reason.
// Contexts are immutable from here on and shared by connections.
Result<std::shared_ptr<boost::asio::ssl::context>> load_tls(const TlsFiles& files);

}  // namespace umavez::http
