// Uploads over real connections: they arrive as files, whatever their framing; what is refused or
// breaks off leaves nothing; memory stays small.

#include "http/raw_client.hpp"
#include "http/router.hpp"
#include "http/server.hpp"
#include "http/spooled_body.hpp"
#include "http/test_gzip.hpp"
#include "support/wait.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <poll.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace umavez::http {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read_text(const SpooledBody& body)
{
    std::string text(body.bytes(), '\0');
    const auto got = body.file().read_at(0, text);
    EXPECT_TRUE(got && *got == text.size());
    return text;
}

// The sizes of all files of `folder` that are open, named or not.
std::vector<std::uint64_t> open_files(const std::string& folder)
{
    std::vector<std::uint64_t> sizes;
    for (const auto& entry : fs::directory_iterator{"/proc/self/fd"}) {
        std::error_code gone;
        if (!fs::read_symlink(entry.path(), gone).string().starts_with(folder + "/")) continue;
        const std::uint64_t size = fs::file_size(entry.path(), gone);
        if (!gone) sizes.push_back(size);
    }
    return sizes;
}

// Anonymous memory of the process, in kilobytes.
long anonymous_kilobytes()
{
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("RssAnon:")) return std::stol(line.substr(8));
    }
    return 0;
}

class UploadTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (fs::temp_directory_path() / "umavez-upload-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    void TearDown() override
    {
        server_.reset();
        EXPECT_TRUE(fs::is_empty(folder_));
        EXPECT_TRUE(open_files(folder_).empty());
        fs::remove_all(folder_);
    }

    void serve(ServerOptions options = {}, std::uint64_t bytes_max = 64 * 1024 * 1024)
    {
        Route route{.method = "POST", .pattern = "/files"};
        route.body = Body{.media_types = {"text/csv"}, .spooled_bytes_max = bytes_max};
        const auto take = [this](Request request) -> Task<Response> {
            EXPECT_TRUE(request.body.empty());
            const std::lock_guard guard{mutex_};
            ++taken_;
            if (!request.spooled) co_return text_response(200, "none");
            if (request.spooled->bytes() > 1024 * 1024) {
                co_return text_response(200, std::to_string(request.spooled->bytes()));
            }
            co_return text_response(200, "file: " + read_text(*request.spooled));
        };
        const auto refuse = [](const Request& head) -> std::optional<Response> {
            if (find_header(head.headers, "Authorization")) return std::nullopt;
            return text_response(401, "who are you?");
        };
        router_.add(std::move(route), take, {.refuse = refuse});
        Route plain{.method = "POST", .pattern = "/plain"};
        plain.body = Body{};
        router_.add(std::move(plain), [](Request request) -> Task<Response> {
            co_return text_response(200, "memory: " + request.body);
        });
        options.port = 0;
        if (options.uploads.folder.empty()) options.uploads.folder = folder_;
        if (options.uploads.folder == "none") options.uploads.folder.clear();
        options.uploads.is_upload = [this](const Request& head) { return router_.is_upload(head); };
        const auto handler = [this](Request request) { return router_.answer(std::move(request)); };
        const auto gate = [this](const Request& head) { return router_.enter(head); };
        const auto on_answered = [this](const Answered& answered) {
            const std::lock_guard guard{mutex_};
            errors_ += answered.error;
        };
        auto made = Server::listen(std::move(options), handler, on_answered, gate);
        ASSERT_TRUE(made) << made.error().detail;
        server_ = *std::move(made);
        server_->start();
    }

    static std::string head_of(const std::string& more, const std::string& path = "/files")
    {
        return "POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: me\r\n" + more + "\r\n";
    }
    static std::string with_length(std::string_view body, const std::string& more = {})
    {
        return head_of(fmt::format("Content-Length: {}\r\n{}", body.size(), more)) +
               std::string{body};
    }

    std::string ask(const std::string& bytes)
    {
        RawClient client{server_->port()};
        client.send(bytes);
        return client.read_answer();
    }

    // Waits until the server has let go of every file: an event we cannot be told of.
    void expect_no_files()
    {
        test::wait_until("no file is open", [this] { return open_files(folder_).empty(); });
    }

    std::uint64_t spooled_bytes() const
    {
        const auto sizes = open_files(folder_);
        return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    }

    int taken()
    {
        const std::lock_guard guard{mutex_};
        return taken_;
    }

    std::string folder_;
    Router router_;
    std::mutex mutex_;
    int taken_ = 0;
    std::string errors_;
    std::unique_ptr<Server> server_;
};

