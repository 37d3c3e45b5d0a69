#include "support/smtp_sink.hpp"

#include "support/wait_limit.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace umavez::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view listening = "listening on ";

std::string read_all(const fs::path& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// Whole ones: the last may still be written.
std::vector<std::string> read_lines(const fs::path& path)
{
    std::vector<std::string> lines;
    std::ifstream file{path};
    for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
    return lines;
}

// Of a line that json.dumps wrote.
std::string member(const std::string& line, const std::string& name)
{
    const std::size_t at = line.find("\"" + name + "\": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = line.find_first_not_of("[\"", at + name.size() + 4);
    return line.substr(begin, line.find_first_of("],\"}", begin) - begin);
}

// The first line that it prints, or what came until it ended.
std::string read_line(int pipe)
{
    std::string line;
    const auto deadline = std::chrono::steady_clock::now() + wait_limit();
    while (!line.ends_with('\n') && std::chrono::steady_clock::now() < deadline) {
        pollfd readable{.fd = pipe, .events = POLLIN, .revents = 0};
        if (::poll(&readable, 1, 1000) <= 0) continue;  // its end is readable, too
        char c = 0;
        if (::read(pipe, &c, 1) != 1) break;
        line += c;
    }
    return line;
}

}  // namespace

SmtpSink::SmtpSink(std::vector<std::string> arguments)
{
    std::string pattern = (fs::temp_directory_path() / "umavez-sink-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    folder_ = pattern;
    std::vector<std::string> words{
        "/usr/bin/python3",
        UMAVEZ_SMTP_SINK,
        "--accepted",
        folder_ / "accepted",
        "--connections",
        folder_ / "connections",
        "--keep",
        folder_,
    };
    for (std::string& argument : arguments) {
        const bool is_certificate = argument == "--make-cert";
        words.push_back(std::move(argument));
        if (is_certificate) words.push_back(folder_);
    }
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::dup2(pipe[1], 1);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(pipe[1]);
    const std::string line = read_line(pipe[0]);
    ::close(pipe[0]);
    if (!line.starts_with(listening)) throw std::runtime_error("the SMTP sink said: " + line);
    port_ = static_cast<std::uint16_t>(std::stoul(line.substr(listening.size())));
}

SmtpSink::~SmtpSink()
{
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::vector<SunkMail> SmtpSink::taken() const
{
    std::vector<SunkMail> mails;
    for (const std::string& line : read_lines(folder_ / "accepted")) {
        mails.push_back({
            member(line, "message_id"),
            member(line, "rcpt"),
            member(line, "queue_id"),
            std::stoul(member(line, "connection")),
        });
    }
    return mails;
}

std::size_t SmtpSink::connections() const
{
    return read_lines(folder_ / "connections").size();
}

std::string SmtpSink::content_of(const std::string& queue_id) const
{
    return read_all(folder_ / (queue_id + ".eml"));
}

}  // namespace umavez::test
