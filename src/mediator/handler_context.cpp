#include <umavez/mediator/handler.hpp>

namespace umavez {

std::stop_token HandlerContext::stop()
{
    if (lease_ == nullptr) return stop_;
    std::stop_token lost = lease_->lost();
    if (!stop_.stop_possible()) return lost;
    if (!either_.stop_possible()) {
        either_ = std::stop_source{};
        on_stop_.emplace(stop_, Forward{either_});
        on_lost_.emplace(std::move(lost), Forward{either_});
    }
    return either_.get_token();
}

std::string_view HandlerContext::effect_key() const noexcept
{
    return lease_ != nullptr ? std::string_view{lease_->effect_key()} : std::string_view{};
}

std::uint32_t HandlerContext::attempts() const noexcept
{
    return lease_ != nullptr ? lease_->attempts() : 1;
}

}  // namespace umavez
