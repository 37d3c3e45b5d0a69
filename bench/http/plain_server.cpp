// The HTTP server with one plain endpoint and nothing behind it: what the server itself costs.
// It answers as the bare Beast peer does: 300 bytes of JSON, the key given back.
//
// Usage: plain_server PORT THREADS; ends with SIGTERM.

#include "http/charge.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

namespace {

using namespace umavez;

Task<http::Response> create_charge(http::Request request)
{
    http::Response response = http::json_response(200, bench::charge());
    if (const auto key = http::find_header(request.headers, "Idempotency-Key")) {
        response.headers.push_back({"Idempotency-Key", std::string{*key}});
    }
    co_return response;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        fmt::print(stderr, "usage: plain_server PORT THREADS\n");
        return 2;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    http::Router router;
    router.add({.method = "POST", .pattern = "/charges", .body = http::Body{}}, create_charge);
    auto server = http::Server::listen(
        {.port = static_cast<std::uint16_t>(std::atoi(argv[1])),
         .threads = static_cast<std::size_t>(std::atoi(argv[2]))},
        [&router](http::Request request) { return router.answer(std::move(request)); },
        nullptr
    );
    if (!server) {
        fmt::print(stderr, "{}\n", server.error().detail);
        return 1;
    }
    (*server)->start();
    int signal = 0;
    ::sigwait(&signals, &signal);
    return 0;
}
