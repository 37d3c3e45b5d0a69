#pragma once

// RequestReader: requests out of the bytes of one connection. It says what to do next, and the
// connection does it: the only I/O here is that of a spool it was given.
//
//     bytes come in → next() → NeedBytes | HeadRead | SendContinue | Refusal | Complete → take()
//
// HeadRead comes once for every request, before its body is looked at: whoever is refused for the
// head alone need not send one. After a refusal nothing more can be read: where the next request
// begins is unknown. Confined to its connection.

#include "http/body_spool.hpp"
#include "http/chunked_body.hpp"
#include "http/framing.hpp"
#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umavez::http {

struct ReaderLimits {
    std::size_t head_bytes_max = 16 * 1024;
    std::size_t body_bytes_max = 1024 * 1024;  // as sent, and unpacked
};

class RequestReader {
public:
    enum class Phase : std::uint8_t { idle, head, body };

    struct NeedBytes {};
    struct HeadRead {};
    struct SendContinue {};  // the head is accepted and the client waits for this to send the body
    struct Complete {};
    using Step = std::variant<NeedBytes, HeadRead, SendContinue, Refusal, Complete>;

    explicit RequestReader(ReaderLimits limits) : limits_(limits) {}
    RequestReader(const RequestReader&) = delete;
    RequestReader& operator=(const RequestReader&) = delete;

    // Where the next bytes go; commit() says how many came.
    std::span<char> prepare();
    void commit(std::size_t bytes) noexcept { end_ += bytes; }

    Step next();

    // The complete request, with its body unpacked; after a refusal, what there is of it. The next
    // one may have arrived already.
    Request take();

    // After HeadRead, of a request that has a body: it goes there instead of into memory, however
    // small it is, and the limit of the spool is its limit.
    void spool_body(BodySpool spool);
    const BodySpool* spool() const noexcept { return spool_.get(); }

    // After HeadRead, instead of reading on: throws the body away if all of it has arrived, so that
    // the next request can follow. False: it is still on its way.
    bool skip_body();

    // Nothing more will be read: what has arrived makes room for what is thrown away.
    void drop() noexcept { begin_ = end_ = 0; }

    // What there is of the request at hand: empty before its head was read.
    Request& request() noexcept { return request_; }
    bool has_body() const noexcept { return framing_.has_body(); }  // one was announced
    // The body takes no more room than a connection has anyway, and is handed on as it comes.
    bool has_small_body() const noexcept;
    std::uint64_t body_bytes() const;  // that have arrived and are in memory
    bool keeps_alive() const noexcept { return framing_.keep_alive; }
    Phase phase() const noexcept { return phase_; }

private:
    std::string_view arrived() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }
    Step read_head();
    Step read_body();
    std::optional<Refusal> take_piece();
    bool is_complete() const noexcept;
    Step finish();
    std::uint64_t body_bytes_max() const noexcept
    {
        return spool_ ? spool_->bytes_max() : limits_.body_bytes_max;
    }

    const ReaderLimits limits_;
    std::vector<char> buffer_;  // what has arrived is from begin_ to end_
    std::size_t begin_ = 0;
    std::size_t end_ = 0;

    Phase phase_ = Phase::idle;
    Request request_;
    Framing framing_;
    bool owes_check_ = false;  // whether the body is one that we take
    bool owes_continue_ = false;
    std::uint64_t length_taken_ = 0;        // of Content-Length
    std::unique_ptr<ChunkedBody> chunked_;  // most bodies are not
    std::unique_ptr<BodySpool> spool_;      // of an upload
};

}  // namespace umavez::http
