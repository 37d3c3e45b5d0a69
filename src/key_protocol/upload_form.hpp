#pragma once

// The body of an upload that is a form: its files where they lie, its fields in memory. Blocks;
// confined to its thread.

#include "http/message.hpp"
#include "key_protocol/multipart_file.hpp"
#include "key_protocol/protect.hpp"

#include <string>
#include <utility>
#include <vector>

namespace umavez::key_protocol {

struct UploadForm {
    std::vector<FormPart> files;                              // parts with a filename, in order
    std::vector<std::pair<std::string, std::string>> fields;  // the others
};

// Of a request whose Content-Type is multipart/form-data. The problem is `malformed-body`, naming
// the byte and what is wrong there, or `too-large` where the fields are.
Result<OrProblem<UploadForm>> read_upload_form(const http::Request& request);

}  // namespace umavez::key_protocol
