#include "modules/fiscal/nacional/messages.hpp"

#include "modules/fiscal/authority/http_answer.hpp"

#include <optional>
#include <utility>

namespace umavez::fiscal::nacional {
namespace {

std::optional<JsonValue> find_member(JsonValue object, std::string_view name)
{
    if (auto found = object.find(name)) return found;
    std::string other{name};
    const char first = other.front();
    other.front() = static_cast<char>(first >= 'a' ? first - 'a' + 'A' : first - 'A' + 'a');
    return object.find(other);
}

void add_mensagem(JsonValue value, std::vector<Mensagem>& found)
{
    if (value.kind() != JsonKind::object || found.size() >= mensagens_max) return;
    Mensagem mensagem{.codigo = text_of(value, "codigo"), .descricao = text_of(value, "descricao")};
    if (mensagem.codigo.empty()) return;
    if (mensagem.descricao.empty()) mensagem.descricao = text_of(value, "mensagem");
    if (const std::string more = text_of(value, "complemento"); !more.empty()) {
        mensagem.descricao += mensagem.descricao.empty() ? more : ": " + more;
    }
    found.push_back(make_mensagem(std::move(mensagem.codigo), std::move(mensagem.descricao)));
}

}  // namespace

std::string text_of(JsonValue object, std::string_view name)
{
    const auto member = find_member(object, name);
    if (!member) return {};
    if (member->kind() == JsonKind::string) return std::string{member->string()};
    if (member->kind() == JsonKind::number) return std::string{member->number()};
    return {};
}

std::vector<Mensagem> find_mensagens(JsonValue root)
{
    std::vector<Mensagem> found;
    for (const std::string_view name : {"erros", "erro"}) {
        const auto member = find_member(root, name);
        if (!member) continue;
        if (member->kind() == JsonKind::array) {
            for (const JsonValue item : member->elements()) add_mensagem(item, found);
        } else {
            add_mensagem(*member, found);
        }
    }
    return found;
}

}  // namespace umavez::fiscal::nacional
