#pragma once

// UploadOffice: the upload route of Mailing over a database, a storage folder and a server of the
// test's own. Its outbox is a table of the test's, so that messages can be counted. Confined to the
// test, but what sends may be called by many threads.

#include "http/raw_client.hpp"
#include "http/server.hpp"
#include "modules/mailing/schema.hpp"
#include "modules/mailing/upload.hpp"
#include "modules/parts/test_office.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace umavez::mailing {

// The folder is there before the routes are.
struct StoragePlace {
    StoragePlace()
    {
        namespace fs = std::filesystem;
        std::string pattern = (fs::temp_directory_path() / "umavez-uploads-XXXXXX").string();
        storage = std::make_unique<Storage>(*Storage::open(::mkdtemp(pattern.data())));
    }
    ~StoragePlace() { std::filesystem::remove_all(storage->folder()); }
    StoragePlace(const StoragePlace&) = delete;
    StoragePlace& operator=(const StoragePlace&) = delete;

    std::unique_ptr<Storage> storage;
    CheckMessage check_message;
    std::function<Result<void>()> before_append = [] { return Result<void>{}; };
};

inline std::span<const Migration> outbox_of_test(Dialect)
{
    static const std::array migrations = {Migration{
        .module = "outbox_of_test",
        .version = 1,
        .sql = "CREATE TABLE test_messages (queue TEXT, type TEXT, aggregate TEXT, data TEXT)",
    }};
    return migrations;
}

class UploadOffice : public StoragePlace, public modules::TestOffice {
public:
    UploadOffice()
        : TestOffice(
              {.add_routes = [this](key_protocol::Api& api) { add_upload_route(api, needs()); },
               .migrations = {migrations, outbox_of_test},
               .problems = {}}
          )
    {
        http::ServerOptions options{.port = 0};
        options.uploads.folder = storage->folder();
        options.uploads.is_upload = [this](const http::Request& head) {
            return router().is_upload(head);
        };
        server_ = *http::Server::listen(
            std::move(options),
            [this](http::Request request) { return router().answer(std::move(request)); },
            nullptr,
            [this](const http::Request& head) { return router().enter(head); }
        );
        server_->start();
    }
    ~UploadOffice() { server_.reset(); }

    UploadNeeds needs()
    {
        return {
            .database = *database,
            .storage = *storage,
            .append = [this](
                          Transaction& transaction, const messaging::QueuedMessage& message
                      ) -> Result<void> {
                if (auto allowed = before_append(); !allowed) return allowed;
                const auto done = transaction.execute(
                    "INSERT INTO test_messages VALUES ($1, $2, $3, $4)",
                    {message.queue, message.type, message.aggregate, message.data}
                );
                if (!done) return std::unexpected(done.error());
                return {};
            },
            .check_message =
                [this](const Message& message, const std::string& path) {
                    if (check_message) return check_message(message, path);
                    return Result<std::vector<http::FieldError>>{};
                },
            .wake = [this] { ++wakes; },
            .bytes_max = 1024 * 1024,
        };
    }

    using Fields = std::vector<std::pair<std::string, std::string>>;

    static Fields message()
    {
        return {{"assunto", "Oi"}, {"remetente", "Loja <news@loja.example>"}, {"texto", "Olá"}};
    }

    static std::string form(
        const std::string& filename, const std::string& content, const Fields& fields
    )
    {
        std::string body;
        for (const auto& [name, value] : fields) {
            body += fmt::format(
                "--b\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name, value
            );
        }
        return body + fmt::format(
                          "--b\r\nContent-Disposition: form-data; name=\"file\"; "
                          "filename=\"{}\"\r\nContent-Type: text/csv\r\n\r\n{}\r\n--b--\r\n",
                          filename,
                          content
                      );
    }

    static std::string request_of(
        const std::string& body,
        const std::string& type = "multipart/form-data; boundary=b",
        const std::string& query = {}
    )
    {
        return fmt::format(
            "POST /api/v1/mailings{} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "{}\r\nContent-Length: {}\r\n\r\n{}",
            query,
            type,
            body.size(),
            body
        );
    }

    modules::Answer talk(const std::string& bytes)
    {
        http::RawClient client{server_->port(), 60};
        client.send(bytes);
        const std::string answer = client.read_answer();
        return {http::status_of(answer), {}, http::body_of(answer)};
    }

    modules::Answer upload(
        const std::string& filename, const std::string& content, const Fields& fields = message()
    )
    {
        return talk(request_of(form(filename, content, fields)));
    }

    modules::Answer upload_csv(const std::string& query, const std::string& content)
    {
        return talk(request_of(content, "text/csv", query));
    }

    std::size_t stored_files() const
    {
        return storage->files_before(system_clock().realtime() + std::chrono::hours{1})->size();
    }

    std::uint16_t port() const { return server_->port(); }

    std::atomic<int> wakes = 0;

private:
    std::unique_ptr<http::Server> server_;
};

}  // namespace umavez::mailing
