// Desks that take a wish to another process.

#include "http/client.hpp"
#include "operators/control_socket.hpp"
#include "operators/desk.hpp"

#include <utility>

namespace umavez::operators {
namespace {

// A copy of a large database takes its time; a server that hangs is seen by the user.
constexpr std::chrono::hours patience{24};

class SocketDesk final : public Desk {
public:
    SocketDesk(std::string path, std::string by) : path_(std::move(path)), by_(std::move(by)) {}

    Result<Reply> ask(const Wish& wish) override
    {
        const auto answer = ask_control_socket(path_, to_line(wish, by_), patience);
        if (!answer) return std::unexpected(answer.error());
        return parse_reply(*answer);
    }

private:
    const std::string path_;
    const std::string by_;
};

class HttpDesk final : public Desk {
public:
    HttpDesk(http::ServerUrl url, std::string token)
        : url_(std::move(url)), token_(std::move(token))
    {
    }

    Result<Reply> ask(const Wish& wish) override
    {
        http::Request request;
        request.method = wish.method;
        request.path = wish.path;
        request.query = wish.query;
        request.body = wish.body;
        request.headers.push_back({"Accept", "application/json"});
        if (!wish.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
        if (!token_.empty()) request.headers.push_back({"Authorization", "Bearer " + token_});
        auto response = http::exchange(url_, request, std::chrono::seconds{60});
        if (!response) return std::unexpected(response.error());
        return Reply{response->status, std::move(response->body)};
    }

private:
    const http::ServerUrl url_;
    const std::string token_;
};

}  // namespace

Result<std::unique_ptr<Desk>> make_socket_desk(std::string path, std::string by)
{
    const auto answer = ask_control_socket(path, "ping", std::chrono::seconds{5});
    if (!answer) return std::unexpected(answer.error());
    return std::make_unique<SocketDesk>(std::move(path), std::move(by));
}

Result<std::unique_ptr<Desk>> make_http_desk(const std::string& url, std::string token)
{
    auto parsed = http::parse_server_url(url);
    if (!parsed) return std::unexpected(parsed.error());
    return std::make_unique<HttpDesk>(*std::move(parsed), std::move(token));
}

}  // namespace umavez::operators
