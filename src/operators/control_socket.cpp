#include "operators/control_socket.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <expected>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace umavez::operators {
namespace {

using Steady = std::chrono::steady_clock;

class Descriptor {
public:
    explicit Descriptor(int value) noexcept : value_(value) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (value_ >= 0) ::close(value_);
    }
    int get() const noexcept { return value_; }
    int release() noexcept { return std::exchange(value_, -1); }

private:
    int value_;
};

Result<sockaddr_un> to_address(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "the control socket's path {} has {} bytes, the system allows {}: move the "
                "database to a "
                "shorter path",
                shown(path),
                path.size(),
                sizeof address.sun_path - 1
            )
        );
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

const sockaddr* as_sockaddr(const sockaddr_un& address) noexcept
{
    return reinterpret_cast<const sockaddr*>(&address);
}

// Whether `descriptor` became ready before the deadline.
bool wait_for(int descriptor, short events, Steady::time_point deadline)
{
    using std::chrono::milliseconds;
    while (true) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - Steady::now());
        if (left.count() <= 0) return false;
        pollfd waiting{.fd = descriptor, .events = events, .revents = 0};
        const auto at_once = std::min(left, milliseconds{std::chrono::hours{1}});
        const int ready = ::poll(&waiting, 1, static_cast<int>(at_once.count()));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

struct Patience {
    std::chrono::milliseconds whole;    // for the line
    std::chrono::milliseconds silence;  // between two parts of it
};

enum class NoLine : std::uint8_t { none_came, too_long };

// One line, without its end.
std::expected<std::string, NoLine> read_line(
    int peer, std::size_t bytes_max, const Patience& patience
)
{
    const Steady::time_point deadline = Steady::now() + patience.whole;
    std::string line;
    std::array<char, 64 * 1024> part;
    while (wait_for(peer, POLLIN, std::min(deadline, Steady::now() + patience.silence))) {
        const ssize_t size = ::recv(peer, part.data(), part.size(), 0);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        const std::string_view came{part.data(), static_cast<std::size_t>(size)};
        const std::size_t end = came.find('\n');
        line += came.substr(0, end);
        if (line.size() > bytes_max) return std::unexpected(NoLine::too_long);
        if (end != std::string_view::npos) return line;
    }
    return std::unexpected(NoLine::none_came);
}

// What goes away by itself: files or memory of the process or of the system.
bool is_shortage(int reason) noexcept
{
    return reason == EMFILE || reason == ENFILE || reason == ENOBUFS || reason == ENOMEM;
}

bool write_line(int peer, std::string line, Steady::time_point deadline)
{
    std::ranges::replace(line, '\n', ' ');
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
        if (!wait_for(peer, POLLOUT, deadline)) return false;
        const ssize_t size = ::send(peer, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (size < 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

std::string too_long_sentence()
{
    return fmt::format("a command is one line of at most {} MiB", control_line_bytes_max >> 20);
}

std::unexpected<Error> fail_with_errno(std::string_view action, const std::string& path)
{
    return fail(
        Errc::misconfigured, fmt::format("cannot {} {}: {}", action, path, std::strerror(errno))
    );
}

// While the queue of the listener is full, connect() waits; for a Unix socket this is its deadline.
void limit_connect(int peer, std::chrono::milliseconds patience)
{
    const auto whole = std::chrono::floor<std::chrono::seconds>(patience);
    const timeval limit{
        .tv_sec = static_cast<time_t>(whole.count()),
        .tv_usec = static_cast<suseconds_t>(std::chrono::microseconds{patience - whole}.count()),
    };
    static_cast<void>(::setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
}

}  // namespace

Result<std::unique_ptr<ControlSocket>> ControlSocket::open(std::string path, Handler handler)
{
    const auto address = to_address(path);
    if (!address) return std::unexpected(address.error());
    Descriptor listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (listener.get() < 0) return fail_with_errno("create the socket", path);
    // Whatever has this name belongs to a process that died: the living one would hold the lock.
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0) {
        if (!S_ISSOCK(status.st_mode)) {
            return fail(
                Errc::misconfigured, fmt::format("{} is in the way and no socket: move it", path)
            );
        }
        ::unlink(path.c_str());
    }
    // Narrowed before bind: there is no moment in which others could connect. The mode of the
    // socket's own inode is what bind gives the name.
    if (::fchmod(listener.get(), 0600) != 0) return fail_with_errno("protect", path);
    if (::bind(listener.get(), as_sockaddr(*address), sizeof *address) != 0) {
        return fail_with_errno("bind", path);
    }
    if (::chmod(path.c_str(), 0600) != 0) return fail_with_errno("protect", path);
    if (::listen(listener.get(), 16) != 0) return fail_with_errno("listen on", path);
    Descriptor wake{::eventfd(0, EFD_CLOEXEC)};
    if (wake.get() < 0) return fail_with_errno("watch", path);
    return std::unique_ptr<ControlSocket>{
        new ControlSocket{std::move(path), std::move(handler), listener.release(), wake.release()}
    };
}

ControlSocket::ControlSocket(std::string path, Handler handler, int listener, int wake)
    : path_(std::move(path)), handler_(std::move(handler)), listener_(listener), wake_(wake)
{
    for (std::size_t i = 0; i < control_threads; ++i) {
        threads_.emplace_back([this] { loop(); });
        pthread_setname_np(threads_.back().native_handle(), "umavez-control");
    }
}

ControlSocket::~ControlSocket()
{
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_, &one, sizeof one));
    for (std::thread& thread : threads_) thread.join();
    ::unlink(path_.c_str());
    ::close(listener_);
    ::close(wake_);
}

