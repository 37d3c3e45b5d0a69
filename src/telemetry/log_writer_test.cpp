#include "telemetry/log_writer.hpp"

#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace umavez {
namespace {

using testing::StartsWith;

class LogWriterTest : public testing::Test {
protected:
    LogWriterTest()
    {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        reader_ = ends[0];
        descriptor_ = ends[1];
        open();
    }
    ~LogWriterTest() override
    {
        writer_.reset();
        ::close(reader_);
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    void open()
    {
        writer_ = std::make_unique<LogWriter>(descriptor_, [](std::size_t lines) {
            return "lost " + std::to_string(lines);
        });
    }

    // Ends the writer and reads what is left.
    std::string read_all()
    {
        writer_.reset();
        ::close(descriptor_);
        descriptor_ = -1;
        return read_until_empty();
    }
    std::string read_until_empty() const
    {
        std::string text;
        char bytes[65'536];
        for (ssize_t got = 0; (got = ::read(reader_, bytes, sizeof bytes)) > 0;) {
            text.append(bytes, static_cast<std::size_t>(got));
        }
        return text;
    }

    int reader_ = -1;
    int descriptor_ = -1;
    std::unique_ptr<LogWriter> writer_;
};

TEST_F(LogWriterTest, LinesComeInTheirOrder)
{
    writer_->put("one");
    writer_->put("two");

    EXPECT_EQ(read_all(), "one\ntwo\n");
}

TEST_F(LogWriterTest, LinesComeWithoutAnybodyAskingForThem)
{
    writer_->put("one");

    char bytes[16];
    EXPECT_EQ(::read(reader_, bytes, sizeof bytes), 4);  // waits for it
}

TEST_F(LogWriterTest, WhatIsThereIsWrittenAfterAFlush)
{
    // A flush waits for a second at most: one that took longer promises nothing.
    int put = 0;
    test::wait_until("a flush ends in time", [&] {
        writer_->put("one");
        writer_->put("two");
        put += 8;
        const auto began = std::chrono::steady_clock::now();
        writer_->flush();
        const bool is_in_time = std::chrono::steady_clock::now() - began < std::chrono::seconds{1};
        int there = 0;
        EXPECT_EQ(::ioctl(reader_, FIONREAD, &there), 0);
        if (is_in_time) {
            EXPECT_EQ(there, put);
        }
        return is_in_time;
    });
}

TEST_F(LogWriterTest, NobodyWaitsForAReaderThatDoesNotRead)
{
    const std::string line(1000, 'a');
    for (int i = 0; i < 20'000; ++i) writer_->put(line);  // 20 MB; a pipe holds 64 KB
    writer_.reset();                                      // ends although nobody reads

    ::close(descriptor_);
    descriptor_ = -1;
    EXPECT_THAT(read_until_empty(), StartsWith(line));
}

TEST_F(LogWriterTest, WhatWasDroppedIsCounted)
{
    constexpr std::size_t count = 20'000;
    const std::string line(1000, 'a');
    for (std::size_t i = 0; i < count; ++i) writer_->put(line);
    std::size_t arrived = 0;
    std::size_t lost = 0;  // told once or in parts, as the writer comes to it
    std::string text;
    char bytes[65'536];
    while (arrived + lost < count) {
        const ssize_t got = ::read(reader_, bytes, sizeof bytes);
        ASSERT_GT(got, 0);
        text.append(bytes, static_cast<std::size_t>(got));
        for (std::size_t end; (end = text.find('\n')) != std::string::npos;
             text.erase(0, end + 1)) {
            if (text.starts_with("lost ")) {
                lost += std::stoul(text.substr(5, end - 5));
            } else {
                ++arrived;
            }
        }
    }

    EXPECT_EQ(arrived + lost, count);
    EXPECT_GT(lost, 0u);
}

}  // namespace
}  // namespace umavez
