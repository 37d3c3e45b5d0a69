#include "key_protocol/multipart_file.hpp"

#include "base/assert.hpp"
#include "key_protocol/content_disposition.hpp"
#include "key_protocol/multipart_scan.hpp"

#include <algorithm>

namespace umavez::key_protocol {
namespace {

// More than the head of a part, and than a boundary with its blanks.
constexpr std::size_t window_bytes = 64 * 1024;
constexpr std::size_t blanks_max = 256;
static_assert(form_part_head_bytes_max < window_bytes && blanks_max < window_bytes);

// A file through a window. After an error there are no more bytes, and whoever looks is told at the end.
class BytesInFile final : public MultipartBytes {
public:
    BytesInFile(const File& file, std::uint64_t size)
        : file_(file), size_(size), window_(window_bytes)
    {
    }

    std::uint64_t size() const noexcept override { return size_; }

    std::optional<std::uint64_t> find(std::string_view wanted, std::uint64_t from) override
    {
        for (;;) {
            const bool is_here = from >= begin_ && from < begin_ + filled_;
            if (!is_here && !load(from)) return std::nullopt;
            const std::string_view rest{
                window_.data() + (from - begin_), filled_ - (from - begin_)
            };
            if (const std::size_t found = rest.find(wanted); found != std::string_view::npos)
                return from + found;
            const std::uint64_t end = begin_ + filled_;
            if (end == size_) return std::nullopt;
            // It may begin at the end of this window.
            from = std::max(from, end - (wanted.size() - 1));
            if (!load(from)) return std::nullopt;
        }
    }

    std::string_view at(std::uint64_t offset, std::size_t bytes_max) override
    {
        const std::size_t wanted =
            std::min<std::uint64_t>(bytes_max, size_ - std::min(offset, size_));
        const bool is_here = offset >= begin_ && offset + wanted <= begin_ + filled_;
        if (!is_here && !load(offset)) return {};
        return {window_.data() + (offset - begin_), wanted};
    }

    const std::optional<Error>& error() const noexcept { return error_; }

private:
    bool load(std::uint64_t offset)
    {
        if (error_ || offset > size_) return false;
        begin_ = offset;
        filled_ = 0;
        const auto got = file_.read_at(offset, window_);
        if (!got) error_ = got.error();
        if (got) filled_ = *got;
        const bool is_whole = filled_ == std::min<std::uint64_t>(window_.size(), size_ - offset);
        if (got && !is_whole)
            error_ = fail(Errc::store_unavailable, "an upload became shorter").error();
        return !error_;
    }

    const File& file_;
    const std::uint64_t size_;
    std::vector<char> window_;
    std::uint64_t begin_ = 0;
    std::size_t filled_ = 0;
    std::optional<Error> error_;
};

std::expected<FormPart, MultipartFault> to_form_part(const ScannedPart& part)
{
    std::optional<FormDisposition> disposition;
    FormPart made{.offset = part.offset, .bytes = part.bytes};
    std::size_t dispositions = 0;
    for (const auto& [name, value] : part.headers) {
        if (name == "content-type") made.content_type = value;
        if (name != "content-disposition") continue;
        ++dispositions;
        disposition = parse_form_disposition(value);
    }
    if (dispositions != 1 || !disposition) {
        return std::unexpected(MultipartFault{
            part.offset,
            "a part has no Content-Disposition: form-data with a name",
            "uma parte não tem Content-Disposition: form-data com um nome",
        });
    }
    made.name = std::move(disposition->name);
    made.filename = std::move(disposition->filename);
    return made;
}

}  // namespace

Result<std::expected<std::vector<FormPart>, MultipartFault>> find_form_parts(
    const File& file, std::string_view boundary
)
{
    const auto size = file.bytes();
    if (!size) return std::unexpected(size.error());
    BytesInFile bytes{file, *size};
    std::vector<FormPart> parts;
    const auto add = [&parts](ScannedPart scanned) -> std::optional<MultipartFault> {
        auto part = to_form_part(scanned);
        if (!part) return part.error();
        parts.push_back(*std::move(part));
        return std::nullopt;
    };
    const MultipartLimits limits{form_parts_max, form_part_head_bytes_max, blanks_max};
    const auto fault = scan_multipart(bytes, boundary, limits, add);
    if (bytes.error()) return std::unexpected(*bytes.error());
    if (fault) return std::expected<std::vector<FormPart>, MultipartFault>{std::unexpected(*fault)};
    return parts;
}

Result<std::string> read_form_part(const File& file, const FormPart& part)
{
    UMAVEZ_ASSERT(part.bytes <= form_fields_bytes_max);
    std::string content(part.bytes, '\0');
    const auto got = file.read_at(part.offset, content);
    if (!got) return std::unexpected(got.error());
    if (*got != content.size()) return fail(Errc::store_unavailable, "an upload became shorter");
    return content;
}

}  // namespace umavez::key_protocol