// False: it is time to go.
bool ControlSocket::wait_for_peer() const
{
    std::array<pollfd, 2> waiting = {{
        {.fd = wake_, .events = POLLIN, .revents = 0},
        {.fd = listener_, .events = POLLIN, .revents = 0},
    }};
    while (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    return waiting[0].revents == 0;
}

// Whoever waits makes the listener ready again at once.
void ControlSocket::pause() const
{
    static_cast<void>(wait_for(wake_, POLLIN, Steady::now() + std::chrono::milliseconds{100}));
}

void ControlSocket::loop()
{
    while (wait_for_peer()) {
        const Descriptor peer{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)};
        if (peer.get() >= 0) {
            serve(peer.get());
        } else if (is_shortage(errno)) {
            pause();
        }
        // Else another thread was faster.
    }
}

void ControlSocket::serve(int peer) const
{
    const auto line =
        read_line(peer, control_line_bytes_max, {control_line_deadline, control_silence_max});
    if (!line && line.error() == NoLine::none_came) return;
    std::string answer;
    try {
        answer = line ? handler_(*line) : fmt::format("error: {}", too_long_sentence());
    } catch (const std::exception& error) {
        answer = fmt::format("error: {}", error.what());
    }
    const auto deadline = Steady::now() + control_write_deadline;
    static_cast<void>(write_line(peer, std::move(answer), deadline));
}

Result<std::string> ask_control_socket(
    const std::string& path, std::string_view line, std::chrono::milliseconds patience
)
{
    if (line.size() > control_line_bytes_max || line.find('\n') != std::string_view::npos) {
        return fail(Errc::invalid_argument, too_long_sentence());
    }
    const auto address = to_address(path);
    if (!address) return std::unexpected(address.error());
    const auto unanswered = [&path](std::string_view why) {
        return fail(Errc::store_unavailable, fmt::format("nobody answers at {}: {}", path, why));
    };
    const Descriptor peer{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (peer.get() < 0) return unanswered(std::strerror(errno));
    limit_connect(peer.get(), std::min<std::chrono::milliseconds>(patience, control_write_deadline));
    if (::connect(peer.get(), as_sockaddr(*address), sizeof *address) != 0) {
        // What a full queue is called when its time is over.
        return unanswered(errno == EAGAIN ? "it takes nobody in" : std::strerror(errno));
    }
    if (!write_line(peer.get(), std::string{line}, Steady::now() + control_write_deadline)) {
        return unanswered("it took no line");
    }
    auto answer = read_line(peer.get(), control_answer_bytes_max, {patience, patience});
    if (answer) return std::move(*answer);
    if (answer.error() == NoLine::too_long) {
        return fail(
            Errc::store_unknown,
            fmt::format("{} took the command, but its answer is larger than 16 MiB", path)
        );
    }
    return fail(
        Errc::store_unknown,
        fmt::format("{} took the command, but no answer came back in time", path)
    );
}

}  // namespace umavez::operators
