#include "modules/fiscal/nacional/code_words.hpp"

namespace umavez::fiscal::nacional {

CodeWord code_word(SefinCall call, std::string_view codigo)
{
    using namespace std::chrono_literals;
    if (call == SefinCall::emitir) {
        if (codigo == "E0014") return {Word::exists};
        if (codigo == "E1206" || codigo == "E1217") return {Word::later, 2min};
        return {Word::refused};
    }
    if (codigo == "E0802" || codigo == "E0840") return {Word::exists};
    if (codigo == "E1831") return {Word::later, 1min};
    return {Word::refused};
}

}  // namespace umavez::fiscal::nacional
