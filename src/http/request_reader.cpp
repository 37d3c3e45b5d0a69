#include "http/request_reader.hpp"

#include "base/assert.hpp"
#include "http/inflate.hpp"

#include <algorithm>
#include <cstring>

namespace umavez::http {
namespace {

// An idle connection keeps no more than this; most requests fit.
constexpr std::size_t small_bytes = 4 * 1024;
// A body passes through the buffer in pieces.
constexpr std::size_t piece_bytes = 16 * 1024;

}  // namespace

std::span<char> RequestReader::prepare()
{
    if (begin_ == end_) begin_ = end_ = 0;
    const bool is_idle = phase_ == Phase::idle && end_ == 0;
    if (buffer_.empty() || (is_idle && buffer_.size() > small_bytes)) {
        buffer_ = std::vector<char>(small_bytes);
    }
    if (end_ == buffer_.size() && begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size() || (phase_ == Phase::body && buffer_.size() < piece_bytes)) {
        buffer_.resize(std::min(4 * buffer_.size(), limits_.head_bytes_max + piece_bytes));
    }
    UMAVEZ_ASSERT(end_ < buffer_.size());
    return {buffer_.data() + end_, buffer_.size() - end_};
}

RequestReader::Step RequestReader::next()
{
    return phase_ == Phase::body ? read_body() : read_head();
}

RequestReader::Step RequestReader::read_head()
{
    // One empty line or several before a request are left over from the one before.
    if (phase_ == Phase::idle) {
        while (arrived().starts_with("\r\n")) begin_ += 2;
        if (arrived().empty()) return NeedBytes{};
        phase_ = Phase::head;
    }
    if (arrived() == "\r") return NeedBytes{};
    if (arrived().starts_with("\r\n")) {
        phase_ = Phase::idle;
        return read_head();
    }
    auto scanned = scan_head(arrived(), limits_.head_bytes_max);
    if (auto* const refusal = std::get_if<Refusal>(&scanned)) return std::move(*refusal);
    const auto* const end = std::get_if<HeadEnd>(&scanned);
    if (end == nullptr) return NeedBytes{};

    const std::string_view head = arrived().substr(0, end->bytes);
    auto read = http::read_head(head, request_);
    if (auto* const refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
    framing_ = std::get<Framing>(read);
    if (framing_.chunked)
        chunked_ = std::make_unique<ChunkedBody>(limits_.body_bytes_max, limits_.head_bytes_max);
    begin_ += end->bytes;
    phase_ = Phase::body;
    length_taken_ = 0;
    owes_check_ = framing_.has_body();
    owes_continue_ = framing_.expects_continue && framing_.has_body() && arrived().empty();
    return HeadRead{};
}

RequestReader::Step RequestReader::read_body()
{
    if (std::exchange(owes_check_, false)) {
        if (auto refusal = check_body(framing_, body_bytes_max())) return *std::move(refusal);
    }
    if (auto refusal = take_piece()) return *std::move(refusal);
    if (is_complete()) return finish();
    if (std::exchange(owes_continue_, false)) return SendContinue{};
    return NeedBytes{};
}

// What has arrived of the body, into memory or into the spool.
std::optional<Refusal> RequestReader::take_piece()
{
    if (chunked_) {
        begin_ += chunked_->put(arrived());
        if (chunked_->refusal()) return *chunked_->refusal();
        if (!spool_) return std::nullopt;
        auto refusal = spool_->put(chunked_->piece());
        chunked_->drop_piece();
        return refusal;
    }
    const std::string_view piece = arrived().substr(0, framing_.content_length - length_taken_);
    begin_ += piece.size();
    length_taken_ += piece.size();
    if (spool_) return spool_->put(piece);
    // Grows as bytes arrive: a length is only a promise.
    request_.body.append(piece);
    return std::nullopt;
}

bool RequestReader::is_complete() const noexcept
{
    return chunked_ ? chunked_->is_done() : length_taken_ == framing_.content_length;
}

void RequestReader::spool_body(BodySpool spool)
{
    UMAVEZ_ASSERT(phase_ == Phase::body && framing_.has_body() && owes_check_);
    if (framing_.gzip) spool.unpack_gzip();
    if (framing_.chunked)
        chunked_ = std::make_unique<ChunkedBody>(spool.bytes_max(), limits_.head_bytes_max);
    spool_ = std::make_unique<BodySpool>(std::move(spool));
}

bool RequestReader::skip_body()
{
    framing_.gzip = false;  // nobody will see what is in it
    return std::holds_alternative<Complete>(read_body());
}

RequestReader::Step RequestReader::finish()
{
    if (spool_) {
        if (auto refusal = spool_->finish()) return *std::move(refusal);
        request_.spooled = spool_->take();
    } else if (chunked_) {
        request_.body = chunked_->take();
    }
    if (!framing_.gzip || !framing_.has_body()) return Complete{};
    if (!spool_) {
        auto unpacked = inflate_gzip(request_.body, limits_.body_bytes_max);
        if (auto* const refusal = std::get_if<Refusal>(&unpacked)) return std::move(*refusal);
        request_.body = std::get<std::string>(std::move(unpacked));
    }
    // They speak of the body as it was sent.
    std::erase_if(request_.headers, [](const Header& header) {
        return is_same_header(header.name, "Content-Encoding") ||
               is_same_header(header.name, "Content-Length");
    });
    return Complete{};
}

bool RequestReader::has_small_body() const noexcept
{
    const bool is_plain = !framing_.chunked && !framing_.gzip && !framing_.packed_otherwise;
    return is_plain && !framing_.expects_continue &&
           framing_.content_length <= std::min(small_bytes, limits_.body_bytes_max);
}

std::uint64_t RequestReader::body_bytes() const
{
    if (spool_) return 0;
    return chunked_ && request_.body.empty() ? chunked_->bytes() : request_.body.size();
}

Request RequestReader::take()
{
    phase_ = Phase::idle;
    chunked_.reset();
    spool_.reset();
    return std::exchange(request_, Request{});
}

}  // namespace umavez::http
