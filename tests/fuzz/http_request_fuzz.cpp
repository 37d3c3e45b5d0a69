// Hostile bytes for the reader of HTTP requests: heads, lengths, chunks, trailers, gzip.
//
// An input is a byte of options and what a client sends over one connection. Checked: whole, byte by byte
// and in random pieces it gives the same requests and the same refusal; a strict second reader finds the same
// requests, in memory and in files; Boost.Beast, where it takes a request too, ends it at the same byte with
// the same body; bodies keep to their limits; and to turn a request away never makes another one of its
// body.

#include "fuzz/reference_http.hpp"
#include "http/request_reader.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::http;
using reference::HttpLimits;
using reference::HttpReading;
using reference::HttpRequest;
using reference::HttpVerdict;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

// How the bytes of a client are cut on their way.
class Cuts {
public:
    enum class Kind : std::uint8_t { whole, bytewise, random };

    Cuts(Kind kind, std::uint64_t seed) : kind_(kind), state_(seed | 1U) {}

    std::size_t next()
    {
        if (kind_ == Kind::whole) return std::string::npos;
        if (kind_ == Kind::bytewise) return 1;
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return state_ % 8 == 0 ? 1 + state_ / 8 % 600 : 1 + state_ / 8 % 7;
    }

private:
    Kind kind_;
    std::uint64_t state_;
};

struct Trace {
    std::vector<HttpRequest> requests;
    HttpVerdict end = HttpVerdict::waiting;
    int status = 0;
    std::string reason;

    friend bool operator==(const Trace&, const Trace&) = default;
};

std::string content_of(const Request& request)
{
    if (!request.spooled) return request.body;
    require(request.body.empty(), "a body is in memory or in a file");
    std::string content(request.spooled->bytes(), '\0');
    const auto got = request.spooled->file().read_at(0, content);
    require(got && *got == content.size(), "a file has its bytes");
    return content;
}

HttpRequest to_plain(const Request& request, bool keep_alive)
{
    HttpRequest plain{
        .method = request.method,
        .path = request.path,
        .query = request.query,
        .version_minor = request.version_minor,
        .body = content_of(request),
        .keep_alive = keep_alive,
    };
    for (const Header& header : request.headers)
        plain.headers.emplace_back(header.name, header.value);
    return plain;
}

void check_refusal(const Refusal& refusal)
{
    constexpr std::array known{400, 413, 415, 417, 431, 501, 505};
    require(std::ranges::find(known, refusal.status) != known.end(), "a refusal has its status");
    require(
        !refusal.reason.english.empty() && !refusal.reason.portuguese.empty(), "and its reason"
    );
}

// One connection, served as connection.cpp does it.
class Client {
public:
    Client(std::string_view bytes, const ReaderLimits& limits, Cuts cuts, bool spools)
        : bytes_(bytes), limits_(limits), cuts_(cuts), spools_(spools), reader_(limits)
    {
    }

    Trace run()
    {
        while (step()) {
        }
        return std::move(trace_);
    }

private:
    bool step()
    {
        auto step = reader_.next();
        require(reader_.body_bytes() <= limits_.body_bytes_max, "a body in memory has its limit");
        if (const auto* const refusal = std::get_if<Refusal>(&step)) return refuse(*refusal);
        if (std::holds_alternative<RequestReader::HeadRead>(step)) {
            owes_continue_ = true;
            is_small_ = reader_.has_small_body();
            if (spools_ && reader_.has_body())
                reader_.spool_body(BodySpool{"/tmp", limits_.body_bytes_max});
            return true;
        }
        if (std::holds_alternative<RequestReader::SendContinue>(step)) {
            require(std::exchange(owes_continue_, false), "a client is told once to go on");
            return true;
        }
        if (std::holds_alternative<RequestReader::Complete>(step)) {
            const bool keep_alive = reader_.keeps_alive();
            require(!is_small_ || reader_.body_bytes() <= 4096, "a small body is small");
            trace_.requests.push_back(to_plain(reader_.take(), keep_alive));
            require(
                trace_.requests.back().body.size() <= limits_.body_bytes_max,
                "a body keeps to its limit"
            );
            return true;
        }
        return feed();
    }

    bool feed()
    {
        const std::span<char> space = reader_.prepare();
        require(!space.empty(), "there is room for more");
        const std::string_view piece = bytes_.substr(0, std::min(space.size(), cuts_.next()));
        if (piece.empty()) return false;
        std::memcpy(space.data(), piece.data(), piece.size());
        reader_.commit(piece.size());
        bytes_.remove_prefix(piece.size());
        return true;
    }

    bool refuse(const Refusal& refusal)
    {
        check_refusal(refusal);
        trace_.end = HttpVerdict::refused;
        trace_.status = refusal.status;
        trace_.reason = refusal.reason.english;
        reader_.drop();
        require(!reader_.prepare().empty(), "there is room for what is thrown away");
        return false;
    }

    std::string_view bytes_;
    const ReaderLimits& limits_;
    Cuts cuts_;
    const bool spools_;
    RequestReader reader_;
    bool owes_continue_ = false;
    bool is_small_ = false;
    Trace trace_;
};

