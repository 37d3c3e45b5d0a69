#pragma once

// Office: the routes of Propostas, ready to be asked. Confined to the test.

#include "modules/parts/test_office.hpp"
#include "modules/propostas/answers.hpp"
#include "modules/propostas/routes.hpp"
#include "modules/propostas/schema.hpp"

namespace umavez::propostas {

using modules::Answer;

class Office : public modules::TestOffice {
public:
    explicit Office(const Settings& settings = {})
        : TestOffice({
              .add_routes = [&](key_protocol::Api& api) { add_routes(api, settings); },
              .migrations = {migrations},
              .problems = problem_kinds(),
          })
    {
    }

    // A client and a draft of 1500.00, both with id 1.
    void open_draft()
    {
        EXPECT_EQ(post("/api/v1/clientes", "client-001", joao).status, 201);
        EXPECT_EQ(
            post("/api/v1/propostas", "proposta-001", R"({"cliente_id":1,"valor":1500})").status,
            201
        );
    }

    static constexpr const char* joao =
        R"({"nome":"João Silva","email":"joao@example.com","documento":"123.456.789-00"})";
};

}  // namespace umavez::propostas
