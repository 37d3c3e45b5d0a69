#pragma once

// Wire: a socket to a Redis server and the reader of its replies, from the first greeting on.
//
// greet() authenticates, chooses the database, asks the server what it is, loads the scripts, tries
// what the user may and finds or leaves the sentinel. After a connection that was lost with commands
// under way the server is told to drop it before anything else is sent, so that nothing of it
// arrives later, if the user may. Confined to its connection's thread.

#include "store/redis/names.hpp"
#include "store/redis/reply.hpp"
#include "store/redis/scripts.hpp"
#include "store/redis/sentinel.hpp"
#include "store/redis/socket.hpp"

#include <umavez/result.hpp>

#include <array>
#include <string>
#include <string_view>

namespace umavez {

class Wire {
public:
    // All outlive it.
    Wire(const RedisUrl& url, const RedisNames& names, Sentinel& sentinel)
        : url_(url), names_(names), sentinel_(sentinel)
    {
    }

    // Connects and greets. misconfigured: only a change of settings helps.
    Result<void> open();
    bool is_open() const noexcept { return socket_.is_open(); }
    bool is_stale() const noexcept { return socket_.is_stale(); }

    // `has_unknown`: commands are under way whose answers will not be read.
    void close(bool has_unknown) noexcept;

    Socket::Sent send(std::string_view bytes, Deadline deadline)
    {
        return socket_.send(bytes, deadline);
    }
    Result<ReplyPtr> receive(Deadline deadline);

    // Leaves a sentinel if there is none, and learns which one it is.
    Result<void> settle_sentinel(Deadline deadline);

    // Of the server as it was when this was opened.
    std::size_t connections_advised() const noexcept { return connections_advised_; }

    // By which a script is called.
    const std::string& hash_of(Script script) const
    {
        return hashes_[static_cast<std::size_t>(script)];
    }

private:
    Result<void> greet(Deadline deadline);
    Result<void> try_commands(Deadline deadline);
    Result<void> drop_the_one_before(const std::string& run_id, Deadline deadline);
    // Sends and gives the reply; an error reply is a value too.
    Result<ReplyPtr> ask(std::string_view command, Deadline deadline);

    const RedisUrl& url_;
    const RedisNames& names_;
    Sentinel& sentinel_;
    Socket socket_;
    ReaderPtr reader_;
    std::array<std::string, scripts_count> hashes_;
    std::string run_id_;        // of the server that this connection is to
    std::string client_id_;     // by which the server knows it
    bool has_unknown_ = false;  // the connection before this one
    std::size_t connections_advised_ = 1;
};

}  // namespace umavez
