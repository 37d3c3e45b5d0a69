#include "modules/cobranca/provider_events/read_event.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace umavez::cobranca {
namespace {

const PaymentShape& payment_shape(std::string_view scheme, std::string_view type)
{
    const auto shapes = payment_shapes();
    const auto found = std::ranges::find_if(shapes, [&](const PaymentShape& shape) {
        return shape.scheme == scheme && shape.type == type;
    });
    EXPECT_NE(found, shapes.end()) << scheme << ' ' << type;
    return *found;
}

const SubscriptionShape& subscription_shape(std::string_view scheme, std::string_view type)
{
    const auto shapes = subscription_shapes();
    const auto found = std::ranges::find_if(shapes, [&](const SubscriptionShape& shape) {
        return shape.scheme == scheme && shape.type == type;
    });
    EXPECT_NE(found, shapes.end()) << scheme << ' ' << type;
    return *found;
}

// "pi_3 of 12: 20.00", or why not.
std::string read(std::string_view scheme, std::string_view type, std::string_view text)
{
    const auto payments = read_payments(payment_shape(scheme, type), Content{text});
    if (const auto* const foreign = std::get_if<NotOurs>(&payments)) {
        return "not ours: " + foreign->why;
    }
    if (const auto* const odd = std::get_if<Unreadable>(&payments))
        return "unreadable: " + odd->why;
    std::string all;
    for (const ReportedPayment& reported : std::get<ReportedPayments>(payments)) {
        if (!all.empty()) all += ", ";
        all += reported.payment_id + " of " + std::to_string(reported.fatura_id) + ": ";
        all += reported.valor.text();
    }
    return all;
}

TEST(ReadPayment, SeveralEventsOfStripeReportOnePayment)
{
    EXPECT_EQ(
        read(
            "stripe",
            "payment_intent.succeeded",
            R"({"data":{"object":{"id":"pi_3","amount":2000,"amount_received":1990,"currency":"brl",)"
            R"("metadata":{"fatura_id":"12"}}}})"
        ),
        "pi_3 of 12: 19.90"
    );
    EXPECT_EQ(
        read(
            "stripe",
            "charge.succeeded",
            R"({"data":{"object":{"id":"ch_1","payment_intent":"pi_3","amount":1990,"captured":true,)"
            R"("metadata":{"fatura_id":12}}}})"
        ),
        "pi_3 of 12: 19.90"
    );
}

TEST(ReadPayment, AChargeThatWasOnlyAuthorisedIsNoPayment)
{
    EXPECT_EQ(
        read(
            "stripe",
            "charge.succeeded",
            R"({"data":{"object":{"id":"ch_1","payment_intent":"pi_3","amount":1990,"captured":false,)"
            R"("metadata":{"fatura_id":12}}}})"
        ),
        "not ours: nothing was paid: false"
    );
}

// The payment is named where older and where newer versions of the API name it, and by nothing else.
TEST(ReadPayment, AnInvoiceOfStripeNamesItsPayment)
{
    const auto invoice = [](const std::string& more) {
        return read(
            "stripe",
            "invoice.paid",
            R"({"data":{"object":{"id":"in_1","amount_paid":500,"metadata":{"fatura_id":"12"})" +
                more + "}}}"
        );
    };
    EXPECT_EQ(invoice(R"(,"payment_intent":"pi_3")"), "pi_3 of 12: 5.00");
    EXPECT_EQ(
        invoice(R"(,"payments":{"data":[{"payment":{"payment_intent":"pi_3"}}]})"),
        "pi_3 of 12: 5.00"
    );
    EXPECT_EQ(invoice(""), "unreadable: a payment of fatura 12 without an id");
}

TEST(ReadPayment, MoneyOfAnotherCurrencyIsForPeople)
{
    EXPECT_EQ(
        read(
            "stripe",
            "payment_intent.succeeded",
            R"({"data":{"object":{"id":"pi_3","amount":2000,"currency":"usd",)"
            R"("metadata":{"fatura_id":"12"}}}})"
        ),
        "unreadable: fatura 12 was paid in usd, not in BRL"
    );
}

TEST(ReadPayment, WhatNamesNoInvoiceIsNotOurs)
{
    constexpr std::string_view type = "payment_intent.succeeded";
    EXPECT_EQ(read("stripe", type, "{}"), "not ours: it names no fatura");
    EXPECT_EQ(
        read("stripe", type, R"({"data":{"object":{"metadata":{"fatura_id":"abc"}}}})"),
        "not ours: \"abc\" is no fatura of ours"
    );
    EXPECT_EQ(
        read(
            "stripe",
            type,
            R"({"data":{"object":{"metadata":{"fatura_id":"99999999999999999999"}}}})"
        ),
        "not ours: \"99999999999999999999\" is no fatura of ours"
    );
}

TEST(ReadPayment, AmountsAreExactInTheirUnit)
{
    const auto asaas = [](std::string_view value) {
        return read(
            "asaas",
            "PAYMENT_RECEIVED",
            R"({"payment":{"id":"pay_1","externalReference":"7","value":)" + std::string{value} +
                "}}"
        );
    };
    EXPECT_EQ(asaas("129.9"), "pay_1 of 7: 129.90");
    EXPECT_EQ(asaas("129"), "pay_1 of 7: 129.00");
    EXPECT_EQ(asaas("0"), "not ours: nothing was paid: the amount is 0");
    EXPECT_EQ(asaas("1.999"), "unreadable: payment pay_1 of fatura 7: \"1.999\" is no amount");
    EXPECT_EQ(asaas("null"), "unreadable: payment pay_1 of fatura 7: \"\" is no amount");
}

TEST(ReadPayment, MercadoPagoCountsWhenApproved)
{
    const auto answer = [](std::string_view status) {
        return read(
            "mercadopago",
            "payment",
            R"({"id":123,"status":")" + std::string{status} +
                R"(","transaction_amount":58.8,"currency_id":"BRL","external_reference":"5"})"
        );
    };
    EXPECT_EQ(answer("approved"), "123 of 5: 58.80");
    EXPECT_EQ(answer("in_process"), "not ours: nothing was paid: in_process");
}

