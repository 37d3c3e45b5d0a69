#pragma once

// TenantId, Operation and Key: the three parts of a record's identity, parsed at the border.
//
// Inside the engine none of them is ever a bare string, so none is ever checked twice. Texts are compared
// byte by byte: no case folding, no Unicode normalisation. Immutable after construction.

#include <umavez/result.hpp>

#include <compare>
#include <string>
#include <string_view>
#include <utility>

namespace umavez {

class TenantId {
public:
    // 1 to 64 characters of [a-z0-9._-].
    static Result<TenantId> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    friend auto operator<=>(const TenantId&, const TenantId&) = default;

private:
    explicit TenantId(std::string text) noexcept : text_(std::move(text)) {}
    std::string text_;
};

class Operation {
public:
    // 1 to 100 characters of [a-z0-9._-].
    static Result<Operation> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    friend auto operator<=>(const Operation&, const Operation&) = default;

private:
    explicit Operation(std::string text) noexcept : text_(std::move(text)) {}
    std::string text_;
};

class Key {
public:
    // 1 to 255 bytes of UTF-8 without control characters (C0, DEL, C1, line and paragraph separators), and
    // not only white space, Unicode's included. (The HTTP header is stricter: visible ASCII. Keys from
    // commands and messages may be any text.)
    static Result<Key> parse(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    friend auto operator<=>(const Key&, const Key&) = default;

private:
    explicit Key(std::string text) noexcept : text_(std::move(text)) {}
    std::string text_;
};

// What a record is stored under. None of the parts is ever absent.
struct RecordId {
    TenantId tenant_id;
    Operation operation;
    Key key;

    friend auto operator<=>(const RecordId&, const RecordId&) = default;
};

}  // namespace umavez
