#pragma once

// MailingSide: a database with the tables of Mailing, one mailing in it, and our way with it. Failures throw.
// Confined to its thread.

#include "modules/mailing/lock.hpp"

#include <umavez/transaction.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace umavez::bench {

inline constexpr const char* bench_sender = "Loja da Maria <news@loja.example>";
inline constexpr const char* bench_subject = "{{nome}}, uma oferta em {{cidade}}";
// As much as a short newsletter has.
std::string bench_text();
std::string bench_html();

class MailingSide {
public:
    explicit MailingSide(const std::string& url);  // made if it is not there

    // Seconds to read the file into entries, under the lock, in closures.
    double ingest(const std::string& file, std::size_t rows);

    // Seconds until the worker's one thread has sent every entry of the mailing that was ingested.
    double send(const std::string& smtp_url, std::size_t rows);

    std::size_t count_entries(const std::string& status);
    Database& database() noexcept { return *database_; }

private:
    void transact(const std::function<Result<void>(Transaction&)>& closure);
    mailing::Locked lock();

    std::unique_ptr<Database> database_;
};

}  // namespace umavez::bench
