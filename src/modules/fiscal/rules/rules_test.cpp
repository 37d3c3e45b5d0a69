// What a POST does, when a call is repeated, and until when a number may be voided.

#include "base/rfc3339.hpp"
#include "modules/fiscal/rules/post_rule.hpp"
#include "modules/fiscal/rules/retry_rule.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>

namespace umavez::fiscal {
namespace {

using namespace std::chrono_literals;

TEST(PostRule, EveryStateAndWhetherTheBytesAreTheSame)
{
    // Same bytes, others.
    const std::map<std::string, std::pair<std::string, std::string>> table = {
        {"RESERVADO", {"send", "send"}},
        {"TRANSMITIDO", {"conciliate", "refuse_in_doubt"}},
        {"INDETERMINADO", {"conciliate", "refuse_in_doubt"}},
        {"AUTORIZADO", {"answer_from_cache", "answer_from_cache"}},
        {"REJEITADO", {"send", "send_new_version"}},
        {"DENEGADO", {"refuse_for_good", "refuse_for_good"}},
        {"CANCELAMENTO_PENDENTE", {"answer_from_cache", "answer_from_cache"}},
        {"CANCELAMENTO_EM_ANALISE", {"answer_from_cache", "answer_from_cache"}},
        {"CANCELADO", {"refuse_for_good", "refuse_for_good"}},
        {"SUBSTITUIDO", {"refuse_for_good", "refuse_for_good"}},
        {"INUTILIZACAO_PENDENTE", {"refuse_in_doubt", "refuse_in_doubt"}},
        {"INUTILIZADO", {"refuse_for_good", "refuse_for_good"}},
    };
    ASSERT_EQ(table.size(), all_estados().size());
    for (const Estado estado : all_estados()) {
        const auto& [same, others] = table.at(std::string{to_text(estado)});
        EXPECT_EQ(to_text(post_step(PostedTo{estado}, PostedBytes::same)), same) << to_text(estado);
        EXPECT_EQ(to_text(post_step(PostedTo{estado}, PostedBytes::others)), others)
            << to_text(estado);
    }
    EXPECT_EQ(post_step(std::nullopt, PostedBytes::others), PostStep::send);
    const auto insist = [](PostedBytes bytes, std::int64_t refusals) {
        return post_step(PostedTo{.estado = Estado::rejeitado, .refusals = refusals}, bytes);
    };
    EXPECT_EQ(insist(PostedBytes::same, equal_refusals_max - 1), PostStep::send);
    EXPECT_EQ(insist(PostedBytes::same, equal_refusals_max), PostStep::repeat_refusal);
    EXPECT_EQ(insist(PostedBytes::others, equal_refusals_max), PostStep::send_new_version);
    for (const Estado estado : {Estado::reservado, Estado::rejeitado}) {
        const PostedTo replaced{.estado = estado, .is_replaced = true};
        EXPECT_EQ(post_step(replaced, PostedBytes::others), PostStep::refuse_for_good);
    }
}

TEST(PostRule, IsSentOnlyWhereTheTableOfStatesLeadsToTransmitido)
{
    for (const Estado estado : all_estados()) {
        for (const PostedBytes bytes : {PostedBytes::same, PostedBytes::others}) {
            const PostStep step = post_step(PostedTo{estado}, bytes);
            const bool is_sent = step == PostStep::send || step == PostStep::send_new_version;
            if (is_sent) {
                EXPECT_TRUE(may_become(estado, Estado::transmitido)) << to_text(estado);
            }
            if (is_final(estado)) {
                EXPECT_EQ(step, PostStep::refuse_for_good) << to_text(estado);
            }
        }
    }
}

TEST(RetryRule, PausesDoubleUpToTheLongestWithFullJitter)
{
    const RetryRule rule{.attempts = 100};
    constexpr std::array<int, 8> seconds = {1, 2, 4, 8, 16, 30, 30, 30};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        const auto made = static_cast<std::uint32_t>(i + 1);
        EXPECT_EQ(retry_delay(rule, made, {}, 0.0), Duration{0});
        EXPECT_EQ(retry_delay(rule, made, {}, 0.5), std::chrono::milliseconds{500} * seconds[i]);
        EXPECT_LT(retry_delay(rule, made, {}, 0.999).value(), std::chrono::seconds{seconds[i]});
    }
    EXPECT_EQ(retry_delay(rule, 99, {}, 0.5), Duration{15s});
}

TEST(RetryRule, ThereAreThreeAttempts)
{
    EXPECT_TRUE(retry_delay({}, 1, {}, 0.5));
    EXPECT_TRUE(retry_delay({}, 2, {}, 0.5));
    EXPECT_FALSE(retry_delay({}, 3, {}, 0.5));
    EXPECT_FALSE(retry_delay({}, 3, Duration{1s}, 0.5));
}

TEST(RetryRule, TheAuthoritysWishWins)
{
    EXPECT_EQ(retry_delay({}, 1, Duration{7s}, 0.1), Duration{7s});
    EXPECT_EQ(retry_delay({}, 1, Duration{30s}, 0.1), Duration{30s});
    EXPECT_EQ(retry_delay({}, 1, Duration{-1s}, 0.1), Duration{0});
    // For longer than that nobody waits.
    EXPECT_FALSE(retry_delay({}, 1, Duration{31s}, 0.1));
}

TEST(RetryRule, ABoundOfZeroIsNoPause)
{
    const RetryRule rule{.attempts = 5, .first = Duration{0}, .longest = Duration{0}};
    EXPECT_EQ(retry_delay(rule, 4, {}, 0.9), Duration{0});
}

Instant at(std::string_view text)
{
    return parse_rfc3339(std::string{text} + ".000000Z").value();
}

TEST(VoidDeadline, IsTheTenthOfTheNextMonthInBrasilia)
{
    const std::map<std::string, std::string> table = {
        {"2026-01-15T12:00:00", "2026-02-10"},
        {"2026-12-31T12:00:00", "2027-01-10"},
        // Still January there, and then February.
        {"2026-02-01T02:59:59", "2026-02-10"},
        {"2026-02-01T03:00:00", "2026-03-10"},
        {"2027-01-01T02:59:59", "2027-01-10"},
        {"2028-02-29T23:00:00", "2028-03-10"},
    };
    for (const auto& [reserved, deadline] : table) {
        EXPECT_EQ(to_text(void_deadline(at(reserved))), deadline) << reserved;
    }
}

TEST(VoidDeadline, IsOverOnTheEleventh)
{
    EXPECT_EQ(void_deadline_open_since(at("2026-03-11T02:59:59")), at("2026-02-01T03:00:00"));
    EXPECT_EQ(void_deadline_open_since(at("2026-03-11T03:00:00")), at("2026-03-01T03:00:00"));
    EXPECT_EQ(void_deadline_open_since(at("2026-01-05T12:00:00")), at("2025-12-01T03:00:00"));
}

TEST(VoidDeadline, BothSidesAgreeOnEveryHour)
{
    for (Instant now = at("2026-01-01T00:00:00"); now < at("2026-05-01T00:00:00"); now += 7h) {
        const Instant open_since = void_deadline_open_since(now);
        for (Instant reserved = at("2025-11-01T00:00:00"); reserved <= now; reserved += 13h) {
            const bool is_over = local_date(now) > void_deadline(reserved);
            ASSERT_EQ(is_over, reserved < open_since) << to_rfc3339(now) << to_rfc3339(reserved);
        }
    }
}

}  // namespace
}  // namespace umavez::fiscal
