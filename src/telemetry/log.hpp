#pragma once

// Log: one JSON object per line on standard error.
//
//     log.info("listening", {{"port", 8080}});
//     {"time":"2026-01-31T12:00:00.000000Z","level":"info","event":"listening","port":8080}
//
// Texts may come from clients: they are escaped and cut, so nobody can forge a line or flood the
// log with one. Nobody waits for the log's reader (log_writer.hpp). Thread-safe.

#include "telemetry/log_writer.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace umavez {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogField {
    template <typename T>
    LogField(std::string_view field_name, T&& field_value) : name(field_name)
    {
        using Plain = std::remove_cvref_t<T>;
        if constexpr (std::is_same_v<Plain, bool>) {
            value = field_value;
        } else if constexpr (std::is_floating_point_v<Plain>) {
            value = static_cast<double>(field_value);
        } else if constexpr (std::is_integral_v<Plain>) {
            value = static_cast<std::int64_t>(field_value);
        } else {
            value = std::string_view{field_value};
        }
    }

    std::string_view name;  // ours: written as it is
    std::variant<bool, std::int64_t, double, std::string_view> value;
};
using LogFields = std::initializer_list<LogField>;

// Fields as they stand in a line.
class LogFieldsText {
public:
    explicit LogFieldsText(std::span<const LogField> fields);
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

class Log {
public:
    // To standard error.
    explicit Log(LogLevel level = LogLevel::info);

    void debug(std::string_view event, LogFields fields = {})
    {
        write(LogLevel::debug, event, {fields.begin(), fields.size()});
    }
    void info(std::string_view event, LogFields fields = {})
    {
        write(LogLevel::info, event, {fields.begin(), fields.size()});
    }
    void warning(std::string_view event, LogFields fields = {})
    {
        write(LogLevel::warning, event, {fields.begin(), fields.size()});
    }
    void error(std::string_view event, LogFields fields = {})
    {
        write(LogLevel::error, event, {fields.begin(), fields.size()});
    }

    // Whether a line of this level is written at all.
    bool writes(LogLevel level) const noexcept { return level >= level_; }

    // For fields that are known only at run time.
    void write(LogLevel level, std::string_view event, std::span<const LogField> fields);
    // For several events with the same fields, which are made text once.
    void write(LogLevel level, std::string_view event, const LogFieldsText& fields);

    // For who leaves without destructors.
    void flush() { writer_.flush(); }

private:
    LogLevel level_;
    LogWriter writer_;
};

// A line without its end.
std::string to_log_line(
    Instant now, LogLevel level, std::string_view event, std::span<const LogField> fields
);
std::string to_log_line(
    Instant now, LogLevel level, std::string_view event, const LogFieldsText& fields
);

}  // namespace umavez
