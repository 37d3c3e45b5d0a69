// `umavez backup`: a verified copy of the database while it is used.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "base/json_object.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace umavez {
namespace {

// On a terminal: how far the copy is, seen by the size of the file that grows.
class Progress {
public:
    Progress(std::string database, std::string copy)
        : database_(std::move(database)), copy_(std::move(copy))
    {
        if (::isatty(STDERR_FILENO) != 1 || database_.empty()) return;
        thread_ = std::jthread{[this](std::stop_token stop) { show(std::move(stop)); }};
    }

private:
    void show(std::stop_token stop)
    {
        std::unique_lock lock{mutex_};
        while (!stopping_.wait_for(lock, stop, std::chrono::milliseconds{200}, [&stop] {
            return stop.stop_requested();
        })) {
            std::error_code ignored;
            const auto whole = std::filesystem::file_size(database_, ignored);
            const auto part = std::filesystem::file_size(copy_ + ".partial", ignored);
            if (ignored || whole == 0) continue;
            fmt::print(
                stderr, "\rcopied {:3}% ", std::min<std::uintmax_t>(100, part * 100 / whole)
            );
            std::fflush(stderr);
        }
        fmt::print(stderr, "\r\x1b[K");
    }

    const std::string database_;
    const std::string copy_;
    std::mutex mutex_;
    std::condition_variable_any stopping_;
    std::jthread thread_;
};

int back_up(const Invocation& invocation)
{
    if (invocation.arguments.front().empty()) {
        return complain("FILE is empty: name the file to write", exit_usage);
    }
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    if (!desk->is_local()) {
        return complain(
            "backup writes a file on the machine of the database: run it there, without "
            "UMAVEZ_SERVER",
            exit_usage
        );
    }
    // The process that writes has a working directory of its own.
    const std::string path =
        std::filesystem::absolute(invocation.arguments.front()).lexically_normal();
    JsonObject body;
    body.text("path", path);
    const auto done = [&] {
        const Progress progress{desk->database(), path};
        return desk->ask({.method = "POST", .path = "/ops/backup", .body = body.str()});
    }();
    if (!done) return done.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *done->text);
    } else {
        std::error_code ignored;
        const auto bytes = std::filesystem::file_size(path, ignored);
        fmt::print("{}: {} bytes, checked\n", path, ignored ? 0 : bytes);
    }
    return exit_done;
}

}  // namespace

Command backup_command()
{
    return {
        .name = "backup",
        .summary = "Copy the database to a new file while it is used",
        .example = "umavez backup umavez-$(date +%F).db --database sqlite:umavez.db",
        .options = {{"--json", "", "one JSON document, for programs"}},
        .takes_settings = true,
        .argument = "FILE",
        .run = back_up,
    };
}

}  // namespace umavez
