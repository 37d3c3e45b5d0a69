#pragma once

// Opt-in: commands sent inside Boost.Asio coroutines, and cancelled the Asio way.
//
//     const CreateOrder command{…};
//     auto order = co_await umavez::send_on_asio(mediator, command);
//
// Name the command and the options first, as here: g++ 12 destroys aggregates written as
// temporaries inside a co_await expression twice.
//
// Cancelling the coroutine (a cancellation slot, `||` of awaitable_operators) requests the send's
// stop: before the handler began nothing is left behind; afterwards the handler is told and its
// outcome counts. The send itself always runs to its end. A handler that awaits Asio operations is
// wrapped by from_asio() (umavez/asio.hpp).

#include <umavez/asio.hpp>
#include <umavez/mediator.hpp>

#include <optional>
#include <stop_token>
#include <utility>

namespace umavez {

template <Command C>
boost::asio::awaitable<SendResult<C>> send_on_asio(
    Mediator& mediator, C command, SendOptions options = {}
)
{
    std::stop_source stop;
    const auto forward = [&stop] { stop.request_stop(); };
    const std::stop_callback<decltype(forward)> callers{options.stop, forward};
    options.stop = stop.get_token();
    // The task ends in any case, so its answer may be waited for after a cancellation too.
    co_return co_await on_asio(mediator.async_send(std::move(command), std::move(options)), stop);
}

}  // namespace umavez
