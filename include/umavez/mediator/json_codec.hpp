#pragma once

// How C++ values become JSON and values again.
//
// | C++                                | JSON                                            |
// |------------------------------------|-------------------------------------------------|
// | bool, integers                     | true, 42                                        |
// | float, double                      | 1.5: the nearest there is                       |
// | Decimal                            | 12.50                                           |
// | std::string                        | "text", valid UTF-8                             |
// | std::optional                      | the value or null                               |
// | vector, list, deque, set, array    | […]; unordered_set in an order of its own       |
// | maps; keys text, integers or enums | {…}                                             |
// | enums, described                   | "enumerator"                                    |
// | structs, described                 | {"member": …}; all of them, inherited ones too  |
// | std::variant                       | {"Alternative": …}; std::monostate is null      |
// | sys_time                           | "2026-01-31T12:00:00.000Z"                      |
// | sys_days, year_month_day           | "2026-01-31"                                    |
// | durations of integers              | "90s", "1500ms"; units from ns to d             |
//
// A type of your own: specialise JsonCodec. Anything else is an error of the compiler that names the type. So
// is an aggregate whose description leaves a member out; of a class with constructors or bases the members
// cannot be counted.
//
// Reading is strict: a member that is missing (unless optional) or unknown, a number that does not
// fit, a name that no enumerator has are refused, because a value that is nearly right is wrong.

#include <umavez/decimal.hpp>
#include <umavez/mediator/json_text.hpp>
#include <umavez/mediator/json_time.hpp>
#include <umavez/mediator/type_name.hpp>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <boost/pfr/tuple_size.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace umavez {

// For a type of your own:
//
//     template <>
//     struct umavez::JsonCodec<Isbn> {
//         static JsonFailure write(const Isbn& isbn, JsonText& out) { return out.string(isbn.text()); }
//         static JsonFailure read(const JsonView& json, Isbn& isbn);
//     };
template <typename T>
struct JsonCodec;

namespace detail {

template <typename T>
struct DoesNotConvertToJson {
    static_assert(
        sizeof(T) == 0,
        "umavez: this type has no JSON form. Describe it with BOOST_DESCRIBE_STRUCT or "
        "BOOST_DESCRIBE_ENUM, or specialise umavez::JsonCodec for it."
    );
};
template <typename T>
struct DoesNotConvertFromJson {
    static_assert(
        sizeof(T) == 0,
        "umavez: this type cannot be read from JSON: it does not own what it shows, or has no "
        "default "
        "constructor. Use std::string, or specialise umavez::JsonCodec for it."
    );
};

template <typename T, template <typename...> typename Template>
inline constexpr bool is_a = false;
template <template <typename...> typename Template, typename... Arguments>
inline constexpr bool is_a<Template<Arguments...>, Template> = true;

template <typename T>
concept HasCodec = requires(const T& value, JsonText& out) { JsonCodec<T>::write(value, out); };

template <typename T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !Character<T>;
template <typename T>
concept Floating = std::same_as<T, float> || std::same_as<T, double>;
template <typename T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <typename T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <typename T>
concept Map = requires(T& map, const typename T::key_type& key) {
    typename T::mapped_type;
    map.at(key);  // which maps with equal keys do not have
};
template <typename T>
concept Sequence = !Map<T> && !std::same_as<T, std::string> && !std::same_as<T, std::string_view> &&
                   requires(const T& list) {
                       typename T::value_type;
                       list.begin() != list.end();
                   };
template <typename T>
concept UnorderedSet = Sequence<T> && requires { typename T::hasher; };
template <typename T>
concept FixedSequence = Sequence<T> && requires { std::tuple_size<T>::value; };
template <typename T>
inline constexpr bool is_sys_time = false;
template <typename D>
inline constexpr bool is_sys_time<std::chrono::sys_time<D>> = true;
template <typename T>
inline constexpr bool is_count = false;
template <Integer Rep, typename Period>
inline constexpr bool is_count<std::chrono::duration<Rep, Period>> = true;

template <typename T>
using MembersOf = boost::describe::
    describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

template <typename Left, typename Right>
using IsNamedBefore = boost::mp11::mp_bool<(std::string_view{Left::name} < Right::name)>;
template <typename T>
using SortedMembersOf = boost::mp11::mp_sort<MembersOf<T>, IsNamedBefore>;

// A member that nobody described would be missing from keys and kept results, in silence.
template <typename T>
consteval bool describes_all_members()
{
    if constexpr (std::is_aggregate_v<T> && boost::describe::has_describe_bases<T>::value) {
        using Bases = boost::describe::describe_bases<T, boost::describe::mod_any_access>;
        if constexpr (boost::mp11::mp_empty<Bases>::value) {
            return boost::mp11::mp_size<MembersOf<T>>::value == boost::pfr::tuple_size_v<T>;
        }
    }
    return true;
}

template <typename T>
struct HasUndescribedMembers {
    static_assert(
        describes_all_members<T>(),
        "umavez: this struct has a member that its BOOST_DESCRIBE_STRUCT leaves out; describe all "
        "of them."
    );
};

template <DescribedEnum E>
const char* enumerator_name(E value)
{
    const char* found = nullptr;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
        if (found == nullptr && enumerator.value == value) found = enumerator.name;
    });
    return found;
}

