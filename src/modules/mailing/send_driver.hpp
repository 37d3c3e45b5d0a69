#pragma once

// SendDriver: does what Sending says: transactions, hand-overs, waits. It decides nothing of its own but
// that a letter is written before the last look at the clock. Confined to its thread.

#include "modules/mailing/run.hpp"

#include <optional>

namespace umavez::mailing {

class SendDriver {
public:
    SendDriver(
        const RunParts& parts,
        mail::Transport& transport,
        const Letters& letters,
        const Locked& locked,
        HeldLock& held
    );

    Over run(const std::stop_token& stop);

private:
    void on(const Mark& step);
    void on(const HandOver& step);
    void on(const Wait& step);
    void on(const Look& step);
    void on(const LeaveNow& step);
    void on(const Finish& step);
    void on(const Over& step) { over_ = step; }
    mail::Delivered hand_over(const Letter& letter);
    void stop_if_told();
    void tell(const MailingEvent& event) const;
    void tell_fault(std::string detail) const;
    // Tells what cannot pass; what may is tried again.
    void note(const Error& error) const;
    Duration now() const { return parts_.clock.boottime(); }

    const RunParts& parts_;
    mail::Transport& transport_;
    const Letters& letters_;
    const Locked& locked_;
    HeldLock& held_;
    Sending sending_;
    std::stop_token stop_;
    std::optional<Duration> stopping_since_;
    std::optional<Letter> letter_;   // of the entry that is next
    std::int64_t letter_entry_ = 0;  // its id
    std::optional<Over> over_;
};

}  // namespace umavez::mailing
