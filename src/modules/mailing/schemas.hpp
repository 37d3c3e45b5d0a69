#pragma once

// The shapes of what Mailing takes and gives, for the documents. Pure, thread-safe.

#include "http/route.hpp"

namespace umavez::mailing {

http::Schema mailing_schema();
http::Schema entry_schema();
http::Schema suppression_schema();
http::Schema message_changes_schema();

extern const char* const mailing_example;  // JSON

// {id} of a path.
http::Field mailing_parameter();

// A route of the module's tag.
http::Route declare(std::string method, std::string pattern, std::string id, std::string summary);

}  // namespace umavez::mailing
