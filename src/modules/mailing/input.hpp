#pragma once

// What clients say of a mailing's message beyond an upload, and what keeps a message from being sent. The
// rules of its fields are those of uploads (message_rules.hpp). Pure but for check_message, which reads a
// line of a file; thread-safe.

#include "http/validation.hpp"
#include "json/tree.hpp"
#include "modules/mailing/entities.hpp"
#include "modules/parts/read_body.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace umavez::mailing {

inline constexpr std::size_t motivo_max = 200;  // characters

using http::FieldError;
using modules::Read;

// What a request says of the message; nullopt: nothing.
struct MessageChanges {
    std::optional<std::string> assunto;
    std::optional<std::string> remetente;
    std::optional<std::string> texto;  // an empty one takes the part away
    std::optional<std::string> html;
    std::optional<Incerteza> incerteza;
    friend bool operator==(const MessageChanges&, const MessageChanges&) = default;
};

// Of a JSON body with at least one of the fields.
Read<MessageChanges> read_message_changes(const JsonTree* body, http::Language language);

// The message with the changes made to it.
Message changed(Message message, const MessageChanges& changes);

// What templates may name.
struct KnownNames {
    std::vector<std::string> columns;  // of the file's header (csv_layout.hpp: read_header)
    bool has_public_url = false;       // {{descadastro}} needs one
};

// What keeps the message from being sent: parts that are missing, a sender that is none, and names that no
// column has.
std::vector<FieldError> find_faults(const Message& message, const KnownNames& known);

// The same by the header of the file at `path`. An Error is the disk's.
Result<std::vector<FieldError>> check_message(
    const Message& message, const std::string& path, bool has_public_url
);

// {"incertas": true}, which may be left out.
Read<bool> read_incertas(const JsonTree* body, http::Language language);

// {"email", "motivo"?}
struct NovaSupressao {
    std::string email;  // normalised
    std::string motivo;
};
Read<NovaSupressao> read_nova_supressao(const JsonTree* body, http::Language language);

}  // namespace umavez::mailing
