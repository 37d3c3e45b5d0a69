#pragma once

// Storage: the folder where the files of mailings lie, `<tenant>/<uuid>.csv` each.
//
// What the database knows of a file is its url, `file:<tenant>/<uuid>.csv`, so the folder may move.
// A file is durable before its mailing is; a file without a mailing is an orphan of an upload that
// broke off, and is removed after a day (storage_sweep.hpp). Folders of tenants whose id begins
// with a dot have %2e there: `..` is a tenant, never a path.
//
// Blocks: never on a thread of the server. Thread-safe, and safe for many processes on one folder.

#include "http/spooled_body.hpp"

#include <umavez/names.hpp>
#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

struct ByteRange {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

// The content of a file that is to be kept: no name yet, no bytes but its own.
struct Staged {
    std::shared_ptr<const http::SpooledBody> content;
    std::string sha256;  // hex
};

class Storage {
public:
    // Makes the folder where it is not there. misconfigured: it cannot be written.
    static Result<Storage> open(std::string folder);

    // Where uploads are spooled, too: a file gets its name without being copied.
    const std::string& folder() const noexcept { return folder_; }

    // A part of an upload is copied; the whole is taken as it is.
    Result<Staged> stage(
        const std::shared_ptr<const http::SpooledBody>& body, const ByteRange& range
    ) const;

    // Gives it its name; durable when this returns. Tells its url.
    Result<std::string> keep(const Staged& staged, const TenantId& tenant_id, std::string_view uuid)
        const;

    // corrupt_record for what is no url of ours.
    Result<std::string> path_of(std::string_view url) const;

    // One that is not there is no error.
    Result<void> remove(std::string_view url) const;

    // The urls of all files that were last written before `instant`; some of them where a stop came. What has
    // another name is not ours.
    Result<std::vector<std::string>> files_before(Instant instant, const std::stop_token& stop = {})
        const;

private:
    explicit Storage(std::string folder) noexcept : folder_(std::move(folder)) {}
    std::string folder_;
};

// "file:acme/0190….csv"
std::string storage_url(const TenantId& tenant_id, std::string_view uuid);

}  // namespace umavez::mailing
