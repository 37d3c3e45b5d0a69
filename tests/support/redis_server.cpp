#include "support/redis_server.hpp"

#include "support/free_port.hpp"
#include "support/wait_limit.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace umavez::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const redisReply& reply)
{
    switch (reply.type) {
        case REDIS_REPLY_INTEGER: return std::to_string(reply.integer);
        case REDIS_REPLY_ARRAY: {
            std::string lines;
            for (std::size_t i = 0; i < reply.elements; ++i)
                lines += text_of(*reply.element[i]) + "\n";
            return lines;
        }
        case REDIS_REPLY_NIL: return "";
        default: return {reply.str, static_cast<std::size_t>(reply.len)};
    }
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> settings) : settings_(std::move(settings))
{
    std::string pattern = (fs::temp_directory_path() / "umavez-redis-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    folder_ = pattern;
    port_ = find_free_port();
    start();
}

RedisServer::~RedisServer()
{
    if (is_running()) kill(SIGKILL);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::vector<std::string> RedisServer::arguments() const
{
    std::vector<std::string> all = {
        "redis-server",
        "--bind",
        "127.0.0.1",
        "--port",
        std::to_string(port_),
        "--unixsocket",
        socket_path(),
        "--dir",
        folder_,
        "--save",
        "",
        "--appendonly",
        "no",
        "--logfile",
        "",
        "--daemonize",
        "no",
    };
    all.insert(all.end(), settings_.begin(), settings_.end());
    return all;
}

void RedisServer::start()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    // Nobody reads the log once the server is ready: what does not fit is dropped.
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
    std::vector<std::string> texts = arguments();
    std::vector<char*> words;
    for (std::string& text : texts) words.push_back(text.data());
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        ::execvp(words[0], words.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    if (log_ >= 0) ::close(log_);
    log_ = ends[0];
    if (pid_ < 0) throw std::runtime_error("fork");
    wait_until_ready(log_);
}

void RedisServer::wait_until_ready(int log)
{
    const auto deadline = std::chrono::steady_clock::now() + wait_limit();
    std::string said;
    while (said.find("eady to accept connections") == said.npos) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now()
        );
        pollfd watched{.fd = log, .events = POLLIN, .revents = 0};
        std::array<char, 4096> buffer;
        ssize_t count = 0;
        if (left.count() > 0 && ::poll(&watched, 1, static_cast<int>(left.count())) > 0) {
            count = ::read(log, buffer.data(), buffer.size());
        }
        if (count <= 0) {
            kill(SIGKILL);
            if (left.count() <= 0) throw WaitNotMet(not_met("redis-server starts") + ": " + said);
            throw std::runtime_error("redis-server did not start:\n" + said);
        }
        said.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

void RedisServer::stop()
{
    ::kill(pid_, SIGTERM);
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
}

void RedisServer::kill(int signal)
{
    ::kill(pid_, signal);
    if (signal != SIGKILL) return;
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
}

std::string RedisServer::command(const std::vector<std::string>& words, bool may_fail) const
{
    const timeval limit{.tv_sec = wait_limit().count(), .tv_usec = 0};
    const std::unique_ptr<redisContext, decltype(&redisFree)> context{
        redisConnectUnixWithTimeout(socket_path().c_str(), limit), &redisFree
    };
    if (!context || context->err != 0) throw std::runtime_error("redis-server cannot be reached");
    redisSetTimeout(context.get(), limit);
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
        texts.push_back(word.data());
        sizes.push_back(word.size());
    }
    const int count = static_cast<int>(words.size());
    const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply{
        static_cast<redisReply*>(redisCommandArgv(context.get(), count, texts.data(), sizes.data())
        ),
        &freeReplyObject
    };
    if (!reply) throw std::runtime_error(std::string{"no reply: "} + context->errstr);
    if (reply->type == REDIS_REPLY_ERROR && !may_fail) throw std::runtime_error(text_of(*reply));
    return text_of(*reply);
}

}  // namespace umavez::test
