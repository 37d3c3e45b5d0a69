#include "modules/mailing/message_rules.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>

namespace umavez::mailing {
namespace {

constexpr std::size_t filename_chars_max = 255;

struct Shape {
    std::size_t characters = 0;
    bool has_control = false;     // other than those of lines and tabs
    bool has_line_break = false;  // or a tab
    bool shows_something = false;
};

// Nullopt: not UTF-8.
std::optional<Shape> look_at(std::string_view text)
{
    if (!is_utf8(text)) return std::nullopt;
    Shape shape;
    while (!text.empty()) {
        const char32_t character = take_character(text);
        ++shape.characters;
        const bool is_layout = character == '\n' || character == '\r' || character == '\t';
        if (is_layout) shape.has_line_break = true;
        if (!is_layout && is_control(character)) shape.has_control = true;
        if (!is_layout && !is_blank(character)) shape.shows_something = true;
    }
    return shape;
}

using Complaint = std::optional<http::Text>;

http::Text not_utf8()
{
    return {"it is not UTF-8", "não está em UTF-8"};
}

Complaint check_line(std::string_view text, std::size_t characters_max)
{
    const auto shape = look_at(text);
    if (!shape) return not_utf8();
    if (!shape->shows_something)
        return http::Text{"it must show something", "não pode ser só espaços"};
    if (shape->has_control || shape->has_line_break) {
        return http::Text{
            "it must be one line without control characters",
            "deve ser uma linha só, sem caracteres de controle",
        };
    }
    if (shape->characters > characters_max) {
        return http::Text{
            fmt::format("it has at most {} characters", characters_max),
            fmt::format("tem no máximo {} caracteres", characters_max),
        };
    }
    return std::nullopt;
}

Complaint check_body_text(std::string_view text)
{
    if (text.size() > body_bytes_max)
        return http::Text{"it has at most 256 KiB", "tem no máximo 256 KiB"};
    const auto shape = look_at(text);
    if (!shape) return not_utf8();
    if (shape->has_control) {
        return http::Text{
            "it must not have control characters", "não pode ter caracteres de controle"
        };
    }
    return std::nullopt;
}

void note(std::vector<http::FieldError>& errors, std::string_view field, Complaint complaint)
{
    if (complaint) errors.push_back({std::string{field}, *std::move(complaint)});
}

}  // namespace

std::vector<http::FieldError> check_fields(const MessageFields& fields)
{
    std::vector<http::FieldError> errors;
    if (!fields.assunto.empty())
        note(errors, "assunto", check_line(fields.assunto, assunto_chars_max));
    if (!fields.remetente.empty())
        note(errors, "remetente", check_line(fields.remetente, remetente_chars_max));
    note(errors, "texto", check_body_text(fields.texto));
    note(errors, "html", check_body_text(fields.html));
    return errors;
}

std::vector<http::FieldError> missing_fields(const MessageFields& fields)
{
    const http::Text needed{"it is needed to send", "é necessário para enviar"};
    std::vector<http::FieldError> errors;
    if (fields.assunto.empty()) errors.push_back({"assunto", needed});
    if (fields.remetente.empty()) errors.push_back({"remetente", needed});
    if (fields.texto.empty() && fields.html.empty()) {
        errors.push_back(
            {"texto",
             {"texto, html or both are needed to send",
              "texto, html ou ambos são necessários para enviar"}}
        );
    }
    return errors;
}

std::string strip_folders(std::string_view filename)
{
    const std::size_t slash = filename.find_last_of("/\\");
    return std::string{slash == std::string_view::npos ? filename : filename.substr(slash + 1)};
}

std::optional<http::FieldError> check_filename(std::string_view field, std::string_view filename)
{
    if (filename.empty()) {
        return http::FieldError{
            std::string{field}, {"the file needs a name", "o arquivo precisa de um nome"}
        };
    }
    auto complaint = check_line(filename, filename_chars_max);
    if (!complaint) return std::nullopt;
    return http::FieldError{
        std::string{field},
        {"the name of the file: " + complaint->english,
         "o nome do arquivo: " + complaint->portuguese},
    };
}

}  // namespace umavez::mailing
