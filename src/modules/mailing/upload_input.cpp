#include "modules/mailing/upload_input.hpp"

#include "http/parameters.hpp"
#include "http/spooled_body.hpp"
#include "modules/mailing/message_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace umavez::mailing {
namespace {

using Errors = std::vector<http::FieldError>;

constexpr std::array<std::string_view, 6> known_fields = {
    "assunto", "remetente", "texto", "html", "incerteza", "dedupe"
};

std::string take_field(const key_protocol::UploadForm& form, std::string_view name, Errors& errors)
{
    std::string value;
    std::size_t count = 0;
    for (const auto& [given, text] : form.fields) {
        if (given != name) continue;
        value = text;
        ++count;
    }
    if (count > 1)
        errors.push_back({std::string{name}, {"it is given twice", "aparece duas vezes"}});
    return value;
}

// A field that is not taken would be a typing error that looks like success.
void refuse_unknown(const key_protocol::UploadForm& form, Errors& errors)
{
    for (const auto& [name, text] : form.fields) {
        if (name == "file") {
            errors.push_back(
                {"file",
                 {"send it as a file, with a filename", "envie-o como arquivo, com um filename"}}
            );
        } else if (std::ranges::find(known_fields, name) == known_fields.end()) {
            errors.push_back({name, {"there is no such field", "não existe esse campo"}});
        }
    }
    for (const key_protocol::FormPart& file : form.files) {
        if (file.name == "file") continue;
        errors.push_back({file.name, {"only `file` may be a file", "só `file` pode ser um arquivo"}}
        );
    }
}

const key_protocol::FormPart* take_file(const key_protocol::UploadForm& form, Errors& errors)
{
    const auto is_file = [](const key_protocol::FormPart& part) { return part.name == "file"; };
    const auto count = std::ranges::count_if(form.files, is_file);
    if (count == 1) return &*std::ranges::find_if(form.files, is_file);
    const bool is_misplaced =
        std::ranges::any_of(form.fields, [](const auto& field) { return field.first == "file"; });
    if (count > 1) {
        errors.push_back({"file", {"one file at a time", "um arquivo de cada vez"}});
    } else if (!is_misplaced) {
        errors.push_back({"file", {"the file is missing", "falta o arquivo"}});
    }
    return nullptr;
}

void read_word(const std::string& text, Incerteza& incerteza, Errors& errors)
{
    if (text.empty()) return;
    if (const auto parsed = parse_incerteza(text)) {
        incerteza = *parsed;
        return;
    }
    errors.push_back(
        {"incerteza",
         {fmt::format("one of {}", fmt::join(incerteza_words(), ", ")),
          fmt::format("um de {}", fmt::join(incerteza_words(), ", "))}}
    );
}

void read_dedupe(std::string_view text, std::optional<bool>& by_content, Errors& errors)
{
    if (text.empty()) return;
    by_content = text == "content";
    if (*by_content || text == "filename") return;
    errors.push_back({"dedupe", {"filename or content", "filename ou content"}});
}

std::optional<Message> read_message(const key_protocol::UploadForm& form, Errors& errors)
{
    MessageFields fields{
        .assunto = take_field(form, "assunto", errors),
        .remetente = take_field(form, "remetente", errors),
        .texto = take_field(form, "texto", errors),
        .html = take_field(form, "html", errors),
    };
    if (fields.is_empty()) return std::nullopt;
    std::ranges::move(check_fields(fields), std::back_inserter(errors));
    std::ranges::move(missing_fields(fields), std::back_inserter(errors));
    return Message{
        std::move(fields.assunto),
        std::move(fields.remetente),
        std::move(fields.texto),
        std::move(fields.html),
    };
}

modules::Read<UploadInput> checked(UploadInput input, const Errors& errors, http::Language language)
{
    if (!errors.empty()) return std::unexpected(http::validation_problem(errors, language));
    return input;
}

void read_place(
    UploadInput& input,
    std::string_view sent,
    ByteRange range,
    std::string_view field,
    Errors& errors
)
{
    input.filename = strip_folders(sent);
    input.range = range;
    if (auto error = check_filename(field, input.filename)) errors.push_back(*std::move(error));
    if (range.bytes == 0) errors.push_back({"file", {"the file is empty", "o arquivo está vazio"}});
}

}  // namespace

modules::Read<UploadInput> read_form_upload(
    const key_protocol::UploadForm& form, const http::Request& request, http::Language language
)
{
    Errors errors;
    UploadInput input;
    refuse_unknown(form, errors);
    if (const auto* const file = take_file(form, errors))
        read_place(input, *file->filename, {file->offset, file->bytes}, "file", errors);
    input.message = read_message(form, errors);
    read_word(take_field(form, "incerteza", errors), input.incerteza, errors);
    const std::string dedupe = take_field(form, "dedupe", errors);
    read_dedupe(dedupe, input.dedupes_by_content, errors);
    if (http::find_parameter(request, "filename")) {
        errors.push_back(
            {"filename",
             {"a form names its file itself", "num formulário o nome vem com o próprio arquivo"}}
        );
    }
    if (const auto word = http::find_parameter(request, "dedupe")) {
        if (!dedupe.empty())
            errors.push_back({"dedupe", {"it is given twice", "aparece duas vezes"}});
        read_dedupe(*word, input.dedupes_by_content, errors);
    }
    return checked(std::move(input), errors, language);
}

modules::Read<UploadInput> read_bare_upload(const http::Request& request, http::Language language)
{
    Errors errors;
    UploadInput input;
    const auto filename = http::find_parameter(request, "filename");
    read_place(input, filename.value_or(""), {0, request.spooled->bytes()}, "filename", errors);
    read_dedupe(
        http::find_parameter(request, "dedupe").value_or(""), input.dedupes_by_content, errors
    );
    return checked(std::move(input), errors, language);
}

}  // namespace umavez::mailing
