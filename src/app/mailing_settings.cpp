#include "app/mailing_settings.hpp"

#include "app/load.hpp"
#include "app/settings.hpp"
#include "app/units.hpp"
#include "base/shown.hpp"
#include "mail/transport.hpp"
#include "messaging/broker/broker_relay.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace umavez {
namespace {

Result<std::size_t> read_number(std::string_view text, std::size_t least, std::size_t most)
{
    const char* const end = text.data() + text.size();
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number >= least && number <= most) return number;
    return fail(
        Errc::misconfigured,
        fmt::format("\"{}\" is not a number from {} to {}", shown(text), least, most)
    );
}

template <auto Member, std::size_t least, std::size_t most>
Result<void> set_number(std::string_view text, Settings& settings)
{
    const auto number = read_number(text, least, most);
    if (!number) return std::unexpected(number.error());
    auto& out = settings.mailing.*Member;
    out = static_cast<std::remove_reference_t<decltype(out)>>(*number);
    return {};
}

template <Duration MailingSettings::* Member>
Result<void> set_above_zero(std::string_view text, Settings& settings)
{
    const auto parsed = parse_duration(text);
    if (!parsed) return std::unexpected(parsed.error());
    if (*parsed <= Duration{0}) {
        return fail(Errc::misconfigured, fmt::format("{} is not above zero", shown(text)));
    }
    settings.mailing.*Member = *parsed;
    return {};
}

template <std::string MailingSettings::* Member>
Result<void> set_text(std::string_view text, Settings& settings)
{
    settings.mailing.*Member = text;
    return {};
}

// A beat every third of it, and batches that take their time: less would lose the lock of a busy machine.
Result<void> set_lock_timeout(std::string_view text, Settings& settings)
{
    constexpr auto shortest = std::chrono::seconds{1};
    if (auto set = set_above_zero<&MailingSettings::lock_timeout>(text, settings); !set) return set;
    if (settings.mailing.lock_timeout >= shortest) return {};
    return fail(
        Errc::misconfigured,
        fmt::format("{} is too short for the signs of life of a worker; at least 1s", shown(text))
    );
}

Result<void> set_public_url(std::string_view text, Settings& settings)
{
    const bool is_url = text.starts_with("https://") || text.starts_with("http://");
    if (is_url && text.find('@') != std::string_view::npos) {
        return fail(
            Errc::misconfigured, "it has a user or a password, and every recipient would get it"
        );
    }
    const std::string_view host = is_url ? text.substr(text.find("://") + 3) : "";
    if (host.empty() || host.starts_with('/') || host.starts_with(':') ||
        text.find_first_of(" \t\r\n<>\"?#") != std::string_view::npos) {
        return fail(
            Errc::misconfigured,
            fmt::format("\"{}\" is not an address such as https://mail.loja.example", shown(text))
        );
    }
    while (text.ends_with('/')) text.remove_suffix(1);
    settings.mailing.public_url = text;
    return {};
}

Result<void> set_dedupe(std::string_view text, Settings& settings)
{
    if (text != "filename" && text != "content") {
        return fail(
            Errc::misconfigured, fmt::format("\"{}\" is not filename or content", shown(text))
        );
    }
    settings.mailing.is_content_deduped = text == "content";
    return {};
}

Result<void> set_upload_max(std::string_view text, Settings& settings)
{
    const auto size = parse_size(text);
    if (!size) return std::unexpected(size.error());
    if (*size == 0) return fail(Errc::misconfigured, "0 takes no file at all");
    settings.mailing.upload_bytes_max = *size;
    return {};
}

// [mailing] key, flag and variable are made of one name.
SettingSpec spec(
    const std::string& name,
    std::string value_name,
    std::string help,
    std::string example,
    Result<void> (*set)(std::string_view, Settings&)
)
{
    std::string flag = "--mailing-" + name;
    std::string environment = "UMAVEZ_MAILING_" + name;
    for (char& c : flag) c = c == '_' ? '-' : c;
    for (char& c : environment) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return {
        "mailing." + name,
        std::move(flag),
        std::move(environment),
        std::move(value_name),
        std::move(help),
        std::move(example),
        set
    };
}

}  // namespace

