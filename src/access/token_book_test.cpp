// The book on a real SQLite database: who is admitted, and what a change does to that.

#include "access/token_book.hpp"

#include "database/sqlite/test_support.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <future>

namespace umavez::access {
namespace {

using namespace std::chrono_literals;

TenantId tenant(std::string_view text)
{
    return *TenantId::parse(text);
}

std::vector<Header> bearer(const std::string& token)
{
    return {{"Authorization", "Bearer " + token}};
}

class TokenBookTest : public testing::Test {
protected:
    std::unique_ptr<TokenBook> open_book(
        TokenBookOptions options = {.refresh_period = std::nullopt}
    )
    {
        auto opened = TokenBook::open(*database_, options);
        EXPECT_TRUE(opened) << opened.error().detail;
        return opened ? *std::move(opened) : nullptr;
    }
    NewToken make(TokenBook& book, TokenDraft draft)
    {
        auto made = book.create(std::move(draft));
        EXPECT_TRUE(made) << made.error().detail;
        return made ? *std::move(made) : NewToken{};
    }

    test::Directory directory_;
    test::HandClock clock_;
    Instant now_ = clock_.realtime();
    std::unique_ptr<SqliteDatabase> database_ =
        test::open_or_fail(directory_.url(), {.clock = &clock_});
    std::unique_ptr<TokenBook> book_ = open_book();
};

TEST_F(TokenBookTest, WithoutATokenEverybodyIsAnOperatorOfTheDefaultTenant)
{
    const auto caller = book_->admit({{"X-Usuario", "ana"}}, now_);

    ASSERT_TRUE(caller);
    EXPECT_TRUE(book_->is_empty());
    EXPECT_EQ(caller->tenant_id.text(), "default");
    EXPECT_EQ(caller->role, Role::operator_);
    EXPECT_EQ(caller->usuario, "ana");
    EXPECT_TRUE(caller->may_see(tenant("acme")));
}

TEST_F(TokenBookTest, FromTheFirstTokenOnOneIsNeeded)
{
    const NewToken token = make(
        *book_, {.tenant = tenant("acme"), .role = Role::writer, .label = "loja", .lifetime = {}}
    );

    EXPECT_FALSE(book_->is_empty());
    EXPECT_EQ(book_->admit({}, now_).error(), Denial::missing);
    EXPECT_EQ(book_->admit(bearer("uvz_other"), now_).error(), Denial::unknown);
    const auto caller = book_->admit(bearer(token.text), now_);
    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->tenant_id.text(), "acme");
    EXPECT_EQ(caller->role, Role::writer);
    EXPECT_EQ(caller->usuario, "loja");
    EXPECT_FALSE(caller->may_see(tenant("outra")));
}

TEST_F(TokenBookTest, TheCallerNamesTheUserButNotTheLabel)
{
    const NewToken token = make(
        *book_, {.tenant = tenant("acme"), .role = Role::writer, .label = "loja", .lifetime = {}}
    );
    auto headers = bearer(token.text);
    headers.push_back({"X-Usuario", "ana"});

    const auto caller = book_->admit(headers, now_);

    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->usuario, "ana");
    EXPECT_EQ(caller->label, "loja");
}

TEST_F(TokenBookTest, ATokenExpiresAtItsInstant)
{
    const NewToken token =
        make(*book_, {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = 1h});
    ASSERT_TRUE(token.row.expires_at);

    EXPECT_TRUE(book_->admit(bearer(token.text), *token.row.expires_at - 1us));
    EXPECT_EQ(book_->admit(bearer(token.text), *token.row.expires_at).error(), Denial::expired);
}

TEST_F(TokenBookTest, TwoTokensOfATenantLiveSideBySideUntilOneIsRevoked)
{
    const TokenDraft draft{
        .tenant = tenant("acme"), .role = Role::writer, .label = {}, .lifetime = {}
    };
    const NewToken old_one = make(*book_, draft);
    const NewToken new_one = make(*book_, draft);
    EXPECT_TRUE(book_->admit(bearer(old_one.text), now_));

    ASSERT_TRUE(book_->revoke(old_one.row.id));

    EXPECT_EQ(book_->admit(bearer(old_one.text), now_).error(), Denial::unknown);
    EXPECT_TRUE(book_->admit(bearer(new_one.text), now_));
}

TEST_F(TokenBookTest, RevokingTheLastTokenDoesNotOpenTheDoor)
{
    const NewToken token = make(
        *book_, {.tenant = tenant("acme"), .role = Role::operator_, .label = {}, .lifetime = {}}
    );

    ASSERT_TRUE(book_->revoke(token.row.id));

    EXPECT_FALSE(book_->is_empty());
    EXPECT_EQ(book_->admit({}, now_).error(), Denial::missing);
    EXPECT_FALSE(open_book()->is_empty());
}

