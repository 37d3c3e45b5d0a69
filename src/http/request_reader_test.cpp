#include "http/request_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace umavez::http {
namespace {

using Phase = RequestReader::Phase;

// Gives the reader what fits, and tells what it says at last: "need", "continue", a status, or the
// request.
std::string feed(RequestReader& reader, std::string_view bytes)
{
    for (;;) {
        const auto step = reader.next();
        if (const auto* const refusal = std::get_if<Refusal>(&step)) {
            return std::to_string(refusal->status);
        }
        if (std::holds_alternative<RequestReader::Complete>(step)) {
            const Request request = reader.take();
            return request.method + " " + request.path + " " + request.body;
        }
        if (std::holds_alternative<RequestReader::SendContinue>(step)) return "continue";
        if (std::holds_alternative<RequestReader::HeadRead>(step)) continue;
        if (bytes.empty()) return "need";
        const std::span<char> space = reader.prepare();
        const std::string_view piece = bytes.substr(0, space.size());
        std::memcpy(space.data(), piece.data(), piece.size());
        reader.commit(piece.size());
        bytes.remove_prefix(piece.size());
    }
}

std::string read_bytewise(std::string_view bytes)
{
    RequestReader reader{{}};
    std::string said;
    for (std::size_t at = 0; at < bytes.size(); ++at) said = feed(reader, bytes.substr(at, 1));
    return said;
}

TEST(RequestReader, ReadsTheSameHoweverTheBytesAreCut)
{
    const std::string head = "POST /a HTTP/1.1\r\nHost: x\r\n";
    const std::string with_length = head + "Content-Length: 5\r\n\r\nhello";
    const std::string chunked =
        head + "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nT: 1\r\n\r\n";

    for (const std::string& request : {with_length, chunked, "\r\n\r\n" + with_length}) {
        RequestReader reader{{}};
        EXPECT_EQ(feed(reader, request), "POST /a hello");
        EXPECT_EQ(reader.phase(), Phase::idle);
        EXPECT_EQ(read_bytewise(request), "POST /a hello");
    }
}

TEST(RequestReader, PipelinedRequestsWaitInTheBuffer)
{
    RequestReader reader{{}};

    EXPECT_EQ(
        feed(
            reader,
            "POST /1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
            "\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3"
        ),
        "POST /1 a"
    );
    EXPECT_EQ(feed(reader, ""), "GET /2 ");
    EXPECT_EQ(feed(reader, ""), "need");
    EXPECT_EQ(reader.phase(), Phase::head);
    EXPECT_EQ(feed(reader, " HTTP/1.1\r\nHost: x\r\n\r\n"), "GET /3 ");
}

TEST(RequestReader, ThePhaseTellsWhichDeadlineHolds)
{
    RequestReader reader{{}};

    EXPECT_EQ(feed(reader, "\r\n"), "need");
    EXPECT_EQ(reader.phase(), Phase::idle);
    EXPECT_EQ(feed(reader, "P"), "need");
    EXPECT_EQ(reader.phase(), Phase::head);
    EXPECT_EQ(feed(reader, "OST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1"), "need");
    EXPECT_EQ(reader.phase(), Phase::body);
    EXPECT_EQ(reader.request().path, "/");
}

TEST(RequestReader, ContinueIsOwedOnceToAClientThatWaits)
{
    const std::string head =
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    RequestReader waiting{{}};
    RequestReader eager{{}};

    EXPECT_EQ(feed(waiting, head), "continue");
    EXPECT_EQ(feed(waiting, ""), "need");
    EXPECT_EQ(feed(waiting, "hi"), "POST / hi");
    EXPECT_EQ(feed(eager, head + "h"), "need");
    EXPECT_EQ(feed(eager, "i"), "POST / hi");
}

TEST(RequestReader, TheHeadIsToldBeforeTheBodyIsLookedAt)
{
    RequestReader reader{{.body_bytes_max = 1}};
    const std::string bytes =
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    std::memcpy(reader.prepare().data(), bytes.data(), bytes.size());
    reader.commit(bytes.size());

    EXPECT_TRUE(std::holds_alternative<RequestReader::HeadRead>(reader.next()));
    EXPECT_EQ(reader.request().path, "/a");
    EXPECT_TRUE(reader.has_body());
    EXPECT_TRUE(std::holds_alternative<Refusal>(reader.next()));
}

// A full buffer once left no room for the bytes that are thrown away after a refusal.
TEST(RequestReader, AfterARefusalThereIsRoomToReadOn)
{
    RequestReader reader{{.head_bytes_max = 20'000}};

    EXPECT_EQ(feed(reader, "GET / HTTP/1.1\r\nX: " + std::string(60'000, 'b')), "431");
    reader.drop();

    EXPECT_FALSE(reader.prepare().empty());
}

TEST(RequestReader, BoundsHold)
{
    const ReaderLimits limits{.head_bytes_max = 5000, .body_bytes_max = 30'000};
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
    const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
    const std::string many(30'001, 'a');

    const auto status = [&limits](const std::string& bytes) {
        RequestReader reader{limits};
        return feed(reader, bytes);
    };
    EXPECT_EQ(status(head + "X: " + many), "431");
    EXPECT_EQ(status(head + "Content-Length: 30001\r\n\r\n" + many), "413");
    EXPECT_EQ(status(chunked + "7531\r\n" + many), "413");
    EXPECT_EQ(status(chunked + "1;" + many), "400");
    EXPECT_EQ(status(chunked + "1\r\na\r\n0\r\nT: " + many), "431");
    EXPECT_EQ(
        status(head + "Content-Length: 30000\r\n\r\n" + many.substr(1)), "POST / " + many.substr(1)
    );
}

}  // namespace
}  // namespace umavez::http
