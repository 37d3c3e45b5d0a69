#include "modules/parts/read_body.hpp"

namespace umavez::modules {

Read<std::optional<std::int64_t>> read_versao(const JsonTree* body, http::Language language)
{
    key_protocol::BodyFields fields{body, {"versao"}};
    const auto versao = fields.find_integer("versao");
    return checked(versao, fields, language);
}

}  // namespace umavez::modules
