#pragma once

// What clients get of Mailing: values as JSON, and refusals. Pure, thread-safe.

#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "modules/mailing/entities.hpp"
#include "modules/mailing/suppressions_table.hpp"
#include "modules/parts/answers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

using modules::Answered;
using modules::refused;

std::string to_json(const Mailing& mailing);
std::string to_json(const Entry& entry);
std::string to_json(const InvalidLine& line);
std::string to_json(const Suppression& suppression);

// The mailing with the name of its tenant, for operators.
std::string to_operator_json(const Mailing& mailing);

Response to_response(int status, const Mailing& mailing);
Response to_response(const Suppressed& suppressed);

http::Problem no_mailing(std::string_view uuid);

// 409 with the status in which the order finds it, as `estado`: `status` is that of the answer.
http::Problem cannot_order(const Mailing& mailing, Order order);
http::Problem cannot_change_message(const Mailing& mailing);

}  // namespace umavez::mailing
