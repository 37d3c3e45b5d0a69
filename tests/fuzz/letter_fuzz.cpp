// Hostile messages of a broker, and its address as an operator writes it.
//
// An input is a length in two bytes, the properties of a message as AMQP has them on the wire, and its
// body; all of it is an address, too. Frames and properties are librabbitmq's to read, and it reads them
// here; what is ours is what we make of them. Checked: a message that is taken has an id, a type, a tenant
// and JSON; sent on, it comes back the same; and no message about an address tells the password in it.

#include "json/tree.hpp"
#include "messaging/broker/address.hpp"
#include "messaging/broker/connection.hpp"
#include "messaging/broker/letter.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace umavez;
using namespace umavez::messaging;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

class Pool {
public:
    Pool() { init_amqp_pool(&pool_, 4096); }
    ~Pool() { empty_amqp_pool(&pool_); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    amqp_pool_t* get() { return &pool_; }

private:
    amqp_pool_t pool_{};
};

amqp_bytes_t to_bytes(std::string& text)
{
    return {text.size(), text.data()};
}

std::optional<amqp_basic_properties_t> decode(std::string& wire, Pool& pool)
{
    void* decoded = nullptr;
    const int status =
        amqp_decode_properties(AMQP_BASIC_CLASS, pool.get(), to_bytes(wire), &decoded);
    if (status < 0) return std::nullopt;
    return *static_cast<amqp_basic_properties_t*>(decoded);
}

std::string encode(const amqp_basic_properties_t& properties)
{
    std::string wire(200'000, '\0');
    amqp_basic_properties_t copy = properties;
    const int size = amqp_encode_properties(AMQP_BASIC_CLASS, &copy, to_bytes(wire));
    require(size >= 0, "a letter fits on the wire");
    wire.resize(static_cast<std::size_t>(size));
    return wire;
}

Result<Letter> read(const amqp_basic_properties_t& properties, std::string& body)
{
    amqp_message_t message{};
    message.properties = properties;
    message.body = to_bytes(body);
    return parse_letter(message);
}

void check_sent_on(const Letter& letter)
{
    Letter sent = letter;
    sent.reason = "read";
    sent.expires = std::chrono::milliseconds{1};
    const Properties properties{sent};
    std::string wire = encode(*properties.get());
    Pool pool;
    const auto decoded = decode(wire, pool);
    require(decoded.has_value(), "what is sent can be read");
    const auto again = read(*decoded, sent.data);
    require(again.has_value(), "a letter that is sent on is a letter");
    require(
        again->message_id == letter.message_id && again->type == letter.type, "with id and type"
    );
    require(again->tenant == letter.tenant && again->aggregate == letter.aggregate, "of the same");
    require(
        again->created_at == letter.created_at && again->data == letter.data, "saying the same"
    );
    require(again->deaths == std::min<std::int64_t>(letter.deaths, 1'000'000), "with its deaths");
}

void try_message(std::string wire, std::string body)
{
    Pool pool;
    const auto properties = decode(wire, pool);
    if (!properties) return;
    const auto letter = read(*properties, body);
    if (!letter) {
        require(letter.error().code == Errc::invalid_argument, "a refusal is about the message");
        return;
    }
    require(!letter->message_id.empty() && letter->message_id.size() <= 64, "an id");
    require(!letter->type.empty() && !letter->tenant.empty(), "a type and a tenant");
    require(JsonTree::parse(letter->data).has_value() && letter->data == body, "a body of JSON");
    require(letter->deaths >= 0 && letter->created_at >= Instant{}, "numbers in their bounds");
    check_sent_on(*letter);
}

void try_address(const std::string& text)
{
    constexpr std::string_view secret = "Zq7Zq7";  // in no sentence of ours
    const auto address = parse_broker_address(text);
    if (!address) {
        require(address.error().code == Errc::misconfigured, "an address is wrong or right");
    } else {
        require(!address->host.empty() && address->port != 0, "it has a host and a port");
        require(address->cert.empty() == address->key.empty(), "a certificate has its key");
    }
    const std::size_t colon = text.find(':', std::min(text.find("//"), text.size()));
    const std::size_t at = text.rfind('@');
    if (text.contains(secret)) return;  // the fuzzer learns it
    if (colon == std::string::npos || at == std::string::npos || colon > at) return;
    for (const std::size_t place : {colon + 1, at}) {
        std::string with_secret = text;
        with_secret.insert(place, secret);
        const auto parsed = parse_broker_address(with_secret);
        const std::string told = parsed ? parsed->shown() : parsed.error().detail;
        require(!told.contains(secret), "nobody is told the password");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    try_address(std::string{input});
    if (size < 2) return 0;
    const std::string_view rest = input.substr(2);
    const std::size_t wire = std::min<std::size_t>(data[0] * 256U + data[1], rest.size());
    try_message(std::string{rest.substr(0, wire)}, std::string{rest.substr(wire)});
    return 0;
}
