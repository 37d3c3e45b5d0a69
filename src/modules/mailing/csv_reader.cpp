#include "modules/mailing/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace umavez::mailing {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} * 1024;
constexpr std::size_t ahead_bytes_min = record_bytes_max + 2;
constexpr std::size_t shown_beginning = 1024;  // of a record that is too long
static_assert(block_bytes >= 2 * ahead_bytes_min);

struct CloseFile {
    explicit CloseFile(int descriptor) noexcept : descriptor_(descriptor) {}
    ~CloseFile() { ::close(descriptor_); }
    CloseFile(const CloseFile&) = delete;
    CloseFile& operator=(const CloseFile&) = delete;
    const int descriptor_;
};

// Whole characters, where it is UTF-8.
std::string_view beginning_of(std::string_view text)
{
    std::size_t size = std::min(text.size(), shown_beginning);
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    return text.substr(0, size);
}

std::string reason_of(int error)
{
    return std::generic_category().message(error);
}

}  // namespace

Result<ReadAt> open_file(const std::filesystem::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        const int error = errno;
        const auto code = error == ENOENT ? Errc::not_found : Errc::store_unavailable;
        return fail(code, fmt::format("cannot open {}: {}", path.string(), reason_of(error)));
    }
    const auto file = std::make_shared<const CloseFile>(descriptor);
    return [file, name = path.string()](
               std::int64_t offset, std::span<char> into
           ) -> Result<std::size_t> {
        while (true) {
            const ssize_t got = ::pread(file->descriptor_, into.data(), into.size(), offset);
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno == EINTR) continue;
            return fail(
                Errc::store_unavailable, fmt::format("cannot read {}: {}", name, reason_of(errno))
            );
        }
    };
}

CsvReader::CsvReader(ReadAt read_at) : read_at_(std::move(read_at))
{
    block_.resize(block_bytes);
}

void CsvReader::go_to(const CsvPosition& position)
{
    position_ = position;
    at_ = end_ = 0;
    is_at_end_ = false;
}

std::string_view CsvReader::ahead() const noexcept
{
    return std::string_view{block_}.substr(at_, end_ - at_);
}

Result<void> CsvReader::fill()
{
    if (is_at_end_ || end_ - at_ >= ahead_bytes_min) return {};
    std::memmove(block_.data(), block_.data() + at_, end_ - at_);
    end_ -= at_;
    at_ = 0;
    while (end_ < ahead_bytes_min && !is_at_end_) {
        const auto offset = position_.bytes + static_cast<std::int64_t>(end_);
        const auto got = read_at_(offset, std::span{block_}.subspan(end_));
        if (!got) return std::unexpected(got.error());
        end_ += *got;
        is_at_end_ = *got == 0;
    }
    return {};
}

Result<std::string_view> CsvReader::peek()
{
    if (auto filled = fill(); !filled) return std::unexpected(filled.error());
    return ahead();
}

void CsvReader::skip_bytes(std::size_t bytes)
{
    at_ += bytes;
    position_.bytes += static_cast<std::int64_t>(bytes);
}

// To the line after this one.
Result<void> CsvReader::skip_line()
{
    while (true) {
        const auto text = peek();
        if (!text) return std::unexpected(text.error());
        const std::size_t end = text->find_first_of("\r\n");
        if (end == std::string_view::npos) {
            skip_bytes(text->size());
            if (!text->empty()) continue;
        } else if (text->substr(end) == "\r" && !is_at_end_) {
            // Whether a line feed follows is not in the block.
            skip_bytes(end);
            continue;
        } else {
            skip_bytes(end + (text->substr(end).starts_with("\r\n") ? 2 : 1));
        }
        ++position_.lines;
        return {};
    }
}

Result<std::optional<CsvRecord>> CsvReader::next()
{
    while (true) {
        const auto text = peek();
        if (!text) return std::unexpected(text.error());
        if (text->empty()) return std::nullopt;
        const FoundRecord found = find_record(*text, delimiter_);
        CsvRecord record{
            .shape = found.shape,
            .text = text->substr(0, found.text_bytes),
            .line = position_.lines + 1,
            .end = {}
        };
        if (found.shape == RecordShape::too_long) {
            long_record_ = beginning_of(record.text);
            record.text = long_record_;
            if (auto skipped = skip_line(); !skipped) return std::unexpected(skipped.error());
        } else {
            skip_bytes(found.bytes);
            position_.lines += found.lines;
        }
        if (record.text.empty()) continue;
        record.end = position_;
        return record;
    }
}

}  // namespace umavez::mailing