// The first card was declined; the order carries both attempts.
TEST(ReadPayment, OfAnOrderOfPagBankThePaidChargeCounts)
{
    EXPECT_EQ(
        read(
            "pagbank",
            "PAID",
            R"({"id":"ORDE_1","reference_id":"9","charges":[)"
            R"({"id":"CHAR_1","status":"DECLINED","amount":{"value":500,"currency":"BRL"}},)"
            R"({"id":"CHAR_2","status":"PAID","amount":{"value":700,"currency":"BRL"}}]})"
        ),
        "CHAR_2 of 9: 7.00"
    );
    EXPECT_EQ(
        read(
            "pagbank",
            "PAID",
            R"({"id":"CHAR_3","status":"PAID","reference_id":"9","amount":{"value":800}})"
        ),
        "CHAR_3 of 9: 8.00"
    );
    EXPECT_EQ(
        read(
            "pagbank",
            "PAID",
            R"({"id":"O","reference_id":"9","charges":[{"id":"C","status":"DECLINED"}]})"
        ),
        "not ours: nothing was paid: none is PAID"
    );
}

TEST(ReadPayment, AnOrderThatWasPaidInPartsReportsEveryPart)
{
    EXPECT_EQ(
        read(
            "pagbank",
            "PAID",
            R"({"id":"ORDE_1","reference_id":"9","charges":[)"
            R"({"id":"CHAR_1","status":"PAID","amount":{"value":100,"currency":"BRL"}},)"
            R"({"id":"CHAR_2","status":"PAID","amount":{"value":200,"currency":"BRL"}}]})"
        ),
        "CHAR_1 of 9: 1.00, CHAR_2 of 9: 2.00"
    );
}

