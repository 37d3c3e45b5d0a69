#pragma once

// JsonText and JsonView: the two ends of a conversion to and from JSON, and JsonProblem, which says
// where a value could not be converted.
//
// Numbers stay text on both sides, so nothing is rounded. Confined to their thread.

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez {

class JsonTree;
struct JsonNodes;

// Where and why: ".items[2].price: expected a number".
class JsonProblem {
public:
    explicit JsonProblem(std::string reason) : reason_(std::move(reason)) {}

    // Called on the way out, innermost first.
    void put_in_member(std::string_view name);
    void put_in_element(std::size_t index);

    std::string text() const { return path_.empty() ? reason_ : path_ + ": " + reason_; }

private:
    std::string path_;
    std::string reason_;
};

// Nullopt: all went well.
using JsonFailure = std::optional<JsonProblem>;

// Canonical: equal values are equal texts (docs/reference/fingerprint.md). As written: numbers keep
// their decimals.
enum class JsonForm : std::uint8_t { as_written, canonical };

// A JSON text under construction. Commas come by themselves; names of members come in order
// (name_goes_before).
class JsonText {
public:
    explicit JsonText(JsonForm form = JsonForm::as_written) noexcept : form_(form) {}

    void null() { append("null"); }
    void boolean(bool value) { append(value ? "true" : "false"); }
    template <std::integral T>
    void number(T value)
    {
        std::array<char, 24> digits;  // of 64 bits and a sign
        const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        const std::string_view text{digits.data(), written.ptr};
        // Up to so many digits an integer is its own canonical form.
        text.size() <= 15 ? append(text) : number_text(text);
    }
    JsonFailure number(double value);            // not infinite, not NaN
    void number_text(std::string_view number);   // a number that is JSON already
    JsonFailure string(std::string_view value);  // valid UTF-8
    JsonFailure raw(std::string_view json);      // whatever is JSON already

    JsonFailure begin_object() { return open('{'); }
    JsonFailure name(std::string_view name);
    void plain_name(std::string_view name);  // one that needs no escapes, as names in C++ do not
    void end_object() { close('}'); }
    JsonFailure begin_array() { return open('['); }
    void end_array() { close(']'); }

    JsonForm form() const noexcept { return form_; }
    void reserve(std::size_t bytes) { text_.reserve(bytes); }
    const std::string& text() const noexcept { return text_; }
    std::string take() { return std::move(text_); }

private:
    void begin_value()
    {
        if (needs_comma_) text_ += ',';
        needs_comma_ = true;
    }
    void append(std::string_view json)
    {
        begin_value();
        text_ += json;
    }
    void append_canonical(std::string_view number);
    JsonFailure open(char bracket);
    void close(char bracket);

    const JsonForm form_;
    std::string text_;
    std::size_t depth_ = 0;
    bool needs_comma_ = false;
};

// The canonical order of member names: by UTF-16 code units.
bool name_goes_before(std::string_view left, std::string_view right) noexcept;

// A value that was read; it borrows the document. Questions that do not fit its kind are answered
// nullopt.
class JsonView {
public:
    JsonView(const JsonNodes& nodes, std::uint32_t node) noexcept : nodes_(&nodes), node_(node) {}

    bool is_null() const noexcept;
    std::optional<bool> boolean() const;
    std::optional<std::string_view> number() const;  // as written
    std::optional<std::string_view> string() const;  // unescaped, valid UTF-8

    bool is_array() const noexcept;
    bool is_object() const noexcept;
    std::size_t size() const;  // of an array or an object; 0 of anything else
    std::optional<JsonView> find(std::string_view name) const;

    // Calls `take(view)` for each element, or `take(name, view)` for each member, until one fails.
    template <typename Take>
    JsonFailure each_element(Take&& take) const
    {
        if (!is_array()) return JsonProblem{"expected an array"};
        std::size_t index = 0;
        for (std::uint32_t at = node_ + 1; at != end(); at = after(at), ++index) {
            if (JsonFailure failure = take(JsonView{*nodes_, at})) {
                failure->put_in_element(index);
                return failure;
            }
        }
        return std::nullopt;
    }
    template <typename Take>
    JsonFailure each_member(Take&& take) const
    {
        if (!is_object()) return JsonProblem{"expected an object"};
        for (std::uint32_t at = node_ + 1; at != end(); at = after(at + 1)) {
            const std::string_view name = *JsonView{*nodes_, at}.string();
            if (JsonFailure failure = take(name, JsonView{*nodes_, at + 1})) {
                failure->put_in_member(name);
                return failure;
            }
        }
        return std::nullopt;
    }

private:
    std::uint32_t end() const noexcept;
    std::uint32_t after(std::uint32_t node) const noexcept;

    const JsonNodes* nodes_;
    std::uint32_t node_;
};

namespace detail {

// By value: 1.50 and 15e-1.
bool is_same_number(std::string_view left, std::string_view right);

// Parses `json` and calls `read` with its root.
JsonFailure read_document(
    std::string_view json, JsonFailure (*read)(const JsonView&, void*), void* into
);

}  // namespace detail
}  // namespace umavez
