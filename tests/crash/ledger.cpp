#include "ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace umavez::crash {
namespace {

static_assert(4096 % ledger_line_bytes == 0);

int open_for_append(const std::string& path)
{
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (descriptor < 0) throw std::system_error{errno, std::generic_category(), path};
    return descriptor;
}

}  // namespace

std::vector<LedgerLine> read_ledger(const std::string& path)
{
    std::ifstream file{path, std::ios::binary};
    std::vector<LedgerLine> lines;
    std::array<char, ledger_line_bytes> bytes{};
    while (file.read(bytes.data(), bytes.size())) {
        std::istringstream words{std::string{bytes.data(), bytes.size()}};
        LedgerLine line;
        words >> line.event >> line.key >> line.effect_key >> line.nonce;
        if (bytes.back() != '\n' || line.nonce.empty())
            throw std::runtime_error{"torn line in " + path};
        lines.push_back(std::move(line));
    }
    if (file.gcount() != 0) throw std::runtime_error{"torn end of " + path};
    return lines;
}

Ledger::Ledger(std::string path) : descriptor_(open_for_append(path))
{
    for (const LedgerLine& line : read_ledger(path)) {
        nonces_.emplace(std::pair{line.event, line.effect_key}, line.nonce);
    }
}

Ledger::~Ledger()
{
    ::close(descriptor_);
}

void Ledger::append(const LedgerLine& line)
{
    const std::lock_guard guard{mutex_};
    write_line(line);
}

bool Ledger::append_unless_fenced(const LedgerLine& line, std::int64_t epoch)
{
    const std::lock_guard guard{mutex_};
    const auto fence = fences_.find(line.effect_key);
    if (fence != fences_.end() && epoch < fence->second) return false;
    write_line(line);
    return true;
}

std::string Ledger::accept_once(const LedgerLine& line)
{
    const std::lock_guard guard{mutex_};
    const auto known = nonces_.find(std::pair{line.event, line.effect_key});
    if (known != nonces_.end()) return known->second;
    write_line(line);
    return line.nonce;
}

std::optional<std::string> Ledger::find(std::string_view event, std::string_view effect_key) const
{
    const std::lock_guard guard{mutex_};
    const auto known = nonces_.find(std::pair{std::string{event}, std::string{effect_key}});
    if (known == nonces_.end()) return std::nullopt;
    return known->second;
}

std::optional<std::string> Ledger::find_and_fence(std::string_view effect_key, std::int64_t epoch)
{
    const std::lock_guard guard{mutex_};
    std::int64_t& fence = fences_[std::string{effect_key}];
    fence = std::max(fence, epoch);
    const auto known = nonces_.find(std::pair{std::string{"effect"}, std::string{effect_key}});
    if (known == nonces_.end()) return std::nullopt;
    return known->second;
}

void Ledger::write_line(const LedgerLine& line)
{
    std::string text =
        fmt::format("{} {} {} {}", line.event, line.key, line.effect_key, line.nonce);
    if (text.size() >= ledger_line_bytes) throw std::length_error{"ledger line: " + text};
    text.resize(ledger_line_bytes - 1, ' ');
    text += '\n';
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size()) || ::fdatasync(descriptor_) != 0) {
        throw std::system_error{errno, std::generic_category(), "ledger"};
    }
    nonces_.emplace(std::pair{line.event, line.effect_key}, line.nonce);
}

}  // namespace umavez::crash
