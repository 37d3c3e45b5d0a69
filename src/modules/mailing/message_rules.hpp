#pragma once

// What a message may be, for uploads and for whoever changes a draft: one set of rules, told in
// both languages. Pure, thread-safe.

#include "http/validation.hpp"
#include "modules/mailing/entities.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::mailing {

inline constexpr std::size_t assunto_chars_max = 255;
inline constexpr std::size_t remetente_chars_max = 320;
inline constexpr std::size_t body_bytes_max = 256 * 1024;  // of texto and of html

// Fields as they were sent; an empty one says nothing.
struct MessageFields {
    std::string assunto;
    std::string remetente;
    std::string texto;
    std::string html;

    bool is_empty() const noexcept
    {
        return assunto.empty() && remetente.empty() && texto.empty() && html.empty();
    }
};

// What is wrong with each field by itself, whether or not all are there: for a draft.
std::vector<http::FieldError> check_fields(const MessageFields& fields);

// What is missing before anything can be sent.
std::vector<http::FieldError> missing_fields(const MessageFields& fields);

// What needs more than the fields: whether `remetente` is a mailbox, whether the names in the texts
// are columns of the file at `path`. An Error is the disk's, not the client's.
using CheckMessage = std::function<
    Result<std::vector<http::FieldError>>(const Message& message, const std::string& path)>;

// The name of a file as a mailing has it: without the folders that some browsers send along.
std::string strip_folders(std::string_view filename);
std::optional<http::FieldError> check_filename(std::string_view field, std::string_view filename);

}  // namespace umavez::mailing
