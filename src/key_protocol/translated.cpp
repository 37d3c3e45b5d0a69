#include "key_protocol/translated.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace umavez::key_protocol {
namespace {

// Both with the same holes in the same order.
struct Pair {
    std::string_view english;
    std::string_view portuguese;
};

constexpr std::string_view hole = "{}";

constexpr auto table = std::to_array<Pair>({
    // Of the JSON reader, after the place.
    {"expected a member name", "esperava-se o nome de um membro"},
    {"expected ':' after a member name", "esperava-se ':' depois do nome de um membro"},
    {"expected ',' or '{}'", "esperava-se ',' ou '{}'"},
    {"expected a value", "esperava-se um valor"},
    {"expected a digit", "esperava-se um dígito"},
    {"expected a digit after the point", "esperava-se um dígito depois do ponto"},
    {"expected a digit in the exponent", "esperava-se um dígito no expoente"},
    {"expected four hexadecimal digits", "esperavam-se quatro dígitos hexadecimais"},
    {"nested more than {} levels deep", "há mais de {} níveis aninhados"},
    {"the text ends before a container is closed",
     "o texto termina antes de se fechar um objeto ou uma lista"},
    {"the text ends inside a string", "o texto termina dentro de uma string"},
    {"the text ends where a value is expected", "o texto termina onde se esperava um valor"},
    {"duplicate member name", "nome de membro repetido"},
    {"byte order mark", "há uma marca de ordem de bytes"},
    {"text after the value", "há texto depois do valor"},
    {"number beyond the range of a double", "número além do alcance de um double"},
    {"number below 1e-999999999999999", "número abaixo de 1e-999999999999999"},
    {"number with a leading zero", "número com zero à esquerda"},
    {"control character in a string", "caractere de controle dentro de uma string"},
    {"invalid UTF-8", "UTF-8 inválido"},
    {"unknown escape", "escape desconhecido"},
    {"lone surrogate", "substituto (surrogate) sem o seu par"},
    // Of names.
    {"{} is empty", "{} está vazio"},
    {"{} has {} characters, at most {} are allowed", "{} tem {} caracteres; o máximo é {}"},
    {"{} may only contain a-z, 0-9, '.', '_', '-'", "{} só pode conter a-z, 0-9, '.', '_', '-'"},
    // Of tokens.
    {"\"*\" is for operators, who look after all tenants; name one tenant for a reader or writer",
     "\"*\" é para operadores, que cuidam de todos os inquilinos; indique um inquilino para reader "
     "ou writer"},
    {"{} bytes, at most {} are allowed", "{} bytes; o máximo é {}"},
    {"not valid UTF-8", "não é UTF-8 válido"},
    {"contains a control character", "contém um caractere de controle"},
    // Of the engine, to operators.
    {"key \"{}\" is {} under a live lease; only an in-doubt or abandoned key can be resolved",
     "a chave \"{}\" está {} com concessão ativa; só uma chave em dúvida ou abandonada pode ser "
     "resolvida"},
    {"key \"{}\" is {}; only an in-doubt or abandoned key can be resolved",
     "a chave \"{}\" está {}; só uma chave em dúvida ou abandonada pode ser resolvida"},
    {"key \"{}\" is {} under a live lease; only {} can be released",
     "a chave \"{}\" está {} com concessão ativa; só uma chave em dúvida, abandonada ou que "
     "falhou pode ser liberada"},
    {"key \"{}\" is {}; only {} can be released",
     "a chave \"{}\" está {}; só uma chave em dúvida, abandonada ou que falhou pode ser liberada"},
    {"key \"{}\" changed meanwhile; look at it again",
     "a chave \"{}\" mudou enquanto isso; consulte-a de novo"},
    {"there is no record of the key \"{}\"", "não há registro da chave \"{}\""},
    {"key \"{}\" is free already: the next request with it runs",
     "a chave \"{}\" já está livre: a próxima requisição com ela executa"},
    {"this cursor is none that a page gave; begin without one",
     "este cursor não foi dado por uma página; comece sem ele"},
    // Of the routes of operators.
    {"There is no such key.", "Não existe essa chave."},
    {"There is no such tenant.", "Não existe esse inquilino."},
    {"There is no such token.", "Não existe esse token."},
    {"say why, in one line; it is kept in the audit",
     "diga o motivo, em uma linha; ele fica na auditoria"},
    {"needs a response_body", "exige um response_body"},
    {"must be a text", "deve ser um texto"},
    {"must be a status from 200 to 599", "deve ser um status de 200 a 599"},
    {"must be a media type", "deve ser um tipo de mídia"},
    {"must be succeeded or failed", "deve ser succeeded ou failed"},
    {"must be reader, writer or operator", "deve ser reader, writer ou operator"},
    {"must be a whole number above zero, at most 100 years",
     "deve ser um número inteiro acima de zero, no máximo 100 anos"},
    {"the file to write", "o arquivo a escrever"},
    {"There is no such event.", "Não existe esse evento."},
    {"There is no such account.", "Não existe essa conta."},
    {"write the name of a [[webhook.provider]]", "escreva o nome de um [[webhook.provider]]"},
    {"has at most 255 bytes", "tem no máximo 255 bytes"},
    {"must be a text without control characters", "deve ser um texto sem caracteres de controle"},
    {"a name that begins with _ is ours", "um nome que começa com _ é nosso"},
    {"There is no such delivery.", "Não existe essa entrega."},
    {"There is no such message.", "Não existe essa mensagem."},
    {"There is no such document.", "Não existe esse documento."},
    {"There is no such destination.", "Não existe esse destino."},
    {"must be the id of a destination", "deve ser o id de um destino"},
    {"the destination was removed; nobody is there to deliver to",
     "o destino foi removido; não há a quem entregar"},
    // Of URLs that somebody registers.
    {"may only contain visible ASCII characters; percent-encode the others",
     "só pode conter caracteres ASCII visíveis; codifique os outros com %"},
    {"must begin with https:// or http://", "deve começar com https:// ou http://"},
    {"must be like https://example.com/webhooks", "deve ser como https://example.com/webhooks"},
    {"may have no fragment: leave out # and what follows",
     "não pode ter fragmento: omita # e o que segue"},
    {"may have no user and password; requests are signed instead",
     "não pode ter usuário e senha; as requisições são assinadas"},
    {"must have a port from 1 to 65535, or none", "deve ter uma porta de 1 a 65535, ou nenhuma"},
});

// What stands in the holes; nullopt where the text is not of the pattern.
std::optional<std::vector<std::string_view>> match(std::string_view pattern, std::string_view text)
{
    std::vector<std::string_view> held;
    for (;;) {
        const std::size_t at = pattern.find(hole);
        const std::string_view before = pattern.substr(0, at);
        if (!text.starts_with(before)) return std::nullopt;
        text.remove_prefix(before.size());
        if (at == std::string_view::npos) {
            if (!text.empty()) return std::nullopt;
            return held;
        }
        pattern.remove_prefix(at + hole.size());
        const std::string_view after = pattern.substr(0, pattern.find(hole));
        const std::size_t end = after.empty() ? text.size() : text.find(after);
        if (end == std::string_view::npos) return std::nullopt;
        held.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::string fill(std::string_view pattern, const std::vector<std::string_view>& held)
{
    std::string text;
    for (const std::string_view value : held) {
        const std::size_t at = pattern.find(hole);
        if (at == std::string_view::npos) break;
        text.append(pattern.substr(0, at)).append(value);
        pattern.remove_prefix(at + hole.size());
    }
    return text.append(pattern);
}

}  // namespace

http::Text translated(std::string_view english)
{
    // "byte 12: …" is the same in both.
    std::string_view rest = english;
    if (rest.starts_with("byte ")) rest.remove_prefix(std::min(rest.find(": ") + 2, rest.size()));
    const std::string place{english.substr(0, english.size() - rest.size())};
    for (const Pair& pair : table) {
        if (const auto held = match(pair.english, rest))
            return {std::string{english}, place + fill(pair.portuguese, *held)};
    }
    return {std::string{english}, std::string{english}};
}

}  // namespace umavez::key_protocol
