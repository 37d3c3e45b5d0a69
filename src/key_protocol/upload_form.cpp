#include "key_protocol/upload_form.hpp"

#include "http/media_type.hpp"
#include "http/spooled_body.hpp"

#include <fmt/format.h>

namespace umavez::key_protocol {
namespace {

OrProblem<UploadForm> refused(std::string name, http::Text detail)
{
    return std::unexpected(http::Problem{.name = std::move(name), .detail = std::move(detail)});
}

OrProblem<UploadForm> malformed(const MultipartFault& fault)
{
    return refused(
        "malformed-body",
        {fmt::format("byte {}: {}", fault.offset, fault.reason),
         fmt::format("byte {}: {}", fault.offset, fault.reason_portuguese)}
    );
}

}  // namespace

Result<OrProblem<UploadForm>> read_upload_form(const http::Request& request)
{
    const http::HeaderLines given = http::find_lines(request.headers, "Content-Type");
    const auto media_type =
        given.count == 1 ? http::parse_media_type(given.value) : std::optional<http::MediaType>{};
    const std::string* const boundary = media_type ? media_type->find("boundary") : nullptr;
    if (boundary == nullptr) {
        return refused(
            "malformed-body",
            {"the Content-Type of a multipart body names its boundary, once",
             "o Content-Type de um corpo multipart informa o seu boundary, uma vez"}
        );
    }
    const File& file = request.spooled->file();
    auto found = find_form_parts(file, *boundary);
    if (!found) return std::unexpected(found.error());
    if (!*found) return malformed(found->error());

    UploadForm form;
    std::uint64_t bytes = 0;
    for (FormPart& part : **found) {
        if (part.filename) {
            form.files.push_back(std::move(part));
            continue;
        }
        bytes += part.bytes;
        if (bytes > form_fields_bytes_max) {
            return refused(
                "too-large",
                {"the fields of the form are larger than 1 MiB together",
                 "os campos do formulário passam de 1 MiB juntos"}
            );
        }
        auto content = read_form_part(file, part);
        if (!content) return std::unexpected(content.error());
        form.fields.emplace_back(std::move(part.name), *std::move(content));
    }
    return form;
}

}  // namespace umavez::key_protocol
