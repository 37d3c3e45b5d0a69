// Atomic: the order's row and the record of its key commit together, so a retry can never add a second row.
//
//     atomic_order KEY [ITEM]

#include <umavez/umavez.hpp>

#include <cstdio>
#include <string>

using namespace umavez;

namespace {

const Migration pedidos{
    "pedidos", 1, "CREATE TABLE pedidos (id INTEGER PRIMARY KEY, item TEXT NOT NULL) STRICT;"
};

Result<Response> insert(Transaction& transaction, const std::string& item)
{
    auto rows = transaction.query("INSERT INTO pedidos (item) VALUES ($1) RETURNING id", {item});
    if (!rows) return std::unexpected(rows.error());
    Response response{.status = 201};
    response.body = "{\"pedido\":" + std::to_string(rows->front().integer(0)) + "}";
    return response;
}

Result<Outcome> order_once(const std::string& key, const std::string& item)
{
    auto parsed = Key::parse(key);
    if (!parsed) return std::unexpected(parsed.error());
    auto database = open_database("sqlite:pedidos.db");
    if (!database) return std::unexpected(database.error());
    if (auto done = (*database)->migrate({&pedidos, 1}); !done) return std::unexpected(done.error());
    auto engine = open_engine(**database);
    if (!engine) return std::unexpected(engine.error());

    OperationSpec criar{.name = "pedidos.criar", .policy = {.guarantee = Guarantee::atomic}};
    if (auto done = (*engine)->declare(std::move(criar)); !done) return std::unexpected(done.error());
    if (auto done = (*engine)->start(); !done) return std::unexpected(done.error());

    const Request request{
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse("pedidos.criar"),
        .key = *parsed,
        .target = make_target({"pedidos.criar"}),
        .fingerprint = fingerprint_bytes("text/plain", item),
    };
    return (*engine)->atomically(request, [&item](Transaction& transaction) {
        return insert(transaction, item);
    });
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("usage: atomic_order KEY [ITEM]\n", stderr);
        return 2;
    }
    const auto outcome = order_once(argv[1], argc > 2 ? argv[2] : "café");
    if (!outcome) {
        std::fprintf(stderr, "atomic_order: %s\n", outcome.error().detail.c_str());
        return 1;
    }
    std::string answer;
    if (const auto* const executed = std::get_if<Executed>(&*outcome)) answer = executed->response.body;
    if (const auto* const replayed = std::get_if<Replayed>(&*outcome)) answer = replayed->response.body;
    std::printf("%s %s\n", std::string{to_text(*outcome)}.c_str(), answer.c_str());
    return 0;
}
