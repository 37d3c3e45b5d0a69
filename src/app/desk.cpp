#include "app/desk.hpp"

#include "access/token_book.hpp"
#include "app/load.hpp"
#include "app/read_input.hpp"
#include "base/shown.hpp"
#include "operators/local_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace umavez {
namespace {

using operators::Desk;

constexpr std::size_t token_file_bytes_max = 4096;

// The database, opened by this command alone.
class OwnDesk final : public Desk {
public:
    OwnDesk(
        const Settings& settings,
        OpenEngine opened,
        std::unique_ptr<access::TokenBook> tokens,
        std::string by
    )
        : opened_(std::move(opened)), tokens_(std::move(tokens)), by_(std::move(by))
    {
        const operators::OperatorNeeds needs{*opened_.engine, *opened_.database, *tokens_};
        desk_.emplace(
            needs, opened_.modules.problems, more_local_routes(needs, settings, *opened_.fiscal)
        );
    }
    Result<operators::Reply> ask(const operators::Wish& wish) override
    {
        return desk_->answer(wish, by_);
    }

private:
    OpenEngine opened_;
    std::unique_ptr<access::TokenBook> tokens_;
    const std::string by_;
    std::optional<operators::LocalDesk> desk_;
};

std::optional<std::string> from_environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

// Who runs this command, for the audit.
std::string user_name()
{
    const passwd* const user = ::getpwuid(::getuid());
    return user == nullptr ? fmt::format("user {}", ::getuid()) : user->pw_name;
}

Result<std::string> read_token(const Invocation& invocation)
{
    auto file = invocation.find("--token-file");
    if (!file) {
        if (auto token = from_environment("UMAVEZ_TOKEN")) return *std::move(token);
        file = from_environment("UMAVEZ_TOKEN_FILE");
    }
    if (!file) return std::string{};
    auto text = read_input(*file, token_file_bytes_max);
    if (!text) return fail(Errc::misconfigured, "token file: " + text.error().detail);
    text->erase(text->find_last_not_of(" \t\r\n") + 1);
    return text;
}

Result<std::unique_ptr<Desk>> open_own(const Settings& settings, std::string by)
{
    auto opened = open_all(settings, {.worker_period = std::nullopt}, {.must_exist = true});
    if (!opened) return std::unexpected(opened.error());
    auto tokens = access::TokenBook::open(*opened->database, {.refresh_period = std::nullopt});
    if (!tokens) return fail(tokens.error().code, "database: " + tokens.error().detail);
    return std::make_unique<OwnDesk>(
        settings, *std::move(opened), *std::move(tokens), std::move(by)
    );
}

struct LocalDesks {
    std::unique_ptr<Desk> desk;
    bool is_own = false;
};

Result<LocalDesks> open_local(const Settings& settings)
{
    if (const std::string path = control_socket_path(settings); !path.empty()) {
        auto socket = operators::make_socket_desk(path, user_name());
        if (socket) return LocalDesks{*std::move(socket), false};
    }
    auto own = open_own(settings, user_name());
    if (!own) return std::unexpected(own.error());
    return LocalDesks{*std::move(own), true};
}

// "status: is not one of …; limit: is not …"
std::string fields_of(const JsonValue& problem)
{
    std::string all;
    const auto errors = problem.find("errors");
    if (!errors || errors->kind() != JsonKind::array) return all;
    for (const JsonValue error : errors->elements()) {
        if (!all.empty()) all += "; ";
        all += text_of(error, "field") + ": " + text_of(error, "message");
    }
    return all;
}

// A problem in one sentence.
std::string to_sentence(const operators::Reply& reply, const Document& problem)
{
    std::string sentence = text_of(problem.root(), "title");
    if (const std::string detail = text_of(problem.root(), "detail"); !detail.empty()) {
        sentence = detail;
    }
    if (const std::string fields = fields_of(problem.root()); !fields.empty()) sentence = fields;
    if (sentence.empty()) sentence = fmt::format("the server answered {}", reply.status);
    if (reply.status == 401) sentence += "; give a token with --token-file FILE or UMAVEZ_TOKEN";
    return sentence;
}

}  // namespace

std::vector<CommandOption> desk_options(std::vector<CommandOption> own)
{
    own.push_back({"--server", "URL", "ask this server over HTTP; UMAVEZ_SERVER"});
    own.push_back({"--token-file", "FILE", "token for --server; or UMAVEZ_TOKEN, UMAVEZ_TOKEN_FILE"}
    );
    own.push_back({"--json", "", "one JSON document, for programs"});
    return own;
}

Result<std::optional<ServerAccess>> find_server(const Invocation& invocation)
{
    auto server = invocation.find("--server");
    if (!server) server = from_environment("UMAVEZ_SERVER");
    if (!server) return std::nullopt;
    auto token = read_token(invocation);
    if (!token) return std::unexpected(token.error());
    return ServerAccess{*std::move(server), *std::move(token)};
}

std::expected<DeskSession, int> DeskSession::open(const Invocation& invocation)
{
    const auto server = find_server(invocation);
    if (!server) return std::unexpected(complain(server.error().detail));
    if (*server) {
        auto desk = operators::make_http_desk((*server)->url, (*server)->token);
        if (!desk) return std::unexpected(complain("--server: " + desk.error().detail, exit_usage));
        return DeskSession{*std::move(desk), false, false, {}};
    }
    const auto settings = load_settings(invocation);
    if (!settings) return std::unexpected(refuse_settings(settings.error()));
    auto desk = open_local(*settings);
    if (!desk) return std::unexpected(complain(desk.error().detail));
    const bool is_own = desk->is_own;
    return DeskSession{std::move(desk->desk), true, is_own, database_path(*settings)};
}

std::expected<Document, int> DeskSession::ask(const operators::Wish& wish)
{
    auto reply = desk_->ask(wish);
    if (!reply) return std::unexpected(complain(reply.error().detail));
    return read_reply(*std::move(reply));
}

std::expected<Document, int> read_reply(operators::Reply reply)
{
    auto text = std::make_unique<const std::string>(std::move(reply.body));
    auto tree = JsonTree::parse(*text);
    if (!tree) {
        return std::unexpected(complain(
            fmt::format("the answer {} is not JSON; is this a umavez server?", reply.status)
        ));
    }
    Document document{std::move(text), *std::move(tree)};
    if (reply.status < 400) return document;
    // The desk reads what the command line passed on: what it calls malformed was written there.
    const bool is_usage = reply.status == 400 || reply.status == 422;
    return std::unexpected(
        complain(to_sentence(reply, document), is_usage ? exit_usage : exit_failed)
    );
}

std::string query_of(const Invocation& invocation, std::initializer_list<std::string_view> names)
{
    std::string query;
    for (const std::string_view name : names) {
        const auto value = invocation.find(fmt::format("--{}", name));
        if (!value) continue;
        std::string field{name};
        std::ranges::replace(field, '-', '_');
        query += fmt::format(
            "{}{}={}", query.empty() ? "" : "&", field, operators::percent_encode(*value)
        );
    }
    return query;
}

bool is_number(std::string_view text) noexcept
{
    constexpr std::size_t digits_max = 18;
    return !text.empty() && text.size() <= digits_max &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string text_of(const JsonValue& object, std::string_view name)
{
    const auto value = object.find(name);
    return value && value->kind() == JsonKind::string ? std::string{value->string()}
                                                      : std::string{};
}

std::string number_of(const JsonValue& object, std::string_view name)
{
    const auto value = object.find(name);
    return value && value->kind() == JsonKind::number ? std::string{value->number()}
                                                      : std::string{};
}

}  // namespace umavez
