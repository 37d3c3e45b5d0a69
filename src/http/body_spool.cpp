#include "http/body_spool.hpp"

#include "base/assert.hpp"

namespace umavez::http {

std::optional<Refusal> BodySpool::put(std::string_view bytes)
{
    if (!inflater_) return write(bytes);
    return inflater_->put(bytes, [this](std::string_view plain) { return write(plain); });
}

std::optional<Refusal> BodySpool::finish()
{
    if (inflater_) {
        if (auto refusal = inflater_->finish()) return refusal;
    }
    return open();
}

std::shared_ptr<SpooledBody> BodySpool::take()
{
    UMAVEZ_ASSERT(file_);
    return std::make_shared<SpooledBody>(*std::move(file_), bytes_);
}

std::optional<Refusal> BodySpool::write(std::string_view bytes)
{
    if (bytes.empty()) return std::nullopt;
    if (bytes.size() > bytes_max_ - bytes_) {
        return Refusal{413, {"the body is too large", "o corpo é grande demais"}};
    }
    if (auto refusal = open()) return refusal;
    if (const auto written = file_->append(bytes); !written) return on_error(written.error());
    bytes_ += bytes.size();
    return std::nullopt;
}

std::optional<Refusal> BodySpool::open()
{
    if (file_) return std::nullopt;
    auto made = File::make_unnamed(folder_);
    if (!made) return on_error(made.error());
    file_ = *std::move(made);
    return std::nullopt;
}

Refusal BodySpool::on_error(const Error& error)
{
    trouble_ = error.detail;
    Text reason{
        "the upload cannot be stored; nothing was executed",
        "o envio não pode ser armazenado; nada foi executado",
    };
    if (error.code == Errc::limit_exceeded) {
        reason = {
            "there is no room for the upload; nothing was executed",
            "não há espaço para o envio; nada foi executado",
        };
    }
    return {503, std::move(reason), {{"Retry-After", "30"}}};
}

}  // namespace umavez::http
