#pragma once

// An upload as a client sends it, into values whose rules hold: a form with `file` and the fields
// of the message, or a bare file with its name in the query. Pure, thread-safe.

#include "http/language.hpp"
#include "http/message.hpp"
#include "key_protocol/upload_form.hpp"
#include "modules/mailing/entities.hpp"
#include "modules/mailing/storage.hpp"
#include "modules/parts/read_body.hpp"

#include <optional>
#include <string>

namespace umavez::mailing {

struct UploadInput {
    std::string filename;
    ByteRange range;                 // of the file in the body
    std::optional<Message> message;  // nullopt: a draft
    Incerteza incerteza = Incerteza::no_maximo_uma;
    std::optional<bool> dedupes_by_content;  // nullopt: as configured
};

modules::Read<UploadInput> read_form_upload(
    const key_protocol::UploadForm& form, const http::Request& request, http::Language language
);

modules::Read<UploadInput> read_bare_upload(const http::Request& request, http::Language language);

}  // namespace umavez::mailing