TEST_F(TokenBookTest, RevokingTwiceKeepsTheFirstTime)
{
    const NewToken token =
        make(*book_, {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}});
    const auto first = book_->revoke(token.row.id);
    clock_.advance(1h);

    const auto second = book_->revoke(token.row.id);

    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->revoked_at, second->revoked_at);
    EXPECT_EQ(book_->list()->at(0).revoked_at, first->revoked_at);
}

TEST_F(TokenBookTest, AnotherTenantsTokenIsNotThereToBeRevoked)
{
    const NewToken token =
        make(*book_, {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}});

    EXPECT_EQ(book_->revoke(token.row.id, tenant("outra")).error().code, Errc::not_found);
    EXPECT_EQ(book_->revoke(4711).error().code, Errc::not_found);
    EXPECT_TRUE(book_->admit(bearer(token.text), now_));
}

TEST_F(TokenBookTest, ATokenForAllTenantsIsAnOperators)
{
    const auto refused =
        book_->create({.tenant = {}, .role = Role::writer, .label = {}, .lifetime = {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::invalid_argument);

    const NewToken token =
        make(*book_, {.tenant = {}, .role = Role::operator_, .label = {}, .lifetime = {}});
    const auto caller = book_->admit(bearer(token.text), now_);
    ASSERT_TRUE(caller);
    EXPECT_TRUE(caller->all_tenants);
    EXPECT_EQ(caller->tenant_id, default_tenant());
}

TEST_F(TokenBookTest, AWrongDraftIsRefusedWithItsField)
{
    const auto refusal = [this](TokenDraft draft) {
        const auto mistake = find_mistake(draft);
        const auto made = book_->create(std::move(draft));
        EXPECT_EQ(made.has_value(), !mistake);
        return mistake ? mistake->field : "none";
    };
    const TokenDraft sane{
        .tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}
    };
    TokenDraft long_label = sane;
    long_label.label = std::string(101, 'a');
    TokenDraft steering_label = sane;
    steering_label.label = "\x1b[31m";
    TokenDraft no_time = sane;
    no_time.lifetime = Duration::zero();
    TokenDraft endless = sane;
    endless.lifetime = Duration::max();

    EXPECT_EQ(refusal(long_label), "label");
    EXPECT_EQ(refusal(steering_label), "label");
    EXPECT_EQ(refusal(no_time), "lifetime");
    EXPECT_EQ(refusal(endless), "lifetime");
    EXPECT_TRUE(book_->is_empty());
}

TEST_F(TokenBookTest, OnlyTheDigestAndTheEndingAreKept)
{
    const NewToken token = make(
        *book_, {.tenant = tenant("acme"), .role = Role::reader, .label = "l", .lifetime = {}}
    );

    const auto rows = book_->list();

    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 1U);
    EXPECT_EQ(rows->front().digest, sha256(token.text));
    EXPECT_TRUE(token.text.ends_with(rows->front().ending));
    EXPECT_EQ(rows->front().ending.size(), ending_chars);
}

TEST_F(TokenBookTest, ABookSeesWhatAnotherMadeAfterARefresh)
{
    const auto other = open_book();
    const NewToken token =
        make(*other, {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}});
    EXPECT_TRUE(book_->is_empty());

    ASSERT_TRUE(book_->refresh());

    EXPECT_TRUE(book_->admit(bearer(token.text), now_));
}

TEST_F(TokenBookTest, ThePeriodicRefreshSeesItUnasked)
{
    const auto watching = open_book({.refresh_period = 1ms});
    const NewToken token =
        make(*book_, {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}});

    test::wait_until("the other book knows it", [&] {
        return watching->admit(bearer(token.text), now_).has_value();
    });
}

TEST_F(TokenBookTest, CallersAreAdmittedWhileTokensChange)
{
    const NewToken token =
        make(*book_, {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}});
    std::atomic<bool> stop = false;
    auto changes = std::async(std::launch::async, [&] {
        for (int i = 0; i < 20; ++i) {
            const NewToken other = make(
                *book_,
                {.tenant = tenant("acme"), .role = Role::reader, .label = {}, .lifetime = {}}
            );
            EXPECT_TRUE(book_->revoke(other.row.id));
        }
        stop = true;
    });

    while (!stop) EXPECT_TRUE(book_->admit(bearer(token.text), now_));

    changes.get();
}

}  // namespace
}  // namespace umavez::access
