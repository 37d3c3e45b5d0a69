#pragma once

// PlayedAuthority: the simulator with everything around it: a folder with certificates and ledger, the door
// where clients come in, and the control. Serves from start() on until it is destroyed. Thread-safe.

#include "http/server.hpp"
#include "modules/fiscal/simulator/certificates.hpp"
#include "modules/fiscal/simulator/door.hpp"
#include "modules/fiscal/simulator/simulator.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace umavez::fiscal::simulator {

struct PlayOptions {
    std::string folder;                 // made where it is missing; absolute
    std::string address = "127.0.0.1";  // of this machine: it authorises whatever it is sent
    std::uint16_t port = 0;             // 0: any free one
    std::string control_address = "127.0.0.1";
    std::uint16_t control_port = 0;
    std::vector<std::string> issuers = {"00574753000100"};  // who get a certificate
    std::string ambiente = "2";                             // as in tpAmb
    ChanceOfFaults chance = {};
    Duration slow = std::chrono::seconds{2};
    Duration throttle = std::chrono::hours{1};  // of SEFAZ, from the last call on
};

class PlayedAuthority {
public:
    static Result<std::unique_ptr<PlayedAuthority>> start(PlayOptions options);

    std::string base_url() const;     // "https://127.0.0.1:8443"
    std::string url() const;          // "https://127.0.0.1:8443/SefinNacional"
    std::string control_url() const;  // "http://127.0.0.1:8444"
    std::uint16_t port() const noexcept { return door_->port(); }
    std::string ledger_path() const;
    const CertificateFiles& files() const noexcept { return files_; }
    Simulator& simulator() noexcept { return *simulator_; }

    // The [fiscal] part of a configuration that speaks to this authority, as TOML.
    std::string settings() const;

private:
    explicit PlayedAuthority(PlayOptions options) : options_(std::move(options)) {}

    PlayOptions options_;
    CertificateFiles files_;
    std::unique_ptr<Simulator> simulator_;  // outlives both that ask it
    std::unique_ptr<http::Server> control_;
    std::unique_ptr<Door> door_;
};

}  // namespace umavez::fiscal::simulator
