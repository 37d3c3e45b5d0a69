#pragma once

// The documentation for people: the routes of a router on one page, made of the same declarations
// as the OpenAPI document. Readable without scripts and on a phone; style and search are two small
// files that this server serves itself. Pure, thread-safe.

#include "http/message.hpp"
#include "http/openapi.hpp"
#include "http/router.hpp"

namespace umavez::http {

// GET /docs. Routes without a summary are left out.
Response docs_page(const Router& router, const OpenApiInfo& info);

// GET /docs/docs.css and GET /docs/docs.js.
Response docs_style();
Response docs_script();

}  // namespace umavez::http
