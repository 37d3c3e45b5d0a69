#pragma once

// Replies of a Redis server, read by hiredis, and commands on their way to it. Confined to one
// thread at a time.

#include <cstdint>
#include <hiredis/hiredis.h>
#include <memory>
#include <string>
#include <string_view>

namespace umavez {

struct FreeReply {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};
using ReplyPtr = std::unique_ptr<redisReply, FreeReply>;

struct FreeReader {
    void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
};
using ReaderPtr = std::unique_ptr<redisReader, FreeReader>;

// Of a string, status or error; else empty.
inline std::string_view text_of(const redisReply& reply) noexcept
{
    const bool is_text = reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS ||
                         reply.type == REDIS_REPLY_ERROR;
    return is_text ? std::string_view{reply.str, static_cast<std::size_t>(reply.len)}
                   : std::string_view{};
}

// The `i`-th element of an array, which keeps a hole.
inline ReplyPtr take_element(redisReply& array, std::size_t i) noexcept
{
    redisReply* const taken = array.element[i];
    array.element[i] = nullptr;
    return ReplyPtr{taken};
}

// "$5\r\nhello\r\n"
inline void append_bulk(std::string& out, std::string_view text)
{
    out += '$';
    out += std::to_string(text.size());
    out += "\r\n";
    out += text;
    out += "\r\n";
}

template <typename... Words>
void append_command(std::string& out, const Words&... words)
{
    out += '*';
    out += std::to_string(sizeof...(words));
    out += "\r\n";
    (append_bulk(out, words), ...);
}

}  // namespace umavez