template <DescribedEnum E>
std::optional<E> find_enumerator(std::string_view name)
{
    std::optional<E> found;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
        if (name == enumerator.name) found = enumerator.value;
    });
    return found;
}

template <Integer T>
JsonFailure parse_integer(std::string_view text, T& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return std::nullopt;
    return JsonProblem{
        std::string{text} + " is no integer from " + std::to_string(std::numeric_limits<T>::min()) +
        " to " + std::to_string(std::numeric_limits<T>::max())
    };
}

// What an alternative of a variant is called.
template <typename T>
constexpr std::string_view alternative_name()
{
    if constexpr (requires { JsonCodec<T>::name; }) return JsonCodec<T>::name;
    if constexpr (std::same_as<T, bool>) return "boolean";
    if constexpr (Integer<T>) return "integer";
    if constexpr (Floating<T>) return "number";
    if constexpr (std::same_as<T, std::string>) return "string";
    if constexpr (std::same_as<T, Decimal>) return "decimal";
    if constexpr (is_sys_time<T>) return "time";
    if constexpr (std::same_as<T, std::chrono::year_month_day>) return "date";
    if constexpr (is_count<T>) return "duration";
    if constexpr (Map<T>) return "map";
    if constexpr (Sequence<T>) return "list";
    return type_name_of<T>();
}

template <typename... Alternatives>
constexpr bool have_names_of_their_own()
{
    const std::array names{alternative_name<Alternatives>()...};
    for (std::size_t i = 0; i < names.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (names[i] == names[k]) return false;
        }
    }
    return true;
}

}  // namespace detail

template <typename T>
JsonFailure write_json(const T& value, JsonText& out);
template <typename T>
JsonFailure read_json(const JsonView& json, T& value);

namespace detail {

// `left_out`: the name of a member that is not written.
template <DescribedStruct T>
JsonFailure write_members(const T& value, JsonText& out, std::string_view left_out = {})
{
    static_cast<void>(HasUndescribedMembers<T>{});
    JsonFailure failure = out.begin_object();
    boost::mp11::mp_for_each<SortedMembersOf<T>>([&](auto member) {
        if (failure || left_out == member.name) return;
        out.plain_name(member.name);
        failure = write_json(value.*member.pointer, out);
        if (failure) failure->put_in_member(member.name);
    });
    out.end_object();
    return failure;
}

template <DescribedStruct T>
JsonFailure read_members(const JsonView& json, T& value)
{
    static_cast<void>(HasUndescribedMembers<T>{});
    if (!json.is_object()) return JsonProblem{"expected an object"};
    JsonFailure failure;
    std::size_t found_count = 0;
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
        if (failure) return;
        auto& place = value.*member.pointer;
        if (const auto found = json.find(member.name)) {
            ++found_count;
            failure = read_json(*found, place);
        } else if constexpr (!is_a<std::remove_cvref_t<decltype(place)>, std::optional>) {
            failure = JsonProblem{"the member is missing"};
        }
        if (failure) failure->put_in_member(member.name);
    });
    if (failure || found_count == json.size()) return failure;
    return json.each_member([](std::string_view name, const JsonView&) -> JsonFailure {
        bool is_known = false;
        boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
            is_known = is_known || name == member.name;
        });
        if (is_known) return std::nullopt;
        return JsonProblem{"there is no such member"};
    });
}

