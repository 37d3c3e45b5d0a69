#pragma once

// SefazDesk: SEFAZ, NF-e and NFC-e in SOAP (sefaz_office.hpp, sefaz_shapes.hpp). See desk.hpp.

#include "modules/fiscal/simulator/desk.hpp"
#include "modules/fiscal/simulator/sefaz_office.hpp"

#include <string>

namespace umavez::fiscal::simulator {

class SefazDesk final : public Desk {
public:
    explicit SefazDesk(std::string ambiente) : office_(std::move(ambiente)) {}

    Judgement judge(
        const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
    ) const override;
    EventRegistered event_behind(
        std::string_view chave, std::string_view tipo, const Book& book, Instant now
    ) const override;

private:
    SefazDecision decide(
        const Asked& asked, const Book& book, const Moment& moment, std::optional<Fault> fault
    ) const;

    SefazOffice office_;
};

}  // namespace umavez::fiscal::simulator
