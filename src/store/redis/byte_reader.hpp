#pragma once

// ByteWriter and ByteReader: numbers big-endian, texts behind their length as 4 bytes. The reader
// never reads beyond its bytes: what is missing is zero, and is_good() is false from then on.
// Confined to a thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace umavez {

class ByteWriter {
public:
    template <typename Number>
    void number(Number value)
    {
        bytes_.resize(bytes_.size() + sizeof(Number));
        number_at(bytes_.size() - sizeof(Number), value);
    }
    template <typename Number>
    void number_at(std::size_t at, Number value) noexcept
    {
        auto rest = static_cast<std::make_unsigned_t<Number>>(value);
        for (std::size_t i = sizeof(Number); i-- > 0;) {
            bytes_[at + i] = static_cast<char>(rest & 0xff);
            if constexpr (sizeof(Number) > 1) rest = static_cast<decltype(rest)>(rest >> 8);
        }
    }
    template <std::size_t size>
    void bytes(const std::array<std::uint8_t, size>& array)
    {
        bytes_.append(reinterpret_cast<const char*>(array.data()), size);
    }
    void text(std::string_view text)
    {
        number(static_cast<std::uint32_t>(text.size()));
        bytes_ += text;
    }

    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    std::size_t size() const noexcept { return bytes_.size(); }
    std::string take() && { return std::move(bytes_); }

private:
    std::string bytes_;
};

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) noexcept : bytes_(bytes) {}

    template <typename Number>
    Number number() noexcept
    {
        std::make_unsigned_t<Number> value = 0;
        for (const char byte : take(sizeof(Number))) {
            if constexpr (sizeof(Number) > 1) value = static_cast<decltype(value)>(value << 8);
            value = static_cast<decltype(value)>(value | static_cast<unsigned char>(byte));
        }
        return static_cast<Number>(value);
    }
    template <std::size_t size>
    void bytes(std::array<std::uint8_t, size>& array) noexcept
    {
        const std::string_view taken = take(size);
        for (std::size_t i = 0; i < taken.size(); ++i)
            array[i] = static_cast<std::uint8_t>(taken[i]);
    }
    std::string_view text() noexcept { return take(number<std::uint32_t>()); }
    std::string_view rest() noexcept { return take(bytes_.size()); }

    // Only the next `size` bytes are to be read; there must be as many.
    void limit(std::size_t size) noexcept
    {
        require(size <= bytes_.size());
        bytes_ = bytes_.substr(0, size);
    }
    void require(bool is_true) noexcept { is_good_ = is_good_ && is_true; }
    bool is_at_end() const noexcept { return bytes_.empty(); }
    bool is_good() const noexcept { return is_good_; }

private:
    std::string_view take(std::size_t size) noexcept
    {
        if (size > bytes_.size()) {
            is_good_ = false;
            bytes_ = {};
            return {};
        }
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    std::string_view bytes_;
    bool is_good_ = true;
};

}  // namespace umavez