template <typename... Alternatives>
JsonFailure write_variant(const std::variant<Alternatives...>& value, JsonText& out)
{
    static_assert(
        have_names_of_their_own<Alternatives...>(),
        "umavez: two alternatives of this std::variant have the same name in JSON; wrap one in a "
        "struct."
    );
    if (value.valueless_by_exception()) return JsonProblem{"the variant holds nothing"};
    return std::visit(
        [&out]<typename T>(const T& held) -> JsonFailure {
            if constexpr (std::same_as<T, std::monostate>) {
                out.null();
                return std::nullopt;
            } else {
                JsonFailure failure = out.begin_object();
                if (!failure) failure = out.name(alternative_name<T>());
                if (!failure) failure = write_json(held, out);
                out.end_object();
                return failure;
            }
        },
        value
    );
}

template <typename... Alternatives>
JsonFailure read_variant(const JsonView& json, std::variant<Alternatives...>& value)
{
    if (json.is_null()) {
        if constexpr ((std::same_as<Alternatives, std::monostate> || ...)) {
            value = std::monostate{};
            return std::nullopt;
        }
    }
    if (!json.is_object() || json.size() != 1)
        return JsonProblem{"expected an object with one member"};
    return json.each_member([&value](std::string_view name, const JsonView& inner) -> JsonFailure {
        JsonFailure failure = JsonProblem{"no alternative has this name"};
        const auto try_one = [&]<typename T>(std::type_identity<T>) {
            if constexpr (!std::same_as<T, std::monostate>) {
                if (name != alternative_name<T>()) return;
                T read{};
                failure = read_json(inner, read);
                if (!failure) value = std::move(read);
            }
        };
        (try_one(std::type_identity<Alternatives>{}), ...);
        return failure;
    });
}

template <typename K>
std::optional<std::string> to_name(const K& key)
{
    if constexpr (Integer<K>) {
        return std::to_string(key);
    } else if constexpr (DescribedEnum<K>) {
        const char* const name = enumerator_name(key);
        if (name == nullptr) return std::nullopt;
        return name;
    } else if constexpr (std::convertible_to<const K&, std::string_view>) {
        return std::string{std::string_view{key}};
    } else {
        static_cast<void>(DoesNotConvertToJson<K>{});
        return std::nullopt;
    }
}

template <Map T>
JsonFailure write_map(const T& map, JsonText& out)
{
    using Named = std::pair<std::string, const typename T::mapped_type*>;
    std::vector<Named> members;
    members.reserve(map.size());
    for (const auto& [key, value] : map) {
        auto name = to_name(key);
        if (!name) return JsonProblem{"a key has no enumerator"};
        members.emplace_back(*std::move(name), &value);
    }
    std::ranges::sort(members, name_goes_before, &Named::first);
    JsonFailure failure = out.begin_object();
    for (auto member = members.begin(); !failure && member != members.end(); ++member) {
        failure = out.name(member->first);
        if (!failure) failure = write_json(*member->second, out);
        if (failure) failure->put_in_member(member->first);
    }
    out.end_object();
    return failure;
}

template <typename K>
JsonFailure read_name(std::string_view name, K& key)
{
    if constexpr (Integer<K>) {
        return parse_integer(name, key);
    } else if constexpr (DescribedEnum<K>) {
        const auto found = find_enumerator<K>(name);
        if (!found) return JsonProblem{"no enumerator has this name"};
        key = *found;
        return std::nullopt;
    } else if constexpr (std::same_as<K, std::string>) {
        key = name;
        return std::nullopt;
    } else {
        static_cast<void>(DoesNotConvertFromJson<K>{});
        return std::nullopt;
    }
}

