#pragma once

// What a command is: a plain struct with a Result type.
//
//     struct CreateOrder {
//         using Result = Order;
//         std::string customer_email;
//         std::vector<Item> items;
//         std::optional<std::string> idempotency_key;  // or a function of this name
//     };
//     BOOST_DESCRIBE_STRUCT(CreateOrder, (), (customer_email, items, idempotency_key))
//
// It is idempotent when it has an idempotency_key. Nullopt: the key is made from the content by the
// KeyGenerator. Without one the command always runs.
//
// Its name ("create_order") is that of the type, without namespaces; records are kept under it, so
// a type that is renamed should keep its old one:
//
//     static constexpr std::string_view command_name = "create_order";

#include <umavez/mediator/send.hpp>
#include <umavez/mediator/type_name.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace umavez {

template <typename C>
concept Command = std::is_class_v<C> && requires { typename C::Result; } && std::movable<C>;

namespace detail {

template <typename T>
concept KeyText = std::convertible_to<T, std::optional<std::string>>;

template <typename C>
concept HasKeyFunction = requires(const C& command) {
    { command.idempotency_key() } -> KeyText;
};
template <typename C>
concept HasKeyMember = requires(const C& command) {
    { command.idempotency_key } -> KeyText;
};
// Of whatever type, private or overloaded: a key that cannot be used must not make a command quietly
// repeatable. The name is there if another base makes it ambiguous.
struct KeyName {
    int idempotency_key;
};
template <typename C>
struct WithKeyName : C, KeyName {};
template <typename C>
concept HasSomeKey = !std::is_final_v<C> && !requires { &WithKeyName<C>::idempotency_key; };

consteval bool is_command_name(std::string_view name)
{
    for (const char c : name) {
        const bool is_good =
            is_lower(c) || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
        if (!is_good) return false;
    }
    return !name.empty() && name.size() <= 100;
}

// Likewise a validate() that nobody would call.
struct ValidationName {
    int validate;
};
template <typename C>
struct WithValidationName : C, ValidationName {};
template <typename C>
concept HasSomeValidation = !std::is_final_v<C> && !requires { &WithValidationName<C>::validate; };
template <typename C>
concept HasValidation = requires(const C& command) {
    { command.validate() } -> std::same_as<std::vector<Violation>>;
};

inline constexpr std::string_view key_member = "idempotency_key";

}  // namespace detail

template <typename C>
concept IdempotentCommand = Command<C> && (detail::HasKeyFunction<C> || detail::HasKeyMember<C>);

template <Command C>
consteval std::string_view command_name_of()
{
    std::string_view name = detail::SnakeCase<C>::text;
    if constexpr (requires { C::command_name; }) name = C::command_name;
    return name;
}

// The key that the command itself brings; nullopt: one is made from its content.
template <IdempotentCommand C>
std::optional<std::string> idempotency_key_of(const C& command)
{
    if constexpr (detail::HasKeyFunction<C>) {
        return command.idempotency_key();
    } else {
        return command.idempotency_key;
    }
}

namespace detail {

// Everything that can be wrong with a command itself, said where it is registered.
template <Command C>
struct CheckedCommand {
    static_assert(
        is_command_name(command_name_of<C>()),
        "umavez: a command's name is 1 to 100 characters of a-z, 0-9, '.', '_' and '-'; give the "
        "command a "
        "static constexpr std::string_view command_name."
    );
    static_assert(
        std::is_object_v<typename C::Result>,
        "umavez: a command's Result is a value; where there is nothing to say, use std::monostate."
    );
    static_assert(
        IdempotentCommand<C> || !HasSomeKey<C>,
        "umavez: idempotency_key must be, or return, a std::optional<std::string> (a std::string "
        "will do)."
    );
    static_assert(
        HasValidation<C> || !HasSomeValidation<C>,
        "umavez: validate() must be public and const and return a std::vector<umavez::Violation>."
    );
};

}  // namespace detail
}  // namespace umavez
