#pragma once

// Answer: what the server said to one statement. Owns libpq's result. Confined to one thread.

#include "database/postgres/failure.hpp"

#include <umavez/transaction.hpp>

#include <memory>
#include <string_view>

struct pg_result;

namespace umavez::pg {

class Answer {
public:
    Answer(pg_result* result, std::string_view sql) noexcept : result_(result), sql_(sql) {}

    bool is_ok() const noexcept;
    // Not run, because one before it in the pipeline failed.
    bool is_skipped() const noexcept;
    std::string_view sqlstate() const noexcept;
    Remedy remedy() const noexcept;
    Error error() const;

    std::size_t rows() const noexcept;
    std::size_t columns() const noexcept;
    std::int64_t changed() const noexcept;  // 0 for whatever is no INSERT, UPDATE or DELETE
    std::string_view command() const noexcept;

    bool is_null(std::size_t row, std::size_t column) const noexcept;
    // In binary: the caller knows the type of its column.
    std::int64_t integer(std::size_t row, std::size_t column) const noexcept;
    std::string_view bytes(std::size_t row, std::size_t column) const noexcept;

    // In text, of whatever type.
    Row row(std::size_t row) const;

private:
    struct Clear {
        void operator()(pg_result* result) const noexcept;
    };
    std::unique_ptr<pg_result, Clear> result_;
    std::string_view sql_;  // of the statement; borrowed
};

}  // namespace umavez::pg