// In the order of the texts: that of the container differs between equal ones.
template <UnorderedSet T>
JsonFailure write_unordered(const T& set, JsonText& out)
{
    std::vector<std::string> texts;
    texts.reserve(set.size());
    for (const auto& element : set) {
        JsonText text{out.form()};
        if (JsonFailure failure = write_json(element, text)) return failure;
        texts.push_back(text.take());
    }
    std::ranges::sort(texts);
    if (JsonFailure failure = out.begin_array()) return failure;
    for (const std::string& text : texts) {
        if (JsonFailure failure = out.raw(text)) return failure;
    }
    out.end_array();
    return std::nullopt;
}

// null would stand for two values.
template <typename T>
concept Nullable =
    is_a<T, std::optional> || std::same_as<T, std::monostate> ||
    (is_a<T, std::variant> && requires(const T& value) { std::get<std::monostate>(value); });
template <typename T>
struct NullHasTwoMeanings {
    static_assert(
        !Nullable<T>,
        "umavez: null would mean two things in an optional of this type; wrap it in a struct."
    );
};

template <FixedSequence T>
JsonFailure read_fixed(const JsonView& json, T& list)
{
    if (json.is_array() && json.size() != list.size()) {
        return JsonProblem{"expected " + std::to_string(list.size()) + " elements"};
    }
    std::size_t next = 0;
    return json.each_element([&](const JsonView& element) {
        return read_json(element, list[next++]);
    });
}

template <Sequence T>
JsonFailure read_sequence(const JsonView& json, T& list)
{
    list.clear();
    return json.each_element([&list](const JsonView& element) -> JsonFailure {
        typename T::value_type value{};
        if (JsonFailure failure = read_json(element, value)) return failure;
        const std::size_t before = list.size();
        list.insert(list.end(), std::move(value));
        if (list.size() == before) return JsonProblem{"it is there a second time"};
        return std::nullopt;
    });
}

template <Map T>
JsonFailure read_map(const JsonView& json, T& map)
{
    map.clear();
    return json.each_member(
        [&map](std::string_view name, const JsonView& json_value) -> JsonFailure {
            typename T::key_type key{};
            if (JsonFailure failure = read_name(name, key)) return failure;
            typename T::mapped_type value{};
            if (JsonFailure failure = read_json(json_value, value)) return failure;
            if (!map.emplace(std::move(key), std::move(value)).second)
                return JsonProblem{"a second time"};
            return std::nullopt;
        }
    );
}

template <Floating T>
JsonFailure read_floating(const JsonView& json, T& value)
{
    const auto text = json.number();
    if (!text) return JsonProblem{"expected a number"};
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{}) return JsonProblem{"the number does not fit"};
    // A number that was written as another type may be nearly this one.
    std::array<char, 48> shortest;
    const auto written = std::to_chars(shortest.data(), shortest.data() + shortest.size(), value);
    if (!is_same_number(*text, {shortest.data(), written.ptr})) {
        return JsonProblem{"the number would be rounded"};
    }
    return std::nullopt;
}

}  // namespace detail

// Appends `value`. On a failure the text is not JSON and must be thrown away.
template <typename T>
JsonFailure write_json(const T& value, JsonText& out)
{
    using namespace detail;
    if constexpr (HasCodec<T>) {
        return JsonCodec<T>::write(value, out);
    } else if constexpr (std::same_as<T, bool>) {
        out.boolean(value);
    } else if constexpr (Integer<T>) {
        out.number(value);
    } else if constexpr (Floating<T>) {
        return out.number(value);
    } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
        return out.string(value);
    } else if constexpr (std::same_as<T, Decimal>) {
        out.number_text(value.text());
    } else if constexpr (std::same_as<T, std::monostate>) {
        out.null();
    } else if constexpr (is_a<T, std::optional>) {
        static_cast<void>(NullHasTwoMeanings<typename T::value_type>{});
        if (value) return write_json(*value, out);
        out.null();
    } else if constexpr (DescribedEnum<T>) {
        const char* const name = enumerator_name(value);
        if (name == nullptr) return JsonProblem{"the value has no enumerator"};
        return out.string(name);
    } else if constexpr (is_sys_time<T>) {
        return write_time(value, out);
    } else if constexpr (std::same_as<T, std::chrono::year_month_day>) {
        return write_date(value, out);
    } else if constexpr (is_count<T>) {
        return write_duration(value, out);
    } else if constexpr (is_a<T, std::variant>) {
        return write_variant(value, out);
    } else if constexpr (DescribedStruct<T>) {
        return write_members(value, out);
    } else if constexpr (Map<T>) {
        return write_map(value, out);
    } else if constexpr (UnorderedSet<T>) {
        return write_unordered(value, out);
    } else if constexpr (Sequence<T>) {
        if (JsonFailure failure = out.begin_array()) return failure;
        std::size_t index = 0;
        for (const typename T::value_type& element : value) {
            if (JsonFailure failure = write_json(element, out)) {
                failure->put_in_element(index);
                return failure;
            }
            ++index;
        }
        out.end_array();
    } else {
        static_cast<void>(DoesNotConvertToJson<T>{});
    }
    return std::nullopt;
}

