#include "mailing/mailing_side.hpp"

#include "mail/transport.hpp"
#include "messaging/outbox.hpp"
#include "messaging/table_source.hpp"
#include "modules/mailing/ingest.hpp"
#include "modules/mailing/schema.hpp"
#include "modules/mailing/wake_up.hpp"
#include "modules/mailing/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

namespace umavez::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
constexpr auto patience = 600s;
constexpr auto lock_timeout = 30s;

TenantId tenant()
{
    return *TenantId::parse("default");
}

template <typename T>
T must(Result<T> result)
{
    if (!result) throw std::runtime_error(result.error().detail);
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class Stopwatch {
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string bench_text()
{
    std::string text = "Olá {{nome}},\n\n";
    for (int i = 0; i < 10; ++i) {
        text +=
            fmt::format("Oferta {}: leve dois e pague um em {{{{cidade}}}} até sexta-feira.\n", i);
    }
    return text;
}

std::string bench_html()
{
    std::string html = "<p>Olá {{nome}},</p><ul>";
    for (int i = 0; i < 10; ++i) {
        html += fmt::format("<li>Oferta {}: leve dois e pague um em {{{{cidade}}}}.</li>\n", i);
    }
    return html + "</ul>";
}

MailingSide::MailingSide(const std::string& url) : database_(must(open_database(url)))
{
    std::vector<Migration> steps;
    std::ranges::copy(messaging::migrations(database_->dialect()), std::back_inserter(steps));
    std::ranges::copy(mailing::migrations(database_->dialect()), std::back_inserter(steps));
    must(database_->migrate(steps));
}

void MailingSide::transact(const std::function<Result<void>(Transaction&)>& closure)
{
    must(database_->transact(closure));
}

mailing::Locked MailingSide::lock()
{
    mailing::Locking locking = mailing::NothingToDo{};
    transact([&](Transaction& transaction) -> Result<void> {
        auto tried = mailing::try_lock(
            transaction, tenant(), uuid, mailing::make_lock_token(), lock_timeout
        );
        if (!tried) return std::unexpected(tried.error());
        locking = *std::move(tried);
        return {};
    });
    return std::get<mailing::Locked>(std::move(locking));
}

double MailingSide::ingest(const std::string& file, std::size_t rows)
{
    transact([&](Transaction& transaction) -> Result<void> {
        const std::int64_t now = to_micros(transaction.now());
        const Values values{
            std::string{uuid},
            std::string{bench_sender},
            std::string{bench_subject},
            bench_text(),
            bench_html(),
            now,
            static_cast<std::int64_t>(std::filesystem::file_size(file))
        };
        auto inserted = transaction.execute(
            "INSERT INTO mailings (uuid, tenant_id, filename, content_key, content_sha256, "
            "content_bytes, status, remetente, assunto, texto, html, incerteza, created_at, "
            "updated_at) VALUES ($1, 'default', 'lista.csv', '', 'ab', $7, 'QUEUED', $2, $3, $4, "
            "$5, "
            "'no-maximo-uma', $6, $6)",
            values
        );
        if (!inserted) return std::unexpected(inserted.error());
        return {};
    });
    const mailing::Locked locked = lock();
    const Stopwatch watch;
    const auto ingested = must(mailing::ingest(*database_, locked, file, {}));
    const double seconds = watch.seconds();
    if (const auto* const unusable = std::get_if<mailing::Unusable>(&ingested)) {
        throw std::runtime_error(unusable->reason);
    }
    if (const std::size_t found = count_entries("PENDING"); found != rows) {
        throw std::runtime_error(fmt::format("{} entries of {} came in", found, rows));
    }
    transact([&](Transaction& transaction) -> Result<void> {
        auto released =
            mailing::release_lock(transaction, locked.owner, mailing::Status::queued, std::nullopt);
        if (!released) return std::unexpected(released.error());
        return mailing::write_wake_up(transaction, tenant(), uuid);
    });
    return seconds;
}

double MailingSide::send(const std::string& smtp_url, std::size_t rows)
{
    std::promise<void> ended;
    const auto source =
        messaging::make_table_source(*database_, std::string{mailing::wake_up_queue});
    mailing::MailingWorkerOptions options;
    options.threads = 1;
    options.ingest = [](const mailing::Locked&,
                        const std::stop_token&) -> Result<mailing::Ingested> {
        return fail(Errc::invalid_argument, "it is ingested already");
    };
    options.make_transport = [&] { return mail::make_transport({.url = smtp_url}); };
    options.on_event = [&](const mailing::MailingEvent& event) {
        if (std::holds_alternative<mailing::MailingEnded>(event)) ended.set_value();
    };
    const Stopwatch watch;
    mailing::MailingWorker worker{*database_, *source, std::move(options)};
    if (ended.get_future().wait_for(patience) != std::future_status::ready) {
        throw std::runtime_error(worker.take_trouble().value_or("the mailing does not end"));
    }
    const double seconds = watch.seconds();
    worker.stop();
    if (const std::size_t sent = count_entries("SENT"); sent != rows) {
        throw std::runtime_error(fmt::format(
            "{} of {} were sent: {}", sent, rows, worker.take_trouble().value_or("no trouble")
        ));
    }
    return seconds;
}

std::size_t MailingSide::count_entries(const std::string& status)
{
    std::int64_t count = 0;
    must(database_->read([&](Transaction& transaction) -> Result<void> {
        auto rows = transaction.query(
            "SELECT count(*) FROM mailing_entries WHERE status = $1", Values{status}
        );
        if (!rows) return std::unexpected(rows.error());
        count = rows->at(0).integer(0);
        return {};
    }));
    return static_cast<std::size_t>(count);
}

}  // namespace umavez::bench
