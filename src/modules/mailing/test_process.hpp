#pragma once

// TestProcess: one worker of mailings as far as it needs no threads, over a database that may die or lose
// answers. Waiting is moving the clock, with the signs of life that would be given meanwhile. Confined to
// the test.

#include "modules/mailing/run.hpp"
#include "modules/mailing/test_mortal.hpp"

namespace umavez::mailing {

class TestProcess {
public:
    TestProcess(
        Database& database,
        HandClock& clock,
        Sink& sink,
        int dies_at = 0,
        MortalDatabase::Fates fates = {}
    )
        : life(dies_at),
          mortal_(database, life, std::move(fates)),
          transport_(sink, life),
          held_(mortal_, clock),
          parts{
              .database = mortal_,
              .clock = clock,
              .random = system_random(),
              .rate = rate_,
              .held = held_,
              .rules = {.batch = 4},
              .public_url = {},
              .no_transport_delay = 30s,
              .stop_grace = 0s,
              .ingest = [](const Locked&, const std::stop_token&) -> Result<Ingested> {
                  return Complete{};
              },
              .on_event = [this](const MailingEvent& event) { events.push_back(event); },
              .pause =
                  [this, &clock](Duration most, const std::stop_token&) {
                      clock.advance(std::max<Duration>(most, 1ms));
                      if (!life.is_dead()) static_cast<void>(held_.beat_all());
                  },
          }
    {
    }

    Result<Disposal> receive(const std::string& uuid) { return receive(message_of(uuid)); }
    Result<Disposal> receive(const messaging::ReceivedMessage& message)
    {
        MailingRun run{parts, has_transport ? &transport_ : nullptr};
        return run.run(message, life.stop.get_token());
    }
    static messaging::ReceivedMessage message_of(const std::string& uuid)
    {
        return {
            .message_id = "m",
            .tenant = "default",
            .type = "mailing.processar",
            .data = R"({"mailingId":")" + uuid + R"("})",
        };
    }

    Life life;
    bool has_transport = true;
    std::vector<MailingEvent> events;

private:
    MortalDatabase mortal_;
    MortalTransport transport_;
    Rate rate_{0};
    HeldLocks held_;

public:
    RunParts parts;
};

// Processes one after the other, and what they leave.
class RunTest : public Depot {
protected:
    static bool is_settled(const Result<Disposal>& disposal)
    {
        return disposal && std::holds_alternative<Settle>(*disposal);
    }
    static std::optional<Duration> held_back(const Result<Disposal>& disposal)
    {
        if (!disposal || !std::holds_alternative<HoldBack>(*disposal)) return std::nullopt;
        return std::get<HoldBack>(*disposal).delay;
    }
    // The message comes again and again until somebody settles it.
    void work_to_the_end(const std::string& uuid, Sink& sink)
    {
        TestProcess process{*database, clock, sink};
        for (int i = 0; i < 100; ++i) {
            const auto disposal = process.receive(uuid);
            ASSERT_TRUE(disposal) << disposal.error().detail;
            if (is_settled(disposal)) return;
            clock.advance(held_back(disposal).value_or(Duration{0}) + 1s);
        }
        FAIL() << "it did not come to its end: " << status_of(uuid);
    }
    void expect_each_once(const std::string& uuid, Sink& sink, int entries)
    {
        for (int i = 0; i < entries; ++i) EXPECT_EQ(sink.taken(address(i)), 1) << i;
        EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), std::to_string(entries));
        EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "0");
        EXPECT_EQ(status_of(uuid), "COMPLETED");
        EXPECT_EQ(ask_mailing("lock_token", uuid), "");
        expect_exact_counts(uuid);
    }
};

}  // namespace umavez::mailing
