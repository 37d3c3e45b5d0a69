// Settings of mailings: every one by flag, environment and file; secrets are never repeated.

#include "app/mailing_settings.hpp"

#include "app/check_settings.hpp"
#include "app/settings.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace umavez {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::optional<std::string> nothing(const std::string&)
{
    return std::nullopt;
}

Result<Settings> load_flags(std::map<std::string, std::string> flags)
{
    flags.emplace("--config", "/dev/null");
    return load_settings({.flags = std::move(flags), .environment = nothing});
}

TEST(MailingSettings, EveryExampleIsTakenByFlagAndByFile)
{
    std::map<std::string, std::string> flags;
    std::string file;
    for (const SettingSpec& spec : mailing_specs()) {
        std::string value = spec.example;
        std::erase(value, '"');
        flags[spec.flag] = value;
        file += spec.key + " = " + spec.example + "\n";
    }
    const test::TemporaryFolder folder;
    const std::string path = folder.path() + "/settings.toml";
    std::ofstream{path} << file;

    const auto by_flag = load_flags(flags);
    const auto by_file = load_flags({{"--config", path}});

    ASSERT_TRUE(by_flag) << by_flag.error().detail;
    ASSERT_TRUE(by_file) << by_file.error().detail;
    for (const Settings* const settings : {&*by_flag, &*by_file}) {
        EXPECT_EQ(settings->mailing.smtp, "smtp://news:secret@mail.example:587");
        EXPECT_EQ(settings->mailing.rate, 50u);
        EXPECT_EQ(settings->mailing.lock_timeout, 30s);
        EXPECT_EQ(settings->mailing.public_url, "https://mail.loja.example");
        EXPECT_EQ(settings->mailing.upload_bytes_max, 64u * 1024 * 1024);
        EXPECT_TRUE(check_mailing(settings->mailing));
    }
}

TEST(MailingSettings, ASecretMayStandInAFileOfItsOwn)
{
    const test::TemporaryFolder folder;
    const std::string path = folder.path() + "/secret";
    std::ofstream{path} << "smtp://news:secret@mail.example\n";
    const auto environment = [&](const std::string& name) -> std::optional<std::string> {
        return name == "UMAVEZ_SMTP_FILE" ? std::optional{path} : std::nullopt;
    };

    const auto loaded =
        load_settings({.flags = {{"--config", "/dev/null"}}, .environment = environment});

    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(loaded->mailing.smtp, "smtp://news:secret@mail.example");
}

TEST(MailingSettings, RefusalsNameTheSettingAndNeverThePassword)
{
    for (const auto& [flag, wrong] : std::map<std::string, std::string>{
             {"--mailing-rate", "fast"},
             {"--mailing-threads", "0"},
             {"--mailing-batch", "1001"},
             {"--mailing-lock-timeout", "100ms"},
             {"--mailing-recovery-period", "0s"},
             {"--mailing-public-url", "loja.example"},
             {"--mailing-public-url", "https://"},
             {"--mailing-dedupe", "name"},
             {"--mailing-upload-max", "0B"},
         }) {
        const auto loaded = load_flags({{flag, wrong}});
        ASSERT_FALSE(loaded) << flag;
        EXPECT_EQ(loaded.error().code, Errc::invalid_argument);
        EXPECT_THAT(loaded.error().detail, HasSubstr(flag));
    }
    for (const char* const name : {"smtp", "broker"}) {
        MailingSettings settings;
        (name == std::string{"smtp"} ? settings.smtp : settings.broker) =
            "gopher://news:hunter2@mail.example";
        const auto checked = check_mailing(settings);
        ASSERT_FALSE(checked) << name;
        EXPECT_THAT(checked.error().detail, HasSubstr(name));
        EXPECT_THAT(checked.error().detail, Not(HasSubstr("hunter2")));
    }
    EXPECT_FALSE(check_mailing({.retry_first = 2h}));
    const auto mailed = load_flags({{"--mailing-public-url", "https://u:hunter2@loja.example"}});
    ASSERT_FALSE(mailed);
    EXPECT_THAT(mailed.error().detail, Not(HasSubstr("hunter2")));
}

TEST(MailingSettings, FoldersMustBeOnesThatCanBeWritten)
{
    const test::TemporaryFolder folder;
    const std::string outbox = folder.path() + "/not/yet";
    for (const std::string path : {"/etc/passwd", "/etc/passwd/x", "/proc/x"}) {
        Settings settings;
        settings.database = "sqlite::memory:";
        settings.mailing.smtp = "file:" + path;
        const auto mails = check_settings(settings);
        ASSERT_FALSE(mails) << path;
        EXPECT_THAT(mails.error().detail, HasSubstr("smtp: "));
        settings.mailing.smtp = "file:" + outbox;
        EXPECT_TRUE(check_settings(settings)) << check_settings(settings).error().detail;
        settings.mailing.storage = path;
        const auto uploads = check_settings(settings);
        ASSERT_FALSE(uploads) << path;
        EXPECT_THAT(uploads.error().detail, HasSubstr("mailing.storage: "));
    }
}

TEST(MailingSettings, UploadsLieBesideTheDatabase)
{
    Settings settings;
    settings.database = "sqlite:/srv/loja.db";
    EXPECT_EQ(storage_folder(settings), "/srv/loja.db.uploads");
    settings.database = "postgres://db.example/loja";
    EXPECT_THAT(storage_folder(settings), testing::EndsWith("/umavez-uploads"));
    settings.mailing.storage = "/mnt/uploads";
    EXPECT_EQ(storage_folder(settings), "/mnt/uploads");
}

}  // namespace
}  // namespace umavez