// On a failure `value` holds nothing to be relied on.
template <typename T>
JsonFailure read_json(const JsonView& json, T& value)
{
    using namespace detail;
    if constexpr (HasCodec<T>) {
        return JsonCodec<T>::read(json, value);
    } else if constexpr (std::same_as<T, bool>) {
        const auto read = json.boolean();
        if (!read) return JsonProblem{"expected true or false"};
        value = *read;
    } else if constexpr (Integer<T>) {
        const auto text = json.number();
        if (!text) return JsonProblem{"expected a number"};
        return parse_integer(*text, value);
    } else if constexpr (Floating<T>) {
        return read_floating(json, value);
    } else if constexpr (std::same_as<T, std::string>) {
        const auto text = json.string();
        if (!text) return JsonProblem{"expected a string"};
        value = *text;
    } else if constexpr (std::same_as<T, Decimal>) {
        const auto text = json.number();
        if (!text) return JsonProblem{"expected a number"};
        const auto read = Decimal::parse(*text);
        if (!read) return JsonProblem{read.error().detail};
        value = *read;
    } else if constexpr (std::same_as<T, std::monostate>) {
        if (!json.is_null()) return JsonProblem{"expected null"};
    } else if constexpr (is_a<T, std::optional>) {
        value.reset();
        if (!json.is_null()) return read_json(json, value.emplace());
    } else if constexpr (DescribedEnum<T>) {
        const auto text = json.string();
        const auto found = text ? find_enumerator<T>(*text) : std::nullopt;
        if (!found) return JsonProblem{"expected the name of an enumerator"};
        value = *found;
    } else if constexpr (is_sys_time<T>) {
        return read_time(json, value);
    } else if constexpr (std::same_as<T, std::chrono::year_month_day>) {
        return read_date(json, value);
    } else if constexpr (is_count<T>) {
        return read_duration(json, value);
    } else if constexpr (is_a<T, std::variant>) {
        return read_variant(json, value);
    } else if constexpr (DescribedStruct<T>) {
        return read_members(json, value);
    } else if constexpr (Map<T>) {
        return read_map(json, value);
    } else if constexpr (FixedSequence<T>) {
        return read_fixed(json, value);
    } else if constexpr (Sequence<T>) {
        return read_sequence(json, value);
    } else {
        static_cast<void>(DoesNotConvertFromJson<T>{});
    }
    return std::nullopt;
}

// The whole way at once. The error says where and why.
template <typename T>
std::expected<std::string, std::string> to_json(
    const T& value, JsonForm form = JsonForm::as_written
)
{
    JsonText out{form};
    if (const JsonFailure failure = write_json(value, out)) return std::unexpected(failure->text());
    return out.take();
}

template <typename T>
std::expected<T, std::string> from_json(std::string_view json)
{
    T value{};
    const auto read = [](const JsonView& root, void* into) {
        return read_json(root, *static_cast<T*>(into));
    };
    if (const JsonFailure failure = detail::read_document(json, read, &value)) {
        return std::unexpected(failure->text());
    }
    return value;
}

}  // namespace umavez
