#pragma once

// SpDesk: the city of São Paulo, NFS-e in SOAP (sp_office.hpp, sp_shapes.hpp). See desk.hpp.

#include "modules/fiscal/simulator/desk.hpp"

namespace umavez::fiscal::simulator {

class SpDesk final : public Desk {
public:
    Judgement judge(
        const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
    ) const override;
    EventRegistered event_behind(
        std::string_view chave, std::string_view tipo, const Book& book, Instant now
    ) const override;
};

}  // namespace umavez::fiscal::simulator
