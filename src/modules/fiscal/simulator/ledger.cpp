#include "modules/fiscal/simulator/ledger.hpp"

#include "base/assert.hpp"
#include "base/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

namespace umavez::fiscal::simulator {

Result<Ledger> Ledger::open(const std::string& path, std::vector<LedgerEvent>& events)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) return file_error("open the ledger", path, errno);
    Ledger ledger{path, descriptor};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{}: another simulator works with it; stop that one or choose another --folder",
                path
            )
        );
    }
    std::ifstream file{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    std::string_view rest = text;
    for (std::size_t line = 1; rest.contains('\n'); ++line) {
        const std::size_t end = rest.find('\n');
        auto event = parse_line(rest.substr(0, end));
        if (!event) {
            return fail(
                Errc::corrupt_record,
                fmt::format("{}: line {}: {}", path, line, event.error().detail)
            );
        }
        events.push_back(*std::move(event));
        rest.remove_prefix(end + 1);
    }
    ledger.bytes_ = text.size() - rest.size();
    if (!rest.empty() && ::ftruncate(descriptor, static_cast<off_t>(ledger.bytes_)) != 0) {
        return file_error("cut the unfinished line of", path, errno);
    }
    if (auto flushed = flush_folder(std::filesystem::path{path}.parent_path().string()); !flushed) {
        return std::unexpected(flushed.error());
    }
    return ledger;
}

Ledger::~Ledger()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Ledger::append(std::span<const LedgerEvent> events)
{
    std::string lines;
    for (const LedgerEvent& event : events) lines += to_line(event) + '\n';
    std::string_view rest = lines;
    while (!rest.empty()) {
        const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    if (rest.empty() && ::fdatasync(descriptor_) == 0) {
        bytes_ += lines.size();
        return {};
    }
    const int reason = errno;
    // A line that stays behind would be believed at the next start, although its request was told otherwise.
    UMAVEZ_ASSERT(::ftruncate(descriptor_, static_cast<off_t>(bytes_)) == 0);
    return file_error("write to", path_, reason);
}

}  // namespace umavez::fiscal::simulator
