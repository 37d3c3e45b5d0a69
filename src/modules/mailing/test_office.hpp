#pragma once

// Office: the routes of Mailing, ready to be asked, and rows as an upload and a worker would have left them.
// Confined to the test.

#include "messaging/outbox.hpp"
#include "modules/mailing/answers.hpp"
#include "modules/mailing/routes.hpp"
#include "modules/mailing/schema.hpp"
#include "modules/parts/test_office.hpp"

#include <fmt/format.h>

namespace umavez::mailing {

using modules::Answer;

class Office : public modules::TestOffice {
public:
    Office()
        : TestOffice({
              .add_routes =
                  [](key_protocol::Api& api) {
                      add_routes(api, {.read_columns = read_columns, .has_public_url = false});
                  },
              .migrations = {messaging::migrations, migrations},
              .problems = {},
              .add_open_routes = add_unsubscribe_routes,
          })
    {
    }

    // Tells its number. Entries of it are counted in its row by add_entry.
    std::string add_mailing(
        const std::string& uuid,
        const std::string& status,
        bool has_message = true,
        const std::string& tenant = "default"
    )
    {
        const char* const message = has_message
                                        ? "'Olá {{nome}}', 'Loja <news@loja.example>', 'Oi', NULL"
                                        : "NULL, NULL, NULL, NULL";
        sql(fmt::format(
            "INSERT INTO mailings (uuid, tenant_id, filename, content_key, content_sha256, "
            "content_bytes, storage_url, status, assunto, remetente, texto, html, incerteza, "
            "created_at, "
            "updated_at) VALUES ('{0}', '{3}', '{0}.csv', '', 'abc', 10, 'file:x', '{1}', {2}, "
            "'no-maximo-uma', 1000000, 1000000)",
            uuid,
            status,
            message,
            tenant
        ));
        return ask(fmt::format("SELECT id FROM mailings WHERE uuid = '{}'", uuid));
    }

    void add_entry(
        const std::string& mailing_id,
        const std::string& email,
        const std::string& status,
        bool is_uncertain = false
    )
    {
        sql(fmt::format(
            "INSERT INTO mailing_entries (tenant_id, mailing_id, email, token, status, attempts, "
            "line, "
            "error, uncertain_at, created_at, updated_at) SELECT tenant_id, id, '{1}', 'segredo', "
            "'{2}', "
            "3, entries + 2, {3}, {4}, 0, 0 FROM mailings WHERE id = {0}",
            mailing_id,
            email,
            status,
            status == "FAILED" ? "'550 no such user'" : "NULL",
            is_uncertain ? "5" : "NULL"
        ));
        std::string counted = "entries = entries + 1";
        if (status == "SENT") counted += ", sent = sent + 1";
        if (status == "FAILED") counted += ", failed = failed + 1";
        if (status == "UNKNOWN") counted += ", unknown = unknown + 1";
        sql(fmt::format("UPDATE mailings SET {} WHERE id = {}", counted, mailing_id));
    }

    Answer order(const std::string& uuid, const std::string& order, std::string body = {})
    {
        return send("POST", "/api/v1/mailings/" + uuid + "/" + order, std::move(body));
    }

    std::string wake_ups(const std::string& uuid)
    {
        return ask(
            "SELECT count(*) FROM umavez_messages WHERE queue = 'mailing' AND state = 'pending' "
            "AND "
            "aggregate = 'mailing/" +
            uuid + "'"
        );
    }

private:
    static Result<std::vector<std::string>> read_columns(const std::string& storage_url)
    {
        if (storage_url == "file:gone") return fail(Errc::not_found, "cannot open /srv/x");
        if (storage_url != "file:x") return fail(Errc::store_unavailable, "no such file");
        return std::vector<std::string>{"email", "nome"};
    }
};

}  // namespace umavez::mailing
