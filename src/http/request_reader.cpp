#include "http/request_reader.hpp"

#include "base/assert.hpp"
#include "http/inflate.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <cstring>

namespace umavez::http {
namespace {

namespace beast = boost::beast;

// An idle connection keeps no more than this; most requests fit.
constexpr std::size_t small_bytes = 4 * 1024;
// A body passes through the buffer in pieces; a chunk's extension or trailer must fit into one.
constexpr std::size_t piece_bytes = 16 * 1024;

Refusal to_refusal(const beast::error_code& error)
{
    if (error == beast::http::error::body_limit) return {413, "the body is too large"};
    if (error == beast::http::error::header_limit) return {431, "the trailers are too large"};
    return {400, "the body is malformed: " + error.message()};
}

}  // namespace

// Beast reads chunks. It wants to see the head first, though it has been read already.
class RequestReader::ChunkedBody {
public:
    ChunkedBody(std::string_view head, const ReaderLimits& limits)
    {
        parser_.header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
        parser_.body_limit(limits.body_bytes_max);
        parser_.eager(true);
        put(head);
    }

    // Tells how many bytes were used.
    std::size_t put(std::string_view bytes)
    {
        const std::size_t used =
            parser_.put(boost::asio::buffer(bytes.data(), bytes.size()), error_);
        if (error_ == beast::http::error::need_more) error_ = {};
        return used;
    }

    const beast::error_code& error() const noexcept { return error_; }
    bool is_done() const { return parser_.is_done(); }
    std::size_t bytes() const { return parser_.get().body().size(); }
    std::string take() { return std::move(parser_.get().body()); }

private:
    beast::http::request_parser<beast::http::string_body> parser_;
    beast::error_code error_;
};

RequestReader::RequestReader(ReaderLimits limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

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
    if (phase_ != Phase::body) {
        Step step = read_head();
        if (phase_ != Phase::body) return step;
    }
    return read_body();
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
    auto read = http::read_head(head, limits_.body_bytes_max, request_);
    if (auto* const refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
    framing_ = std::get<Framing>(read);
    if (framing_.chunked) chunked_ = std::make_unique<ChunkedBody>(head, limits_);
    begin_ += end->bytes;
    phase_ = Phase::body;
    owes_continue_ = framing_.expects_continue && framing_.has_body() && arrived().empty();
    return NeedBytes{};
}

RequestReader::Step RequestReader::read_body()
{
    if (chunked_) {
        begin_ += chunked_->put(arrived());
        if (chunked_->error()) return to_refusal(chunked_->error());
        if (chunked_->is_done()) {
            request_.body = chunked_->take();
            return finish();
        }
        if (arrived().size() >= piece_bytes) return Refusal{400, "a chunk's extension is too long"};
    } else {
        const std::size_t missing = framing_.content_length - request_.body.size();
        const std::string_view piece = arrived().substr(0, missing);
        // Grows as bytes arrive: a length is only a promise.
        request_.body.append(piece);
        begin_ += piece.size();
        if (piece.size() == missing) return finish();
    }
    if (std::exchange(owes_continue_, false)) return SendContinue{};
    return NeedBytes{};
}

RequestReader::Step RequestReader::finish()
{
    if (framing_.gzip && framing_.has_body()) {
        auto unpacked = inflate_gzip(request_.body, limits_.body_bytes_max);
        if (auto* const refusal = std::get_if<Refusal>(&unpacked)) return std::move(*refusal);
        request_.body = std::get<std::string>(std::move(unpacked));
        // They speak of the body as it was sent.
        std::erase_if(request_.headers, [](const Header& header) {
            return is_same_header(header.name, "Content-Encoding") ||
                   is_same_header(header.name, "Content-Length");
        });
    }
    return Complete{};
}

std::size_t RequestReader::body_bytes() const
{
    return chunked_ && request_.body.empty() ? chunked_->bytes() : request_.body.size();
}

Request RequestReader::take()
{
    phase_ = Phase::idle;
    chunked_.reset();
    return std::exchange(request_, Request{});
}

}  // namespace umavez::http
