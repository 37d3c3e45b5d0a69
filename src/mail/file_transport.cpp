#include "mail/file_transport.hpp"

#include "base/char_set.hpp"
#include "base/digest.hpp"
#include "base/json_object.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace umavez::mail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t name_bytes_max = 200;

constexpr CharSet name_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("@.-_+", byte);
}};

std::string find_message_id(std::string_view content)
{
    const std::string_view head = content.substr(0, content.find("\r\n\r\n"));
    constexpr std::string_view name = "\r\nMessage-ID: <";
    const std::size_t at = head.find(name);
    if (at == std::string_view::npos) return to_hex(sha256(content));
    const std::string_view rest = head.substr(at + name.size());
    return std::string{rest.substr(0, rest.find('>'))};
}

std::string to_file_name(std::string_view message_id)
{
    std::string name;
    for (const char c : message_id.substr(0, name_bytes_max)) name += name_chars.has(c) ? c : '_';
    if (name.starts_with('.')) name.front() = '_';
    return name + ".eml";
}

// Says what went wrong; empty: nothing.
std::string write_file(const fs::path& path, int flags, std::string_view bytes)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
    bool is_written = file >= 0;
    while (is_written && !bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        is_written = written > 0 || (written < 0 && errno == EINTR);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    const std::string why =
        is_written ? "" : fmt::format("{}: {}", path.string(), std::strerror(errno));
    if (file >= 0) ::close(file);
    return why;
}

}  // namespace

Delivered FileTransport::send(
    const Envelope& envelope, std::string_view content, std::stop_token stop
)
{
    if (stop.stop_requested()) return {.detail = "the sender stops"};
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return {.detail = fmt::format("{}: {}", folder_.string(), error.message())};

    const std::string message_id = find_message_id(content);
    const std::string name = to_file_name(message_id);
    // No two threads have the same.
    const fs::path unfinished = folder_ / fmt::format(".{}.{}", name, ::gettid());
    std::string why = write_file(unfinished, O_TRUNC, content);
    if (why.empty()) {
        const std::string line =
            JsonObject{}.text("message_id", message_id).text("to", envelope.to).str() + "\n";
        why = write_file(folder_ / "sent.log", O_APPEND, line);
    }
    if (!why.empty()) {
        fs::remove(unfinished, error);
        return {.detail = std::move(why)};
    }
    fs::rename(unfinished, folder_ / name, error);
    if (error) return {.verdict = Verdict::unknown, .detail = error.message()};
    return {.verdict = Verdict::accepted, .code = 250, .detail = name, .external_id = name};
}

}  // namespace umavez::mail
