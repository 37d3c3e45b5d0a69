#pragma once

// FileTransport: messages into a folder, for development and tests. Each is FOLDER/<Message-ID>.eml, so
// one that is handed over again takes the place of the first; FOLDER/sent.log has a line for every
// hand-over, so that counting them stays honest. Confined to its thread; many processes may share a
// folder.

#include "mail/transport.hpp"

#include <filesystem>

namespace umavez::mail {

class FileTransport final : public Transport {
public:
    explicit FileTransport(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // A folder that cannot be written is unreachable.
    Delivered send(const Envelope& envelope, std::string_view content, std::stop_token stop)
        override;

private:
    const std::filesystem::path folder_;
};

}  // namespace umavez::mail
