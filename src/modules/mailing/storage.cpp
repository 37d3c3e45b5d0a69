#include "modules/mailing/storage.hpp"

#include "base/char_set.hpp"
#include "base/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace umavez::mailing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view scheme = "file:";
constexpr std::string_view ending = ".csv";
constexpr std::size_t uuid_chars = 36;
constexpr std::size_t piece_bytes = 256 * 1024;

constexpr CharSet uuid_set{[](unsigned char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || byte == '-';
}};
constexpr CharSet folder_set{[](unsigned char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '.' ||
           byte == '_' || byte == '-' || byte == '%';
}};

std::string folder_of(const TenantId& tenant_id)
{
    const std::string& text = tenant_id.text();
    return text.starts_with('.') ? "%2e" + text.substr(1) : text;
}

bool is_folder(std::string_view name) noexcept
{
    return !name.empty() && !name.starts_with('.') && folder_set.has_all(name);
}

bool is_file(std::string_view name) noexcept
{
    return name.size() == uuid_chars + ending.size() && name.ends_with(ending) &&
           uuid_set.has_all(name.substr(0, uuid_chars));
}

// Every byte of a range goes to `take`, in order.
template <typename Take>
Result<void> for_pieces(const File& file, ByteRange range, const Take& take)
{
    std::vector<char> space(std::min<std::uint64_t>(piece_bytes, range.bytes));
    while (range.bytes > 0) {
        const std::size_t wanted = std::min<std::uint64_t>(space.size(), range.bytes);
        const auto got = file.read_at(range.offset, {space.data(), wanted});
        if (!got) return std::unexpected(got.error());
        if (*got < wanted) return fail(Errc::store_unavailable, "an upload became shorter");
        if (Result<void> taken = take(std::string_view{space.data(), wanted}); !taken) return taken;
        range.offset += wanted;
        range.bytes -= wanted;
    }
    return {};
}

// A range-based for would throw where the disk fails in the middle of a folder.
Result<std::vector<std::string>> names_in(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it{folder, error}, end; !error && it != end; it.increment(error)) {
        names.push_back(it->path().filename().string());
    }
    if (error) return file_error("read", folder, error.value());
    return names;
}

Result<Instant> written_at(const std::string& path)
{
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0) return file_error("look at", path, errno);
    const auto since_1970 = std::chrono::seconds{facts.st_mtim.tv_sec} +
                            std::chrono::nanoseconds{facts.st_mtim.tv_nsec};
    return Instant{std::chrono::duration_cast<Duration>(since_1970)};
}

}  // namespace

std::string storage_url(const TenantId& tenant_id, std::string_view uuid)
{
    return fmt::format("{}{}/{}{}", scheme, folder_of(tenant_id), uuid, ending);
}

Result<Storage> Storage::open(std::string folder)
{
    const auto refuse = [&folder](const std::string& why) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "mailing.storage: the folder {} cannot be used: {}; choose another with "
                "--mailing-storage",
                folder,
                why
            )
        );
    };
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return refuse(error.message());
    fs::path whole = fs::canonical(folder, error);
    if (error) return refuse(error.message());
    if (::access(whole.c_str(), R_OK | W_OK | X_OK) != 0)
        return refuse(std::generic_category().message(errno));
    return Storage{whole.string()};
}

Result<Staged> Storage::stage(
    const std::shared_ptr<const http::SpooledBody>& body, const ByteRange& range
) const
{
    Hasher hasher;
    if (range.offset == 0 && range.bytes == body->bytes()) {
        const auto hash = [&hasher](std::string_view piece) -> Result<void> {
            hasher.raw(piece);
            return {};
        };
        if (auto read = for_pieces(body->file(), range, hash); !read)
            return std::unexpected(read.error());
        return Staged{body, to_hex(hasher.finish())};
    }
    auto copy = File::make_unnamed(folder_);
    if (!copy) return std::unexpected(copy.error());
    const auto hash_and_copy = [&](std::string_view piece) -> Result<void> {
        hasher.raw(piece);
        return copy->append(piece);
    };
    if (auto read = for_pieces(body->file(), range, hash_and_copy); !read)
        return std::unexpected(read.error());
    return Staged{
        std::make_shared<const http::SpooledBody>(*std::move(copy), range.bytes),
        to_hex(hasher.finish()),
    };
}

Result<std::string> Storage::keep(
    const Staged& staged, const TenantId& tenant_id, std::string_view uuid
) const
{
    const std::string folder = folder_ + "/" + folder_of(tenant_id);
    if (::mkdir(folder.c_str(), S_IRWXU) == 0) {
        if (auto flushed = flush_folder(folder_); !flushed) return std::unexpected(flushed.error());
    } else if (errno != EEXIST) {
        return file_error("make the folder", folder, errno);
    }
    std::string url = storage_url(tenant_id, uuid);
    const auto path = path_of(url);
    if (!path) return std::unexpected(path.error());
    if (auto kept = staged.content->keep_as(*path); !kept) return std::unexpected(kept.error());
    return url;
}

Result<std::string> Storage::path_of(std::string_view url) const
{
    const std::string_view place = url.starts_with(scheme) ? url.substr(scheme.size()) : "";
    const std::size_t slash = place.find('/');
    if (slash == std::string_view::npos || !is_folder(place.substr(0, slash)) ||
        !is_file(place.substr(slash + 1))) {
        return fail(Errc::corrupt_record, fmt::format("{} is no file of the storage", url));
    }
    return fmt::format("{}/{}", folder_, place);
}

Result<void> Storage::remove(std::string_view url) const
{
    const auto path = path_of(url);
    if (!path) return std::unexpected(path.error());
    if (::unlink(path->c_str()) != 0 && errno != ENOENT) return file_error("remove", *path, errno);
    return {};
}

Result<std::vector<std::string>> Storage::files_before(Instant instant, const std::stop_token& stop)
    const
{
    const auto tenants = names_in(folder_);
    if (!tenants) return std::unexpected(tenants.error());
    std::vector<std::string> urls;
    for (const std::string& tenant : *tenants) {
        const std::string folder = folder_ + "/" + tenant;
        std::error_code ignored;
        if (!is_folder(tenant) || !fs::is_directory(folder, ignored)) continue;
        const auto names = names_in(folder);
        if (!names) return std::unexpected(names.error());
        for (const std::string& name : *names) {
            if (stop.stop_requested()) return urls;
            if (!is_file(name)) continue;
            const auto written = written_at(folder + "/" + name);
            if (written && *written < instant)
                urls.push_back(fmt::format("{}{}/{}", scheme, tenant, name));
        }
    }
    return urls;
}

}  // namespace umavez::mailing