TEST_F(UploadTest, EveryFramingArrivesAsAFile)
{
    serve();
    RawClient client{server_->port()};
    const std::string packed = gzip("packed");

    client.send(with_length("small"));
    EXPECT_EQ(body_of(client.read_answer()), "file: small");
    client.send(head_of("Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    EXPECT_EQ(body_of(client.read_answer()), "file: abcde");
    client.send(with_length(packed, "Content-Encoding: gzip\r\n"));
    EXPECT_EQ(body_of(client.read_answer()), "file: packed");
    client.send(
        head_of("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n") +
        fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", packed.size(), packed)
    );
    EXPECT_EQ(body_of(client.read_answer()), "file: packed");
    const std::string large(100'000, 'x');
    client.send(with_length(large));
    EXPECT_EQ(body_of(client.read_answer()), "file: " + large);
    client.send(head_of("Content-Length: 0\r\n"));
    EXPECT_EQ(body_of(client.read_answer()), "none");
    client.send(with_length(gzip(""), "Content-Encoding: gzip\r\n"));
    EXPECT_EQ(body_of(client.read_answer()), "file: ");
    client.send(head_of("Content-Length: 2\r\n", "/plain") + "hi");
    EXPECT_EQ(body_of(client.read_answer()), "memory: hi");
}

TEST_F(UploadTest, PipelinedUploadsAreToldApart)
{
    serve();
    RawClient client{server_->port()};

    client.send(
        with_length("one") + with_length("two") + head_of("Content-Length: 1\r\n", "/plain") + "3"
    );

    EXPECT_EQ(body_of(client.read_answer()), "file: one");
    EXPECT_EQ(body_of(client.read_answer()), "file: two");
    EXPECT_EQ(body_of(client.read_answer()), "memory: 3");
}

TEST_F(UploadTest, WhoIsRefusedByTheHeadIsToldBeforeTheBody)
{
    serve({}, 1000);
    const std::string length = "Content-Length: 900\r\n";

    EXPECT_EQ(status_of(ask("POST /files HTTP/1.1\r\nHost: x\r\n" + length + "\r\n")), 401);
    EXPECT_EQ(status_of(ask("POST /files HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")), 401);
    EXPECT_EQ(status_of(ask(head_of("Content-Length: 1001\r\n"))), 413);
    EXPECT_EQ(status_of(ask(head_of("Content-Length: 99999\r\n", "/absent"))), 404);
    EXPECT_EQ(status_of(ask(head_of("Content-Length: 9\r\nContent-Encoding: br\r\n"))), 415);
    EXPECT_EQ(taken(), 0);
}

TEST_F(UploadTest, ContinueIsSaidToWhoMayComeIn)
{
    serve({}, 1000);
    RawClient client{server_->port()};

    client.send(head_of("Content-Length: 4\r\nExpect: 100-continue\r\n"));
    EXPECT_EQ(status_of(client.read_answer()), 100);
    client.send("body");
    EXPECT_EQ(body_of(client.read_answer()), "file: body");

    EXPECT_EQ(status_of(ask(head_of("Content-Length: 1001\r\nExpect: 100-continue\r\n"))), 413);
}

TEST_F(UploadTest, TheLimitHoldsForEveryFraming)
{
    ServerOptions options;
    options.uploads.bytes_max = 1000;
    serve(options, 2000);
    const std::string fits(1000, 'x');
    const std::string large(1001, 'x');
    const auto chunked = [](const std::string& body) {
        return head_of("Transfer-Encoding: chunked\r\n") +
               fmt::format("1\r\nx\r\n{:x}\r\n{}\r\n0\r\n\r\n", body.size() - 1, body.substr(1));
    };
    const auto packed = [](const std::string& body) {
        return with_length(gzip(body), "Content-Encoding: gzip\r\n");
    };

    EXPECT_EQ(body_of(ask(with_length(fits))), "file: " + fits);
    EXPECT_EQ(body_of(ask(chunked(fits))), "file: " + fits);
    EXPECT_EQ(body_of(ask(packed(fits))), "file: " + fits);
    EXPECT_EQ(status_of(ask(with_length(large))), 413);
    EXPECT_EQ(status_of(ask(chunked(large))), 413);
    EXPECT_EQ(status_of(ask(packed(large))), 413);
    expect_no_files();
}

TEST_F(UploadTest, ABombOfGzipIsStoppedAtTheLimit)
{
    serve();
    const std::string bomb = gzip(std::string(100 * 1024 * 1024, '\0'));
    ASSERT_LT(bomb.size(), 200'000u);
    const long before = anonymous_kilobytes();

    EXPECT_EQ(status_of(ask(with_length(bomb, "Content-Encoding: gzip\r\n"))), 413);
    EXPECT_LT(anonymous_kilobytes() - before, 8 * 1024);
    expect_no_files();
}

TEST_F(UploadTest, WhatIsNotGzipOrBreaksOffIsRefused)
{
    serve();
    const std::string packed = gzip("some text that is packed");
    const std::string gzip_line = "Content-Encoding: gzip\r\n";

    EXPECT_EQ(status_of(ask(with_length("plain", gzip_line))), 400);
    EXPECT_EQ(status_of(ask(with_length(packed.substr(0, packed.size() - 3), gzip_line))), 400);
    EXPECT_EQ(status_of(ask(with_length(packed + "x", gzip_line))), 400);
    EXPECT_EQ(
        body_of(ask(with_length(packed + gzip("!"), gzip_line))), "file: some text that is packed!"
    );
    EXPECT_EQ(status_of(ask(head_of("Transfer-Encoding: chunked\r\n") + "3\r\nabcd\r\n")), 400);
}

TEST_F(UploadTest, A64MiBUploadTakesNoMemory)
{
    serve();
    constexpr std::size_t size = 64 * 1024 * 1024;
    const std::string piece(1024 * 1024, 'z');
    RawClient client{server_->port()};
    client.send(head_of(fmt::format("Content-Length: {}\r\n", size)));
    const long before = anonymous_kilobytes();

    for (std::size_t sent = 0; sent < size; sent += piece.size()) ASSERT_TRUE(client.send(piece));
    const std::string answer = client.read_answer();

    EXPECT_EQ(body_of(answer), std::to_string(size));
    EXPECT_LT(anonymous_kilobytes() - before, 8 * 1024);
    expect_no_files();
}

TEST_F(UploadTest, AClientThatLeavesAtAnyByteLeavesNothing)
{
    serve();
    const std::string packed = gzip(std::string(5000, 'q') + "end");
    const std::array requests = {
        with_length(std::string(700, 'x')),
        head_of("Transfer-Encoding: chunked\r\n") + "5\r\nabcde\r\n3\r\nfgh\r\n0\r\n\r\n",
        with_length(packed, "Content-Encoding: gzip\r\n"),
    };
    for (const std::string& request : requests) {
        for (std::size_t cut = 1; cut < request.size(); cut += 1 + request.size() / 60) {
            RawClient client{server_->port()};
            client.send(request.substr(0, cut));
        }
    }
    EXPECT_EQ(body_of(ask(with_length("still here"))), "file: still here");
    // Some of them may only now be read: they are all over when the server is.
    server_->stop(test::wait_limit());
    expect_no_files();
    EXPECT_EQ(taken(), 1);
}

TEST_F(UploadTest, WhoStandsStillIsCut)
{
    ServerOptions options;
    options.uploads.stall_limit = std::chrono::milliseconds{200};
    serve(options);
    RawClient client{server_->port()};

    client.send(head_of("Content-Length: 100\r\n") + "some");

    EXPECT_EQ(status_of(client.read_answer()), 408);
    expect_no_files();
}

TEST_F(UploadTest, WhoTakesTooLongIsCutThoughBytesCome)
{
    ServerOptions options;
    options.uploads.limit = std::chrono::milliseconds{300};
    serve(options);
    RawClient client{server_->port()};
    client.send(head_of("Content-Length: 60000000\r\n"));

    // One byte after the other until there is an answer.
    pollfd answer{.fd = client.handle(), .events = POLLIN, .revents = 0};
    test::wait_until("there is an answer", [&] {
        if (::poll(&answer, 1, 0) > 0) return true;
        static_cast<void>(client.send("s"));  // fails where the server has answered meanwhile
        return false;
    });

    EXPECT_EQ(status_of(client.read_answer()), 408);
    expect_no_files();
}

TEST_F(UploadTest, AnUploadMayTakeLongerThanABodyInMemory)
{
    ServerOptions options;
    options.body_limit = std::chrono::milliseconds{1};
    serve(options);
    RawClient slow{server_->port()};
    RawClient other{server_->port()};

    slow.send(head_of("Content-Length: 4\r\n") + "ab");
    other.send(head_of("Content-Length: 9\r\n", "/plain") + "ab");
    EXPECT_EQ(status_of(other.read_answer()), 408);
    slow.send("cd");

    EXPECT_EQ(body_of(slow.read_answer()), "file: abcd");
}

TEST_F(UploadTest, AFullDiskIsToldAndLeavesNothing)
{
    serve();
    // A limit on the size of files stands for the end of the disk.
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit tiny{.rlim_cur = 64 * 1024, .rlim_max = before.rlim_max};
    auto* const old = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &tiny);
    const std::string answer = ask(with_length(std::string(200'000, 'x')));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old);

    EXPECT_EQ(status_of(answer), 503) << answer;
    EXPECT_THAT(answer, HasSubstr("nothing was executed"));
    EXPECT_THAT(answer, HasSubstr("Retry-After"));
    EXPECT_EQ(taken(), 0);
    server_.reset();  // it reports after it has answered
    EXPECT_THAT(errors_, HasSubstr("cannot write"));
}

TEST_F(UploadTest, WithoutAFolderUploadsAreRefused)
{
    ServerOptions options;
    options.uploads.folder = "none";
    serve(options);

    EXPECT_EQ(status_of(ask(with_length("small"))), 503);
}

TEST_F(UploadTest, AllTogetherHaveALimit)
{
    ServerOptions options;
    options.uploads.together_bytes_max = 10'000;
    serve(options);
    RawClient first{server_->port()};
    first.send(head_of("Content-Length: 9000\r\n") + std::string(6000, 'x'));
    test::wait_until("6000 are there", [this] { return spooled_bytes() >= 6000; });
    first.send(std::string(2000, 'x'));
    // And the first 6000 are counted.
    test::wait_until("8000 are there", [this] { return spooled_bytes() >= 8000; });

    EXPECT_EQ(status_of(ask(with_length(std::string(5000, 'y')))), 503);
    first.send(std::string(1000, 'x'));
    EXPECT_EQ(status_of(first.read_answer()), 200);
    EXPECT_EQ(status_of(ask(with_length(std::string(5000, 'y')))), 200);
}

TEST_F(UploadTest, AHundredAtOnceKeepTheirBytes)
{
    serve();
    std::array<std::string, 100> answers;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            threads.emplace_back([this, &answers, i] {
                const std::string body(20'000 + i, static_cast<char>('a' + i % 26));
                try {
                    answers[i] = ask(with_length(body));
                } catch (const std::exception& error) {
                    answers[i] = error.what();
                }
            });
        }
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(
            body_of(answers[i]), "file: " + std::string(20'000 + i, static_cast<char>('a' + i % 26))
        );
    }
    expect_no_files();
}

}  // namespace
}  // namespace umavez::http
