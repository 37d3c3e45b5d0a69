#include "modules/fiscal/authority/http_answer.hpp"

#include "base/utf8.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

constexpr std::size_t codigo_chars_max = 40;
constexpr std::size_t descricao_chars_max = 500;

std::string cut(std::string text, std::size_t chars_max)
{
    std::string_view rest = text;
    for (std::size_t count = 0; !rest.empty() && count < chars_max; ++count) take_character(rest);
    text.resize(text.size() - rest.size());
    return text;
}

}  // namespace

Said unreached(std::string why)
{
    return {.word = Word::unreached, .detail = std::move(why)};
}

Said unknown(Said said, std::string why)
{
    said.word = Word::unknown;
    // What an answer says that contradicts itself is no code that could be a refusal.
    said.mensagens.clear();
    said.detail = std::move(why);
    return said;
}

Mensagem make_mensagem(std::string codigo, std::string descricao)
{
    return {
        cut(std::move(codigo), codigo_chars_max), cut(std::move(descricao), descricao_chars_max)
    };
}

}  // namespace umavez::fiscal
