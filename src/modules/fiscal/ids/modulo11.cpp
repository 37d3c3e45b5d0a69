#include "modules/fiscal/ids/modulo11.hpp"

namespace umavez::fiscal {

std::string zero_padded(std::int64_t number, std::size_t width)
{
    if (number < 0) return {};
    const std::string text = std::to_string(number);
    if (text.size() > width) return {};
    return zero_padded(std::string_view{text}, width);
}

}  // namespace umavez::fiscal
