#pragma once

// RequestReader: requests out of the bytes of one connection. It does no I/O: it says what to do
// next, and the connection does it.
//
//     bytes come in → next() → NeedBytes | SendContinue | Refusal | Complete → take()
//
// After a refusal nothing more can be read: where the next request begins is unknown. Confined to
// its connection.

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
    struct SendContinue {};  // the head is accepted and the client waits for this to send the body
    struct Complete {};
    using Step = std::variant<NeedBytes, SendContinue, Refusal, Complete>;

    explicit RequestReader(ReaderLimits limits);
    ~RequestReader();
    RequestReader(const RequestReader&) = delete;
    RequestReader& operator=(const RequestReader&) = delete;

    // Where the next bytes go; commit() says how many came.
    std::span<char> prepare();
    void commit(std::size_t bytes) noexcept { end_ += bytes; }

    Step next();

    // The complete request, with its body unpacked; after a refusal, what there is of it. The next
    // one may have arrived already.
    Request take();

    // What there is of the request at hand: empty before its head was read.
    const Request& request() const noexcept { return request_; }
    std::size_t body_bytes() const;  // that have arrived
    bool keeps_alive() const noexcept { return framing_.keep_alive; }
    Phase phase() const noexcept { return phase_; }

private:
    class ChunkedBody;

    std::string_view arrived() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }
    Step read_head();
    Step read_body();
    Step finish();

    const ReaderLimits limits_;
    std::vector<char> buffer_;  // what has arrived is from begin_ to end_
    std::size_t begin_ = 0;
    std::size_t end_ = 0;

    Phase phase_ = Phase::idle;
    Request request_;
    Framing framing_;
    bool owes_continue_ = false;
    std::unique_ptr<ChunkedBody> chunked_;
};

}  // namespace umavez::http
