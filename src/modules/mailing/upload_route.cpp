#include "http/media_type.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "modules/mailing/upload.hpp"

namespace umavez::mailing {
namespace {

using key_protocol::Exchange;
using key_protocol::OrProblem;

constexpr std::string_view path = "/api/v1/mailings";

http::Schema form_schema()
{
    const auto optional_text = [](std::string name, http::TextLimits limits, std::string description
                               ) {
        return http::Field{
            .name = std::move(name),
            .type = http::text(std::move(limits)),
            .description = std::move(description),
            .required = false,
        };
    };
    return http::object({
        {.name = "file",
         .type = http::text({.format = "binary"}),
         .description = "CSV with a column of addresses; its filename names the mailing"},
        optional_text("assunto", {.max = 255}, "subject; may name columns: `Olá, {{nome}}`"),
        optional_text("remetente", {.max = 320}, "`Loja <news@loja.example>`"),
        optional_text("texto", {}, "plain text, at most 256 KiB; texto, html or both"),
        optional_text("html", {}, "HTML, at most 256 KiB"),
        {.name = "incerteza",
         .type = http::one_of(incerteza_words()),
         .description = "what becomes of a message that may have been sent when its worker died",
         .required = false},
        {.name = "dedupe",
         .type = http::one_of({"filename", "content"}),
         .description = "what makes two uploads the same; as configured where it is not given",
         .required = false},
    });
}

http::Schema uploaded_schema()
{
    return http::object({
                            {.name = "mailingId", .type = http::text({.format = "uuid"})},
                            {.name = "status", .type = http::one_of(status_words())},
                            {.name = "created",
                             .type = http::boolean(),
                             .description = "false: it was uploaded before"},
                            {.name = "filename", .type = http::text({.max = 255})},
                            {.name = "contentDiffers",
                             .type = http::boolean(),
                             .description =
                                 "true: the mailing of that name has another content, which stays",
                             .required = false},
                        })
        .named("MailingUploaded");
}

http::Route upload_route(std::uint64_t bytes_max)
{
    return {
        .method = "POST",
        .pattern = std::string{path},
        .operation_id = "mailings.enviar",
        .tag = "Mailing",
        .summary = "Upload the recipients of a mailing",
        .description =
            "A file with the same name is the same mailing: a retry finds it and creates nothing. "
            "With a "
            "message the mailing is QUEUED, without one it waits as DRAFT. `text/csv` takes the "
            "name "
            "from `?filename=`.",
        .query =
            {{.name = "filename",
              .type = http::text({.max = 255, .min = 1}),
              .description = "of a text/csv body",
              .required = false},
             {.name = "dedupe", .type = http::one_of({"filename", "content"}), .required = false}},
        .body =
            http::Body{
                .schema = form_schema(),
                .media_types = {"multipart/form-data"},
                .raw_media_types = {"text/csv"},
                .spooled_bytes_max = bytes_max,
            },
        .answers =
            {{.status = 201, .description = "created", .body = uploaded_schema()},
             {.status = 200, .description = "was there already", .body = uploaded_schema()}},
        .problems = {"validation", "malformed-body", "store-unavailable"},
    };
}

// A folder that is gone is trouble of ours, not something that the client asked for.
http::Problem failure(Error error)
{
    if (error.code == Errc::not_found) error.code = Errc::store_unavailable;
    http::Problem problem = key_protocol::problem_of(error);
    if (effect_of(error.code) == Effect::unknown) {
        problem.detail = {
            "it is not known whether the mailing was created; send the same file again, a retry "
            "finds it",
            "não se sabe se o mailing foi criado; envie o mesmo arquivo de novo, a nova tentativa "
            "o encontra",
        };
    }
    return problem;
}

modules::Read<UploadInput> to_input(
    const Result<OrProblem<key_protocol::UploadForm>>& form, const Exchange& exchange
)
{
    if (!form) return std::unexpected(failure(form.error()));
    if (!*form) return std::unexpected(form->error());
    return read_form_upload(**form, exchange.request, exchange.language);
}

modules::Read<UploadInput> read_input(const Exchange& exchange)
{
    const auto value = http::find_header(exchange.request.headers, "Content-Type");
    const auto media_type = http::parse_media_type(value.value_or(""));
    if (media_type && media_type->type == "text")
        return read_bare_upload(exchange.request, exchange.language);
    return to_input(key_protocol::read_upload_form(exchange.request), exchange);
}

OrProblem<http::Response> answer(const UploadNeeds& needs, const Exchange& exchange)
{
    const auto input = read_input(exchange);
    if (!input) return std::unexpected(input.error());
    const auto uploaded = take_upload(
        needs, exchange.caller.tenant_id, *input, exchange.request.spooled, exchange.language
    );
    if (!uploaded) return std::unexpected(failure(uploaded.error()));
    if (!*uploaded) return std::unexpected(uploaded->error());
    const Uploaded& made = **uploaded;
    http::Response response = http::json_response(made.created ? 201 : 200, to_json(made) + '\n');
    if (made.created) response.headers.push_back({"Location", std::string{path} + "/" + made.uuid});
    return response;
}

}  // namespace

void add_upload_route(key_protocol::Api& api, UploadNeeds needs)
{
    key_protocol::UploadRoute route{.route = upload_route(needs.bytes_max)};
    route.call = [needs = std::move(needs)](const Exchange& exchange) {
        return answer(needs, exchange);
    };
    api.add(std::move(route));
}

}  // namespace umavez::mailing
