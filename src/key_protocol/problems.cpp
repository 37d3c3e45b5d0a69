#include "key_protocol/problems.hpp"

namespace umavez::key_protocol {

http::ProblemCatalogue standard_problems()
{
    http::ProblemCatalogue catalogue;
    catalogue.add_all(protocol_problems());
    catalogue.add_all(resource_problems());
    catalogue.add_all(http::server_problems());
    return catalogue;
}

}  // namespace umavez::key_protocol