std::vector<SettingSpec> mailing_specs()
{
    using S = MailingSettings;
    constexpr std::size_t million = 1'000'000;
    return {
        {"smtp",
         "--smtp",
         "UMAVEZ_SMTP",
         "URL",
         "sends mailings: smtp://USER:PASSWORD@HOST:PORT, smtps://… or file:FOLDER; keep the password in "
         "UMAVEZ_SMTP_FILE",
         "\"smtp://news:secret@mail.example:587\"",
         set_text<&S::smtp>},
        {"broker",
         "--broker",
         "UMAVEZ_BROKER",
         "URL",
         "RabbitMQ that wakes workers: amqp://USER:PASSWORD@HOST/VHOST; without it they read the "
         "database; keep the password in UMAVEZ_BROKER_FILE",
         "\"amqp://umavez:secret@mq.example/\"",
         set_text<&S::broker>},
        spec("rate", "N", "mails per second and process; 0: no limit", "50",
             set_number<&S::rate, 0, million>),
        spec("threads", "N", "mailings worked on at a time", "2", set_number<&S::threads, 1, 64>),
        spec("batch", "N", "mails between two commits", "8", set_number<&S::batch, 1, 1000>),
        spec("lock_timeout", "DURATION",
             "without a sign of life for so long a worker's mailing is taken over", "\"30s\"",
             set_lock_timeout),
        spec("recovery_period", "DURATION", "how often abandoned mailings are looked for", "\"60s\"",
             set_above_zero<&S::recovery_period>),
        spec("storage", "FOLDER",
             "uploaded files; shared by all processes of a database [DATABASE.uploads]",
             "\"/var/lib/umavez/uploads\"", set_text<&S::storage>),
        spec("public_url", "URL", "where recipients reach this server: for unsubscribe links",
             "\"https://mail.loja.example\"", set_public_url),
        spec("retention", "DURATION", "how long the file of a mailing that is over is kept", "\"7d\"",
             set_above_zero<&S::retention>),
        spec("dedupe", "HOW", "what makes two uploads the same: filename or content", "\"filename\"",
             set_dedupe),
        spec("attempts_max", "N", "refusals for now after which a mail failed", "8",
             set_number<&S::attempts_max, 1, 1000>),
        spec("retry_first", "DURATION", "the wait after the first refusal for now", "\"30s\"",
             set_above_zero<&S::retry_first>),
        spec("retry_longest", "DURATION", "the longest wait between two attempts", "\"1h\"",
             set_above_zero<&S::retry_longest>),
        spec("smtp_timeout", "DURATION", "for each step of one mail: log-in, envelope, answer", "\"60s\"",
             set_above_zero<&S::smtp_timeout>),
        spec("upload_max", "SIZE", "the largest file that is taken", "\"64MiB\"", set_upload_max),
    };
}

std::string storage_folder(const Settings& settings)
{
    std::string folder = settings.mailing.storage;
    if (folder.empty()) {
        const std::string database = database_path(settings);
        folder = database.empty() ? "umavez-uploads" : database + ".uploads";
    }
    return std::filesystem::absolute(folder).string();
}

Result<void> check_mailing(const MailingSettings& settings)
{
    if (!settings.smtp.empty()) {
        const auto transport = mail::make_transport({.url = settings.smtp});
        if (!transport) return fail(Errc::misconfigured, "smtp: " + transport.error().detail);
    }
    if (!settings.broker.empty()) {
        const auto broker = messaging::check_broker_options({.url = settings.broker});
        if (!broker) return fail(Errc::misconfigured, "broker: " + broker.error().detail);
    }
    if (settings.retry_first > settings.retry_longest) {
        return fail(
            Errc::misconfigured,
            "mailing.retry_first is above mailing.retry_longest: make it the shorter one"
        );
    }
    return {};
}

}  // namespace umavez
