#include "functional/process.hpp"

#include "support/wait_limit.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace umavez::functional {
namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
    return {ends[0], ends[1]};
}

std::vector<char*> to_pointers(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> inherited_environment()
{
    std::vector<std::string> kept;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (!std::string_view{*variable}.starts_with("UMAVEZ_")) kept.emplace_back(*variable);
    }
    return kept;
}

std::string describe(int status)
{
    if (WIFEXITED(status)) return "ended with " + std::to_string(WEXITSTATUS(status));
    return "ended by signal " + std::to_string(WTERMSIG(status));
}

// An exit is nobody's surprise after a signal: it may come later than it was waited for.
bool was_asked_for(int status, int sent)
{
    if (WIFSIGNALED(status)) return WTERMSIG(status) == sent;
    return sent != 0 && WEXITSTATUS(status) == 0;
}

bool has_report(const std::string& text)
{
    return text.find("Sanitizer: ") != std::string::npos ||
           text.find(": runtime error: ") != std::string::npos;
}

}  // namespace

Process::Process(
    const std::string& directory,
    std::vector<std::string> arguments,
    std::vector<std::string> environment
)
{
    arguments.insert(arguments.begin(), UMAVEZ_PROGRAM);
    for (std::string& variable : inherited_environment())
        environment.push_back(std::move(variable));
    const std::vector<char*> argv = to_pointers(arguments);
    const std::vector<char*> envp = to_pointers(environment);
    const Pipe in = make_pipe();
    const Pipe out = make_pipe();
    const Pipe err = make_pipe();

    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error(std::strerror(errno));
    if (pid_ == 0) {
        ::dup2(in.read_end, STDIN_FILENO);
        ::dup2(out.write_end, STDOUT_FILENO);
        ::dup2(err.write_end, STDERR_FILENO);
        if (::chdir(directory.c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    ::close(in.read_end);
    ::close(out.write_end);
    ::close(err.write_end);
    in_ = in.write_end;
    out_ = out.read_end;
    err_ = err.read_end;
    // A server that logs while the test does not read must not stop for that.
    ::fcntl(err_, F_SETPIPE_SZ, 1024 * 1024);
}

Process::~Process()
{
    if (pid_ >= 0) {
        int status = 0;
        const bool was_dead = ::waitpid(pid_, &status, WNOHANG) == pid_;
        if (!was_dead) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        const std::string said = rest_of_error_output();
        if (was_dead && !was_asked_for(status, sent_))
            ADD_FAILURE() << "it " << describe(status) << " before it was killed: " << said;
        else if (has_report(said))
            ADD_FAILURE() << "a sanitizer complained: " << said;
    }
    for (const int descriptor : {in_, out_, err_}) {
        if (descriptor >= 0) ::close(descriptor);
    }
}

void Process::write_input(const std::string& text)
{
    std::signal(SIGPIPE, SIG_IGN);
    std::size_t at = 0;
    while (at < text.size()) {
        const ssize_t written = ::write(in_, text.data() + at, text.size() - at);
        if (written <= 0) break;
        at += static_cast<std::size_t>(written);
    }
    ::close(in_);
    in_ = -1;
}

void Process::signal(int number)
{
    sent_ = number;
    ::kill(pid_, number);
}

bool Process::read_some()
{
    pollfd waits[] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
    const int limit_ms = static_cast<int>(test::wait_limit().count()) * 1000;
    const int ready = ::poll(waits, 2, limit_ms);
    if (ready < 0 && errno == EINTR) return true;
    if (ready <= 0) {
        throw test::WaitNotMet(
            test::not_met("the program says something") + "; so far: " + out_text_ + err_text_
        );
    }
    for (int* const descriptor : {&out_, &err_}) {
        const pollfd& wait = waits[descriptor == &out_ ? 0 : 1];
        if (*descriptor < 0 || wait.revents == 0) continue;
        char bytes[4096];
        const ssize_t got = ::read(*descriptor, bytes, sizeof bytes);
        if (got > 0) {
            (descriptor == &out_ ? out_text_ : err_text_)
                .append(bytes, static_cast<std::size_t>(got));
        } else {
            ::close(*descriptor);
            *descriptor = -1;
        }
    }
    return out_ >= 0 || err_ >= 0;
}

// All that it said there, without a wait: a child of its own may still have the other end.
std::string Process::rest_of_error_output()
{
    if (err_ >= 0) {
        ::fcntl(err_, F_SETFL, O_NONBLOCK);
        char bytes[4096];
        for (ssize_t got = 0; (got = ::read(err_, bytes, sizeof bytes)) > 0;)
            err_text_.append(bytes, static_cast<std::size_t>(got));
    }
    return err_text_;
}

const std::string& Process::wait_for_error_output(const std::string& text)
{
    while (err_text_.find(text) == std::string::npos) {
        if (!read_some())
            throw std::runtime_error("it ended without \"" + text + "\": " + err_text_);
    }
    return err_text_;
}

Exited Process::wait_for_exit()
{
    while (out_ >= 0 || err_ >= 0) read_some();
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out_text_, err_text_};
}

Exited run(
    const std::string& directory,
    std::vector<std::string> arguments,
    std::vector<std::string> environment
)
{
    Process process{directory, std::move(arguments), std::move(environment)};
    process.write_input("");
    return process.wait_for_exit();
}

}  // namespace umavez::functional
