#include "modules/fiscal/under_lease.hpp"

#include <utility>

namespace umavez::fiscal {
namespace {

// A database that fails over is back in seconds.
constexpr Duration trouble_delay = std::chrono::seconds{5};

// Where these cannot be written the lease runs out, and the record is reconciled by the row.
Response conclude(Lease& lease, const Ended& ended)
{
    switch (ended.how) {
        case How::finished: return {.status = 200};
        case How::gave_up: static_cast<void>(lease.untouched()); break;
        case How::open:
        case How::may_send: static_cast<void>(lease.doubt(ended.detail)); break;
        case How::lost:
        case How::trouble: break;
    }
    return {.status = 503};
}

}  // namespace

Result<Driven> drive_under_lease(
    Module& module, Request request, When when, const LeaseHandler& handler
)
{
    request.asks_now = when == When::now;
    std::optional<Ended> ended;
    auto outcome = module.engine().leased(std::move(request), [&](Lease& lease) {
        ended = handler(lease);
        return conclude(lease, *ended);
    });
    if (!outcome) return std::unexpected(outcome.error());
    return Driven{*std::move(outcome), std::move(ended)};
}

Ended close_key(Module& module, Lease& lease, const Documento& documento)
{
    const auto done = module.database().transact([&](Transaction& transaction) {
        return lease.finish(transaction, kept_response(documento));
    });
    if (!done) return trouble(done.error());
    return {.how = How::finished, .was_found = true};
}

Reconciliation to_reconciliation(
    Module& module, const Enquiry& enquiry, const Course& course, const Ended& ended
)
{
    switch (ended.how) {
        case How::finished: return Happened{kept_response(*course.row())};
        case How::may_send:
            module.note_absence(enquiry.token, course.row()->versao);
            return DidNotHappen{};
        case How::gave_up: return DidNotHappen{};  // it was refused
        case How::open: return StillUnknown{ended.retry_after, ended.detail};
        case How::lost:
        case How::trouble: break;
    }
    return StillUnknown{trouble_delay, ended.detail};
}

StillUnknown still_unknown(const Error& error)
{
    return {trouble_delay, error.detail};
}

Ended trouble(const Error& error)
{
    return {.how = How::trouble, .detail = error.detail};
}

}  // namespace umavez::fiscal
