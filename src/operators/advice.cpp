#include "operators/advice.hpp"

namespace umavez::operators {
namespace {

Advice advise_processing(const Record& record, Instant now)
{
    const bool is_over = record.processing_expires_at && *record.processing_expires_at <= now;
    if (!is_over) {
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
        "like this, the "
        "operation is not served any more: find out whether the effect happened, then resolve it, "
        "or release it if "
        "it did not."
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
            "decide now: look "
            "for the effect key on the other side. If the effect is there: resolve as succeeded. "
            "If it "
            "certainly is not: release."
        };
    }
    return {
        "in doubt",
        meaning,
        "An operator decides: look for the effect key on the other side. If the effect is there: "
        "resolve as "
        "succeeded. If it certainly is not: release."
    };
}

}  // namespace

Advice advise(const Record* record, Instant now)
{
    if (record == nullptr) {
        return {
            "unknown",
            "There is no record: the key was not used here, or its retention is over.",
            "Nothing. The next request with this key runs."
        };
    }
    switch (record->status) {
        case Status::processing: return advise_processing(*record, now);
        case Status::in_doubt: return advise_doubt(*record);
        case Status::succeeded:
            return {"succeeded", "The effect happened. Retries get its answer.", "Nothing."};
        case Status::failed: break;
    }
    if (record->final) {
        return {
            "failed",
            "The request was refused, and that answer is kept: retries get it again.",
            "Release the key if the same request should run again, for example after its cause was "
            "mended."
        };
    }
    return {
        "free",
        "The last attempt ended without an effect, or the key was released.",
        "Nothing. The next request with this key runs."
    };
}

}  // namespace umavez::operators
