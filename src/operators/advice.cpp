#include "operators/advice.hpp"

#include "core/decide.hpp"

namespace umavez::operators {
namespace {

Advice advise_processing(const Record& record, Instant now)
{
    if (!is_lease_over(record, now)) {
        return {
            "running",
            "An owner holds the key and renews its lease.",
            "Wait. If the owner dies, the key is dealt with when its lease ends."
        };
    }
    return {
        "abandoned",
        "The lease is over: the owner died, or it hangs. Whether the effect happened is not known "
        "here.",
        "A running server settles it within seconds, as the operation's policy says. If it stays "
        "like this, the operation is not served any more: find out whether the effect happened, "
        "then resolve it, or release it if it did not."
    };
}

Advice advise_doubt(const Record& record)
{
    const std::string meaning =
        "Nobody knows whether the effect happened: the owner died or got no clear answer after it "
        "began.";
    if (record.retry_at) {
        return {
            "in doubt",
            meaning,
            "The operation's reconciler, if it has one, asks again at retry_at. Otherwise, or to "
            "decide now: look for the effect key on the other side. If the effect is there: "
            "resolve as succeeded. If it certainly is not: release."
        };
    }
    return {
        "in doubt",
        meaning,
        "An operator decides: look for the effect key on the other side. If the effect is there: "
        "resolve as succeeded. If it certainly is not: release."
    };
}

constexpr const char* runs_next = "Nothing. The next request with this key runs.";

// What a retry of a completed request is told.
std::string retries_get(const Record& record)
{
    constexpr const char* refusal = "retries get 409 idempotency-response-not-kept with its status";
    if (!record.response) {
        return std::string{"An operator gave it this end without an answer: "} + refusal + ".";
    }
    if (record.response->omitted) {
        return std::string{"Its answer was too large to keep: "} + refusal +
               ", or the entity as it is now where the operation replays that.";
    }
    return "Retries get its answer, or the entity as it is now where the operation replays that.";
}

Advice advise_failed(const Record& record)
{
    if (record.final) {
        return {
            "failed",
            "The request was refused, and that is final. " + retries_get(record),
            "Release the key if the same request should run again, for example after its cause was "
            "mended."
        };
    }
    return {
        "free", "The last attempt ended without an effect, or the key was released.", runs_next
    };
}

}  // namespace

Advice advise(const Record* record, Instant now)
{
    if (record == nullptr) {
        return {
            "unknown",
            "There is no record: the key was not used, its last attempt left nothing, or its retention "
            "is over.",
            runs_next
        };
    }
    if (is_spent(*record, now)) {
        return {"expired", "Its retention is over: the record only waits to be swept.", runs_next};
    }
    switch (record->status) {
        case Status::processing: return advise_processing(*record, now);
        case Status::in_doubt: return advise_doubt(*record);
        case Status::succeeded:
            return {"succeeded", "The effect happened. " + retries_get(*record), "Nothing."};
        case Status::failed: break;
    }
    return advise_failed(*record);
}

}  // namespace umavez::operators
