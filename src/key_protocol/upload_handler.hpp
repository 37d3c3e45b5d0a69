#pragma once

// The handler of an UploadRoute: admission, then its action on a thread that may block. What
// add_upload adds is thread-safe.

#include "http/router.hpp"
#include "key_protocol/protect.hpp"

namespace umavez::key_protocol {

void add_upload(http::Router& router, UploadRoute route, const ApiNeeds& needs);

}  // namespace umavez::key_protocol
