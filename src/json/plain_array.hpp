#pragma once

// PlainArray: a growing array of plain values whose new elements are written by the caller, not
// cleared first as std::vector does it. Confined to its thread while it grows.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace umavez {

template <typename T>
class PlainArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    PlainArray() noexcept = default;
    explicit PlainArray(std::size_t capacity) { grow(capacity); }
    PlainArray(PlainArray&& other) noexcept
        : values_(std::move(other.values_)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0))
    {
    }
    PlainArray& operator=(PlainArray&& other) noexcept
    {
        values_ = std::move(other.values_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }
    ~PlainArray() = default;

    // The place of `count` new elements, which the caller writes.
    T* add(std::size_t count)
    {
        if (capacity_ - size_ < count) grow(std::max(capacity_ * 2, size_ + count));
        T* const place = values_.get() + size_;
        size_ += count;
        return place;
    }
    void clear() noexcept { size_ = 0; }
    void reserve(std::size_t capacity)
    {
        if (capacity > capacity_) grow(capacity);
    }

    bool is_full() const noexcept { return size_ == capacity_; }
    std::size_t size() const noexcept { return size_; }
    T* data() noexcept { return values_.get(); }
    const T* data() const noexcept { return values_.get(); }
    T& operator[](std::size_t place) noexcept { return values_[place]; }
    const T& operator[](std::size_t place) const noexcept { return values_[place]; }
    T* begin() noexcept { return values_.get(); }
    T* end() noexcept { return values_.get() + size_; }

private:
    void grow(std::size_t capacity)
    {
        auto larger = std::make_unique_for_overwrite<T[]>(capacity);
        std::copy_n(values_.get(), size_, larger.get());
        values_ = std::move(larger);
        capacity_ = capacity;
    }

    std::unique_ptr<T[]> values_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace umavez