TEST(ReadPayment, ACurrencyIsReadWhereverItStands)
{
    EXPECT_EQ(
        read(
            "standard-webhooks",
            "payment.succeeded",
            R"({"data":{"payment_id":"u1","invoice_id":3,"amount":10.00,"currency":"USD"}})"
        ),
        "unreadable: fatura 3 was paid in USD, not in BRL"
    );
    EXPECT_EQ(
        read(
            "pagbank",
            "PAID",
            R"({"id":"C","status":"PAID","reference_id":"9","amount":{"value":800,"currency":"USD"}})"
        ),
        "unreadable: fatura 9 was paid in USD, not in BRL"
    );
    EXPECT_EQ(
        read(
            "stripe",
            "payment_intent.succeeded",
            R"({"data":{"object":{"id":"pi_3","amount":2000,"currency":["usd"],)"
            R"("metadata":{"fatura_id":"12"}}}})"
        ),
        "unreadable: fatura 12 was paid in something, not in BRL"
    );
}

TEST(ReadPayment, FormsOfPagarMe)
{
    EXPECT_EQ(
        read(
            "pagarme",
            "transaction_status_changed",
            "id=1627832&current_status=paid&transaction%5Bamount%5D=10000"
            "&transaction%5Bmetadata%5D%5Bfatura_id%5D=3"
        ),
        "1627832 of 3: 100.00"
    );
    EXPECT_EQ(
        read("pagarme", "transaction_status_changed", "id=1&current_status=refused"),
        "not ours: nothing was paid: refused"
    );
}

TEST(ReadState, MapsWordsAndTimes)
{
    const auto state = [](std::string_view status, std::string_view created) {
        const std::string text = R"({"created":)" + std::string{created} +
                                 R"(,"data":{"object":{"status":")" + std::string{status} +
                                 R"(","metadata":{"assinatura_id":"4"}}}})";
        return read_state(
            subscription_shape("stripe", "customer.subscription.updated"), Content{text}
        );
    };
    const auto active = state("trialing", "1760000000");
    ASSERT_TRUE(std::holds_alternative<ReportedState>(active));
    EXPECT_EQ(std::get<ReportedState>(active).estado, EstadoAssinatura::ativa);
    EXPECT_EQ(to_micros(std::get<ReportedState>(active).occurred_at), 1'760'000'000'000'000);
    EXPECT_TRUE(std::holds_alternative<NotOurs>(state("unheard", "1760000000")));
    EXPECT_TRUE(std::holds_alternative<Unreadable>(state("active", "null")));
}

TEST(ReadState, TimesOfRfc3339)
{
    const auto at = [](std::string_view time) {
        const std::string text = R"({"type":"assinatura.alterada","timestamp":")" +
                                 std::string{time} +
                                 R"(","data":{"assinatura_id":4,"estado":"suspensa"}})";
        const auto read = read_state(
            subscription_shape("standard-webhooks", "assinatura.alterada"), Content{text}
        );
        const auto* const reported = std::get_if<ReportedState>(&read);
        return reported == nullptr ? -1 : to_micros(reported->occurred_at);
    };
    EXPECT_EQ(at("2025-10-09T08:53:20Z"), 1'760'000'000'000'000);
    EXPECT_EQ(at("2025-10-09T08:53:20.5Z"), 1'760'000'000'500'000);
    EXPECT_EQ(at("2025-10-09T08:53:20.123456Z"), 1'760'000'000'123'456);
    EXPECT_EQ(at("2025-10-09T08:53:20.123456789Z"), 1'760'000'000'123'456);
    EXPECT_EQ(at("2025-10-09T05:53:20-03:00"), 1'760'000'000'000'000);
    EXPECT_EQ(at("2025-10-09T10:53:20.5+02:00"), 1'760'000'000'500'000);
    EXPECT_EQ(at("2025-10-09T10:53:20+99:00"), -1);
    EXPECT_EQ(at("2025-10-09T08:53:20"), -1);
    EXPECT_EQ(at("yesterday"), -1);
    EXPECT_EQ(at("Z"), -1);
}

}  // namespace
}  // namespace umavez::cobranca
