#pragma once

// The works of the store: what one call of the port does on a lane or on a reader.
//
// Each refers to objects in the frame of the coroutine that awaits it, and can be run again after
// its transaction was lost. Confined to one thread at a time.

#include "database/sqlite/work.hpp"
#include "store/sqlite/record_statements.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace umavez {

// A batch of the port: `one` writes one member inside the transaction.
template <typename Member, typename Answer, Result<Answer> (*one)(SqliteTransaction&, Member&)>
class BatchWork final : public Work {
public:
    explicit BatchWork(std::vector<Member>& batch) : batch_(batch)
    {
        members = std::max<std::size_t>(batch.size(), 1);
        answers.reserve(batch.size());
    }

    Result<void> run(SqliteTransaction& transaction) override
    {
        answers.clear();
        for (Member& member : batch_) {
            auto answer = one(transaction, member);
            if (!answer) return std::unexpected(std::move(answer.error()));
            answers.push_back(std::move(*answer));
        }
        return {};
    }

    std::vector<Answer> answers;

private:
    std::vector<Member>& batch_;
};

// Anything that is one function of the transaction.
template <typename Answer, typename Function>
class FunctionWork final : public Work {
public:
    explicit FunctionWork(Function function) : function_(std::move(function)) {}

    Result<void> run(SqliteTransaction& transaction) override
    {
        auto done = function_(transaction);
        if (!done) return std::unexpected(std::move(done.error()));
        answer = std::move(*done);
        return {};
    }

    Answer answer{};

private:
    Function function_;
};

template <typename Answer, typename Function>
FunctionWork<Answer, Function> make_work(Function function)
{
    return FunctionWork<Answer, Function>{std::move(function)};
}

}  // namespace umavez
