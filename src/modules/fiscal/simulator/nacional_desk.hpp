#pragma once

// NacionalDesk: Sefin Nacional, NFS-e as JSON (office.hpp, shapes.hpp). See desk.hpp.

#include "modules/fiscal/simulator/desk.hpp"
#include "modules/fiscal/simulator/office.hpp"

#include <string>

namespace umavez::fiscal::simulator {

class NacionalDesk final : public Desk {
public:
    explicit NacionalDesk(std::string ambiente) : office_(std::move(ambiente)) {}

    Judgement judge(
        const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
    ) const override;
    EventRegistered event_behind(
        std::string_view chave, std::string_view tipo, const Book& book, Instant now
    ) const override;

private:
    NacionalOffice office_;
};

}  // namespace umavez::fiscal::simulator
