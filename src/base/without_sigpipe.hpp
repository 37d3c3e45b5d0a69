#pragma once

// WithoutSigpipe: a scope in which a peer that left is an error of the call and never the end of the
// process. OpenSSL writes to sockets without MSG_NOSIGNAL, and a program that writes to a pipe needs SIGPIPE
// as it is: so the signal is held back for this thread, and what came meanwhile is taken. Confined to its
// thread.

#include <csignal>
#include <ctime>

namespace umavez {

class WithoutSigpipe {
public:
    WithoutSigpipe()
    {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending{};
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutSigpipe()
    {
        constexpr timespec at_once{};
        if (!was_pending_) ::sigtimedwait(&pipe_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

}  // namespace umavez
