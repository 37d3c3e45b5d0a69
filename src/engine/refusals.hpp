#pragma once

// What the engine says when it will not do something; each sentence stands in one place.

#include <umavez/result.hpp>

namespace umavez {

inline std::unexpected<Error> fail_stopped()
{
    return fail(Errc::store_unavailable, "the engine was stopped");
}

inline std::unexpected<Error> fail_cancelled()
{
    return fail(Errc::cancelled, "the caller's stop was requested before anything ran");
}

inline std::unexpected<Error> fail_in_child()
{
    return fail(
        Errc::invalid_argument,
        "this engine belongs to the process that opened it; open another one after fork()"
    );
}

inline std::unexpected<Error> fail_completed_before()
{
    return fail(Errc::invalid_argument, "the lease was completed before; complete it once");
}

}  // namespace umavez
