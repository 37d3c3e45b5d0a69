#include "store/redis/wire.hpp"

#include "base/shown.hpp"
#include "store/redis/server_info.hpp"

#include <fmt/format.h>

#include <vector>

namespace umavez {
namespace {

constexpr std::string_view rights_needed =
    "+@read +@write +@scripting +info +select +time +client|id +client|kill";

std::unexpected<Error> unreachable(const RedisUrl& url, std::string_view why)
{
    return fail(Errc::store_unavailable, fmt::format("{} cannot be reached: {}", url.place(), why));
}

bool is_error(const redisReply& reply) noexcept
{
    return reply.type == REDIS_REPLY_ERROR;
}

}  // namespace

Result<void> Wire::open()
{
    const Deadline deadline = std::chrono::steady_clock::now() + url_.connect_timeout;
    auto socket = Socket::connect(url_, deadline);
    if (!socket) return unreachable(url_, socket.error().detail);
    socket_ = *std::move(socket);
    reader_.reset(redisReaderCreate());
    if (!reader_) return unreachable(url_, "out of memory");
    reader_->maxbuf = 0;  // its buffer is kept
    auto greeted = greet(deadline);
    if (!greeted) {
        socket_.close();
        if (greeted.error().code == Errc::store_unknown)
            return unreachable(url_, greeted.error().detail);
    }
    return greeted;
}

void Wire::close(bool has_unknown) noexcept
{
    socket_.close();
    has_unknown_ = has_unknown_ || has_unknown;
}

Result<ReplyPtr> Wire::receive(Deadline deadline)
{
    for (;;) {
        void* reply = nullptr;
        if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
            return fail(Errc::store_unknown, "the answer is no Redis protocol");
        }
        if (reply != nullptr) return ReplyPtr{static_cast<redisReply*>(reply)};
        std::array<char, 65'536> buffer;
        const auto count = socket_.receive(buffer.data(), buffer.size(), deadline);
        if (!count) return std::unexpected(count.error());
        if (redisReaderFeed(reader_.get(), buffer.data(), *count) != REDIS_OK) {
            return fail(Errc::store_unknown, "out of memory for an answer");
        }
    }
}

Result<ReplyPtr> Wire::ask(std::string_view command, Deadline deadline)
{
    if (const auto sent = socket_.send(command, deadline); !sent.trouble.empty()) {
        return fail(Errc::store_unknown, sent.trouble);
    }
    return receive(deadline);
}

Result<void> Wire::greet(Deadline deadline)
{
    std::string command;
    if (!url_.password.empty()) {
        if (url_.user.empty()) {
            append_command(command, "AUTH", url_.password);
        } else {
            append_command(command, "AUTH", url_.user, url_.password);
        }
        auto reply = ask(command, deadline);
        if (!reply) return std::unexpected(reply.error());
        if (is_error(**reply)) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "{} refuses the user or the password of the URL: {}",
                    url_.place(),
                    shown(text_of(**reply))
                )
            );
        }
    }
    command.clear();
    append_command(command, "SELECT", std::to_string(url_.database));
    append_command(command, "INFO");
    append_command(command, "CLIENT", "ID");
    auto selected = ask(command, deadline);
    if (!selected) return std::unexpected(selected.error());
    auto info = receive(deadline);
    if (!info) return std::unexpected(info.error());
    auto client = receive(deadline);
    if (!client) return std::unexpected(client.error());
    for (const ReplyPtr* const reply : {&*selected, &*info}) {
        if (!is_error(**reply)) continue;
        return fail(
            Errc::misconfigured,
            fmt::format("{} refuses to be asked: {}", url_.place(), shown(text_of(**reply)))
        );
    }
    const ServerInfo server = parse_info(text_of(**info));
    if (auto judged = judge(server, url_.place()); !judged) return judged;
    if (auto dropped = drop_the_one_before(server.run_id, deadline); !dropped) return dropped;
    run_id_ = server.run_id;
    connections_advised_ = connections_for(server);
    client_id_ = (*client)->type == REDIS_REPLY_INTEGER ? std::to_string((*client)->integer) : "";

    command.clear();
    for (std::size_t i = 0; i < scripts_count; ++i) {
        append_command(command, "SCRIPT", "LOAD", text_of(static_cast<Script>(i)));
    }
    if (const auto sent = socket_.send(command, deadline); !sent.trouble.empty()) {
        return fail(Errc::store_unknown, sent.trouble);
    }
    for (std::string& hash : hashes_) {
        auto loaded = receive(deadline);
        if (!loaded) return std::unexpected(loaded.error());
        if (is_error(**loaded)) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "{} does not take scripts: {}; the user needs {} on the keys {}:*",
                    url_.place(),
                    shown(text_of(**loaded)),
                    rights_needed,
                    names_.prefix()
                )
            );
        }
        hash = text_of(**loaded);
    }
    if (auto allowed = try_commands(deadline); !allowed) return allowed;
    if (sentinel_.expected().empty()) return settle_sentinel(deadline);
    return {};
}

// A right that is missing would show in the middle of a script, behind its first write.
Result<void> Wire::try_commands(Deadline deadline)
{
    std::string command;
    append_command(
        command, "EVAL", trial_text(), "2", names_.sentinel() + ":trial", names_.sentinel() + ":try"
    );
    auto reply = ask(command, deadline);
    if (!reply) return std::unexpected(reply.error());
    const bool is_forbidden = is_error(**reply) && text_of(**reply).starts_with("NOPERM");
    if (is_error(**reply) && !is_forbidden) {
        return fail(Errc::store_unavailable, judge_error(text_of(**reply), url_.place()).detail);
    }
    if ((*reply)->type == REDIS_REPLY_NIL) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} does not let its user do what the store needs, {}; give it {} on the keys {}:*",
            url_.place(),
            shown(text_of(**reply)),
            rights_needed,
            names_.prefix()
        )
    );
}

Result<void> Wire::drop_the_one_before(const std::string& run_id, Deadline deadline)
{
    // After a restart the numbers begin anew, and the old connection is gone by itself.
    if (!has_unknown_ || client_id_.empty() || run_id != run_id_) {
        has_unknown_ = false;
        return {};
    }
    std::string command;
    append_command(command, "CLIENT", "KILL", "ID", client_id_);
    auto killed = ask(command, deadline);
    if (!killed) return std::unexpected(killed.error());
    // A user that may not do this goes on without: the server keeps no order between connections,
    // so something of the old one may still arrive after the new one's first commands.
    has_unknown_ = false;
    return {};
}

Result<void> Wire::settle_sentinel(Deadline deadline)
{
    std::string command;
    append_command(command, "SET", names_.sentinel(), sentinel_.fresh(), "NX");
    append_command(command, "GET", names_.sentinel());
    auto left = ask(command, deadline);
    if (!left) return std::unexpected(left.error());
    auto found = receive(deadline);
    if (!found) return std::unexpected(found.error());
    if (is_error(**left)) {
        return fail(Errc::store_unavailable, judge_error(text_of(**left), url_.place()).detail);
    }
    if ((*found)->type != REDIS_REPLY_STRING) {
        return fail(
            Errc::store_unavailable,
            fmt::format("{} did not keep what was just written", url_.place())
        );
    }
    sentinel_.know(std::string{text_of(**found)});
    return {};
}

}  // namespace umavez
