#pragma once

// The requests and the answer every benchmark uses: a 36-character key, a 200-byte body. Thread-safe.

#include <umavez/outcome.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace umavez::bench {

inline constexpr std::string_view tenant_text = "loja-7";
inline constexpr std::string_view operation_text = "pedidos.criar";

// The form of a UUID, the same for the same number, and in no order.
std::string make_key(std::uint64_t number);

class Requests {
public:
    explicit Requests(std::string_view operation = operation_text);

    Request make(std::uint64_t number) const;
    const std::string& operation() const noexcept { return operation_.text(); }

private:
    TenantId tenant_id_;
    Operation operation_;
    Target target_;
    Fingerprint fingerprint_;
};

Response make_response();

// Ends the program: a benchmark that fails measures nothing.
[[noreturn]] void give_up(std::string_view why);

template <typename T>
T must(Result<T> result)
{
    if (!result) give_up(result.error().detail);
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace umavez::bench