// Errors of Beast in what we may take: it wants a list of tokens in Connection, versions 1.0 and 1.1, the
// grammar of RFC 9110 in extensions of chunks, which are dropped here, and rules for trailers, which are
// dropped as well.
bool may_refuse(boost::beast::error_code error, bool is_chunked)
{
    using boost::beast::http::error;
    if (error == error::bad_version || error == error::bad_value) return true;
    if (!is_chunked) return false;
    return error == error::bad_chunk_extension || error == error::bad_content_length ||
           error == error::bad_transfer_encoding || error == error::multiple_content_length;
}

void ask_beast(std::string_view rest, const HttpReading& ours)
{
    namespace beast_http = boost::beast::http;
    // Before a request they are skipped, but not by Beast.
    std::size_t empty_lines = 0;
    while (rest.substr(empty_lines).starts_with("\r\n")) empty_lines += 2;
    rest.remove_prefix(empty_lines);

    beast_http::request_parser<beast_http::string_body> parser;
    parser.header_limit(1U << 30U);
    parser.body_limit(boost::none);
    parser.eager(true);
    boost::beast::error_code error;
    const std::size_t used = parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
    if (error && error != beast_http::error::need_more) {
        require(
            may_refuse(error, parser.is_header_done() && parser.chunked()), "Beast takes it, too"
        );
        return;
    }
    require(parser.is_done(), "Beast sees the end of a request where we do");
    require(used + empty_lines == ours.bytes, "and no byte later or earlier");
    const auto& message = parser.get();
    require(message.method_string() == ours.request.method, "the same method");
    // Of chunks it also reads Connection in the trailers.
    const bool is_same_end = parser.keep_alive() == ours.request.keep_alive;
    require(is_same_end || parser.chunked(), "and the same end of the connection");
    const bool was_gzip = message.find("Content-Encoding") != message.end();
    require(was_gzip || message.body() == ours.request.body, "and the same body");
}

// All requests as the second reader finds them; Beast is asked about each that it took.
Trace read_strictly(std::string_view bytes, const HttpLimits& limits, bool asks_beast)
{
    Trace trace;
    for (;;) {
        HttpReading reading = reference::read_http(bytes, limits);
        trace.end = reading.verdict;
        if (reading.verdict != HttpVerdict::taken) return trace;
        if (asks_beast) ask_beast(bytes, reading);
        bytes.remove_prefix(reading.bytes);
        trace.requests.push_back(std::move(reading.request));
    }
}

// Every request is turned away for its head, and its body thrown away where it has arrived.
void check_skipped(std::string_view bytes, const ReaderLimits& limits)
{
    const Trace strict =
        read_strictly(bytes, {limits.head_bytes_max, limits.body_bytes_max, false}, false);
    RequestReader reader{limits};
    std::size_t count = 0;
    for (;;) {
        const auto step = reader.next();
        if (std::holds_alternative<RequestReader::NeedBytes>(step)) {
            if (bytes.empty()) break;
            const std::span<char> space = reader.prepare();
            const std::string_view piece = bytes.substr(0, space.size());
            std::memcpy(space.data(), piece.data(), piece.size());
            reader.commit(piece.size());
            bytes.remove_prefix(piece.size());
            continue;
        }
        if (!std::holds_alternative<RequestReader::HeadRead>(step)) break;
        const std::string path = reader.request().path;
        if (!reader.skip_body()) break;
        reader.take();
        require(count < strict.requests.size(), "no request out of a body that was skipped");
        require(path == strict.requests[count].path, "the next request is the next");
        ++count;
    }
}

std::uint64_t hash_of(std::string_view bytes)
{
    std::uint64_t hash = 14'695'981'039'346'656'037ULL;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
    return hash;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
    // '0' to '3' in a seed; '4' to '7' the same with bodies in files.
    constexpr std::array limits{
        ReaderLimits{},
        ReaderLimits{.head_bytes_max = 64, .body_bytes_max = 16},
        ReaderLimits{.head_bytes_max = 200, .body_bytes_max = 1000},
        ReaderLimits{.head_bytes_max = 1000, .body_bytes_max = 100'000},
    };
    const ReaderLimits& chosen = limits.at(data[0] & 3U);
    const bool spools = (data[0] & 4U) != 0;

    const auto read = [&](Cuts::Kind kind, bool into_files) {
        return Client{bytes, chosen, Cuts{kind, hash_of(bytes)}, into_files}.run();
    };
    const Trace whole = read(Cuts::Kind::whole, false);
    require(read(Cuts::Kind::bytewise, false) == whole, "byte by byte it reads the same");
    require(read(Cuts::Kind::random, false) == whole, "in pieces it reads the same");

    const Trace strict =
        read_strictly(bytes, {chosen.head_bytes_max, chosen.body_bytes_max, true}, true);
    require(whole.requests == strict.requests, "a strict reader finds the same requests");
    require(whole.end == strict.end, "and the same end");
    check_skipped(bytes, chosen);

    if (!spools) return 0;
    const Trace in_files = read(Cuts::Kind::whole, true);
    require(in_files.requests == whole.requests, "in files they are the same");
    // What is packed is unpacked as it comes, and refused before all has come.
    require(in_files.end == whole.end || in_files.end == HttpVerdict::refused, "with the same end");
    // Of two faults, in gzip and in chunks, the one that is seen first is told.
    const Trace in_pieces = read(Cuts::Kind::random, true);
    require(in_pieces.requests == in_files.requests, "however they are cut");
    require(in_pieces.end == in_files.end, "with the same end");
    return 0;
}
