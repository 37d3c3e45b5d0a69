#pragma once

// [mailing], `smtp` and `broker`: how mailings are taken in and sent, and through whom.
//
// Immutable after load_settings.

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace umavez {

struct Settings;
struct SettingSpec;

struct MailingSettings {
    std::string smtp;      // with its password: never shown. Empty: this process sends nothing
    std::string broker;    // likewise. Empty: messages are read from the database
    std::size_t rate = 0;  // mails per second and process; 0: no limit
    std::size_t threads = 2;
    std::size_t batch = 8;  // mails between two commits
    Duration lock_timeout = std::chrono::seconds{30};
    Duration recovery_period = std::chrono::seconds{60};
    std::string storage;     // folder; empty: beside the database
    std::string public_url;  // without a slash at its end; empty: no unsubscribe links
    Duration retention = std::chrono::hours{24 * 7};
    bool is_content_deduped = false;  // by name and content; else by name alone
    std::uint32_t attempts_max = 8;
    Duration retry_first = std::chrono::seconds{30};
    Duration retry_longest = std::chrono::hours{1};
    Duration smtp_timeout = std::chrono::seconds{60};
    std::size_t upload_bytes_max = 64 * 1024 * 1024;
};

std::vector<SettingSpec> mailing_specs();

// The folder of uploaded files, absolute: the setting's, else <database file>.uploads, else umavez-uploads.
std::string storage_folder(const Settings& settings);

// What contradicts itself, and URLs that cannot be one. misconfigured: the setting and the cure.
Result<void> check_mailing(const MailingSettings& settings);

}  // namespace umavez
