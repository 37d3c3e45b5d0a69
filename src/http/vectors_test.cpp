// The shared framing vectors: what is refused gets one answer and a closed connection.

#include "http/raw_client.hpp"
#include "http/server.hpp"

#include <boost/beast/core/detail/base64.hpp>
#include <boost/json/src.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace umavez::http {
namespace {

std::string decode_base64(std::string_view text)
{
    namespace base64 = boost::beast::detail::base64;
    std::string bytes(base64::decoded_size(text.size()), '\0');
    bytes.resize(base64::decode(bytes.data(), text.data(), text.size()).first);
    return bytes;
}

// Status lines: at the start, or where a previous answer may have ended. Bodies may speak of HTTP/1.1 too.
std::size_t count_answers(std::string_view bytes)
{
    std::size_t count = 0;
    for (std::size_t at = bytes.find("HTTP/1.1 "); at != std::string_view::npos;
         at = bytes.find("HTTP/1.1 ", at + 1)) {
        const std::string_view status = bytes.substr(at + 9, 3);
        const bool is_status = std::ranges::all_of(status, [](char c) { return c >= '0' && c <= '9'; });
        if (is_status) ++count;
    }
    return count;
}

void expect_vectors(ServerOptions options, const Gate& gate)
{
    const std::filesystem::path file =
        std::filesystem::path{UMAVEZ_VECTORS_DIR} / "http-framing" / "requests.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "the shared vectors are not here";
    std::stringstream text;
    text << std::ifstream{file}.rdbuf();
    auto handler = [](Request) -> Task<Response> { co_return text_response(200, "ok"); };
    options.port = 0;
    auto server = Server::listen(std::move(options), handler, nullptr, gate);
    ASSERT_TRUE(server);
    (*server)->start();

    const boost::json::value vectors = boost::json::parse(text.str());
    for (const auto& item : vectors.as_array()) {
        const auto field = [&item](const char* name) {
            return std::string{item.at(name).as_string()};
        };
        SCOPED_TRACE(field("id") + " " + field("name"));
        RawClient client{(*server)->port()};
        client.send(decode_base64(field("raw_base64")));
        const std::string expect = field("expect");
        if (expect == "ok") {
            EXPECT_EQ(status_of(client.read_answer()), 200);
            continue;
        }
        if (expect != "reject") client.finish_sending();
        const std::string answer = client.read_all();
        const int status = status_of(answer);
        EXPECT_EQ(count_answers(answer), 1u) << answer;
        const bool is_refused = status == 400 || status == 501 || status == 505;
        EXPECT_TRUE(is_refused || (expect != "reject" && status == 200)) << answer;
        if (is_refused) {
            EXPECT_NE(answer.find("Connection: close"), std::string::npos);
        }
    }
}

TEST(FramingVectors, EachIsAnsweredOnceAndAsExpected)
{
    expect_vectors({}, {});
}

// The same bodies, into files.
TEST(FramingVectors, EachUploadIsAnsweredOnceAndAsExpected)
{
    ServerOptions options;
    options.uploads.folder = std::filesystem::temp_directory_path().string();
    options.uploads.is_upload = [](const Request&) { return true; };
    expect_vectors(std::move(options), [](const Request&) {
        return Entry{.spooled_bytes_max = 1024 * 1024};
    });
}

}  // namespace
}  // namespace umavez::http
