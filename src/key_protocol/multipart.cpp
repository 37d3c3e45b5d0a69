#include "key_protocol/multipart.hpp"

#include "key_protocol/multipart_scan.hpp"
#include "key_protocol/packed.hpp"

namespace umavez::key_protocol {
namespace {

class BytesInMemory final : public MultipartBytes {
public:
    explicit BytesInMemory(std::string_view body) : body_(body) {}

    std::uint64_t size() const noexcept override { return body_.size(); }
    std::optional<std::uint64_t> find(std::string_view wanted, std::uint64_t from) override
    {
        const std::size_t at = body_.find(wanted, from);
        return at == std::string_view::npos ? std::nullopt : std::optional<std::uint64_t>{at};
    }
    std::string_view at(std::uint64_t offset, std::size_t bytes_max) override
    {
        return body_.substr(offset, bytes_max);
    }

private:
    std::string_view body_;
};

}  // namespace

std::expected<std::vector<Part>, MultipartFault> parse_multipart(
    std::string_view body, std::string_view boundary
)
{
    BytesInMemory bytes{body};
    std::vector<Part> parts;
    const auto add = [&](ScannedPart part) -> std::optional<MultipartFault> {
        parts.push_back({std::move(part.headers), body.substr(part.offset, part.bytes)});
        return std::nullopt;
    };
    if (auto fault = scan_multipart(bytes, boundary, {}, add))
        return std::unexpected(*std::move(fault));
    return parts;
}

std::string to_canonical(const std::vector<Part>& parts)
{
    std::string canonical;
    for (const Part& part : parts) {
        std::string headers;
        for (const auto& [name, value] : part.headers) {
            append_packed(headers, name);
            append_packed(headers, value);
        }
        append_packed(canonical, headers);
        append_packed(canonical, part.content);
    }
    return canonical;
}

}  // namespace umavez::key_protocol
