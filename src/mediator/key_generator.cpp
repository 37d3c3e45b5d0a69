#include "base/digest.hpp"
#include "base/json_text.hpp"

#include <umavez/mediator/key_generator.hpp>

#include <openssl/evp.h>

#include <array>

namespace umavez {
namespace {

class ContentKeys final : public KeyGenerator {
public:
    std::string make_key(std::string_view command_name, std::string_view content) const override
    {
        // Canonical as it stands: the names are in order and the content is.
        std::string text = "{\"command\":";
        append_json_text(text, command_name);
        text += ",\"content\":";
        text += content;
        text += '}';
        const Digest digest = sha256(text);
        std::array<unsigned char, 45> encoded;  // OpenSSL adds a zero
        const int size =
            EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
        return {encoded.begin(), encoded.begin() + size};
    }
};

}  // namespace

std::shared_ptr<const KeyGenerator> default_key_generator()
{
    static const auto generator = std::make_shared<const ContentKeys>();
    return generator;
}

}  // namespace umavez
