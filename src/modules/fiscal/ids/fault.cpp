#include "modules/fiscal/ids/fault.hpp"

namespace umavez::fiscal {

std::string_view to_text(IdFault fault) noexcept
{
    switch (fault) {
        case IdFault::length: return "length";
        case IdFault::characters: return "characters";
        case IdFault::all_equal: return "all_equal";
        case IdFault::check_digits: return "check_digits";
        case IdFault::wrong_kind: return "wrong_kind";
        case IdFault::unknown_uf: return "unknown_uf";
        case IdFault::month: return "month";
        case IdFault::model: return "model";
        case IdFault::number_zero: return "number_zero";
        case IdFault::out_of_range: return "out_of_range";
    }
    return "";
}

FaultText describe(IdFault fault) noexcept
{
    switch (fault) {
        case IdFault::length: return {"has the wrong length", "tem o tamanho errado"};
        case IdFault::characters:
            return {
                "has a character that may not stand there", "tem um caractere que não cabe ali"
            };
        case IdFault::all_equal:
            return {"must not repeat one character", "não pode repetir um só caractere"};
        case IdFault::check_digits:
            return {"has the wrong check digit", "tem o dígito verificador errado"};
        case IdFault::wrong_kind:
            return {
                "must be 1 before a CPF and 2 before a CNPJ", "deve ser 1 para CPF e 2 para CNPJ"
            };
        case IdFault::unknown_uf:
            return {"does not begin with the code of a state", "não começa com o código de uma UF"};
        case IdFault::month: return {"has no month of 01 to 12", "não tem um mês de 01 a 12"};
        case IdFault::model: return {"must be of model 55 or 65", "deve ser do modelo 55 ou 65"};
        case IdFault::number_zero:
            return {"must have a number of at least 1", "deve ter um número a partir de 1"};
        case IdFault::out_of_range: return {"does not fit its width", "não cabe na sua largura"};
    }
    return {};
}

}  // namespace umavez::fiscal
