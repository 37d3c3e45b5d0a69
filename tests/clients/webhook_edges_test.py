#!/usr/bin/env python3
"""What a receiver of webhooks takes and what it refuses, and what operators do about the rest."""

import json
import time

import support
from installation import CALM, PROVIDERS, STANDARD_SECRET, STRIPE_SECRET, Installation
from ledger import INVOICE_CENTS, Office
from providers import (Event, Providers, charge_succeeded, intent_succeeded, need_packages, payment_confirmed,
                       stripe_event)

OTHER_STRIPE_SECRET = "whsec_loja_de_testes_0002"
OTHER_STANDARD_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
TOLERANCE = 300  # seconds, of both schemes


class ReceiverTest(support.TestCase):
    """One server on SQLite, and the official packages as its senders."""

    @classmethod
    def setUpClass(cls):
        need_packages()

    def setUp(self):
        self.installation = self.enterContext(Installation(settings=CALM))
        self.sender = self.enterContext(Providers())
        self.server = self.installation.node("serve").start()

    def paid_by(self, event, **more):
        return self.sender.deliver(event, self.server, **more)

    def make_invoice(self):
        self.office = Office(self.server)
        return self.office.add_invoice()

    def events(self, *arguments):
        return json.loads(self.installation.run("webhook", "list", "--json", *arguments))["events"]

    def wait_for_state(self, state, count=1):
        def there():
            events = self.events("--state", state)
            return len(events) == count and events
        return support.wait_until(f"{count} events are {state}", there, told=self.events)

    def assert_refused(self, answer, status, problem, *words):
        self.assertEqual((answer.status, answer.problem), (status, problem), answer)
        for word in words:
            self.assertIn(word, answer.json["detail"])
        self.assertEqual(self.installation.count("umavez_inbox"), 0)


class RefusalTest(ReceiverTest):
    def both(self):
        yield intent_succeeded("evt_1", "pi_1", 1, INVOICE_CENTS), OTHER_STRIPE_SECRET, "Stripe-Signature"
        yield payment_confirmed("msg_1", "pag_1", 1, INVOICE_CENTS), OTHER_STANDARD_SECRET, "webhook-signature"

    def test_forged_and_flipped_are_401(self):
        for event, other_secret, header in self.both():
            with self.subTest(header):
                self.assert_refused(self.paid_by(event, headers={}), 401, "webhook-signature", header)
                self.assert_refused(self.paid_by(event, secret=other_secret), 401, "webhook-signature", header)
                flipped = event.body.replace("10000", "10001").replace("100.00", "100.01")
                self.assertNotEqual(flipped, event.body)
                self.assert_refused(self.paid_by(event, body=flipped), 401, "webhook-signature")
                signed = self.sender.sign(event)
                signed[header] = signed[header][:-2] + ("aa" if signed[header][-2:] != "aa" else "bb")
                self.assert_refused(self.paid_by(event, headers=signed), 401, "webhook-signature")

    def test_a_body_that_was_parsed_and_printed_again_is_401(self):
        for event, _, header in self.both():
            with self.subTest(header):
                again = json.dumps(json.loads(event.body))  # the same JSON, with blanks
                self.assertEqual(json.loads(again), json.loads(event.body))
                self.assert_refused(self.paid_by(event, body=again), 401, "webhook-signature")

    def test_a_signature_does_not_move_to_another_event_or_time(self):
        first, second = intent_succeeded("evt_1", "pi_1", 1, 1), intent_succeeded("evt_2", "pi_1", 1, 1)
        self.assert_refused(self.paid_by(second, headers=self.sender.sign(first)), 401, "webhook-signature")
        event = payment_confirmed("msg_1", "pag_1", 1, INVOICE_CENTS)
        for header, value in (("webhook-id", "msg_2"), ("webhook-timestamp", str(int(time.time()) - 1))):
            moved = self.sender.sign(event, timestamp=int(time.time())) | {header: value}
            self.assert_refused(self.paid_by(event, headers=moved), 401, "webhook-signature")

    def test_late_and_future_are_400_and_on_the_edge_200(self):
        for event, _, header in self.both():
            with self.subTest(header):
                now = int(time.time())
                late = self.paid_by(event, timestamp=now - TOLERANCE - 1)
                self.assert_refused(late, 400, "webhook-timestamp", "s ago", f"{TOLERANCE} s")
                # The clock goes on between the two: what is just too far ahead may not be any more.
                future = self.paid_by(event, timestamp=now + TOLERANCE + 600)
                self.assert_refused(future, 400, "webhook-timestamp", "in the future", f"{TOLERANCE} s")
        for event, _, header in self.both():
            with self.subTest(header):
                now = int(time.time())
                for timestamp in (now - TOLERANCE + 120, now + TOLERANCE):
                    self.assertEqual(self.paid_by(event, timestamp=timestamp).status, 200)

    def test_what_cannot_be_told_from_others_is_400(self):
        nameless = Event("stripe", "", {"type": "payment_intent.succeeded", "data": {}})
        self.assert_refused(self.paid_by(nameless), 400, "webhook-malformed", "/id")
        no_json = Event("stripe", "", "id=evt_1&type=charge.succeeded")
        self.assert_refused(self.paid_by(no_json), 400, "webhook-malformed", "JSON")
        event = payment_confirmed("msg_1", "pag_1", 1, INVOICE_CENTS)
        signed = self.sender.sign(event)
        del signed["webhook-id"]
        self.assert_refused(self.paid_by(event, headers=signed), 400, "webhook-malformed", "webhook-id")
        dotted = payment_confirmed("msg.1", "pag_1", 1, INVOICE_CENTS)
        self.assert_refused(self.paid_by(dotted), 400, "webhook-malformed", "webhook-id")

    def test_a_provider_that_nobody_configured_is_404(self):
        event = intent_succeeded("evt_1", "pi_1", 1, INVOICE_CENTS)
        answer = self.server.ask("POST", "/webhooks/strype", event.body.encode(), headers=self.sender.sign(event))
        self.assertEqual(answer.status, 404, answer)
        self.assertEqual(self.server.ask("GET", "/webhooks/stripe").status, 405)


class InboxTest(ReceiverTest):
    def setUp(self):
        super().setUp()
        self.installation.add_accounts()

    def test_a_redelivery_with_a_new_timestamp_is_a_duplicate(self):
        invoice = self.make_invoice()
        now = int(time.time())
        for event in (intent_succeeded("evt_1", "pi_1", invoice, 4000),
                      payment_confirmed("msg_1", "pag_1", invoice, 6000)):
            answers = [self.paid_by(event, timestamp=now - age) for age in (100, 100, 50, 0)]
            self.assertEqual([answer.status for answer in answers], [200] * 4)
            self.assertEqual([answer.json["duplicate"] for answer in answers], [False, True, True, True])
        # Stripe counts the addresses that have not answered yet, in the body.
        sent = intent_succeeded("evt_1", "pi_1", invoice, 4000).body
        fewer = Event("stripe", "evt_1", sent.replace('"pending_webhooks":1', '"pending_webhooks":0'))
        self.assertNotEqual(fewer.body, sent)
        self.assertTrue(self.paid_by(fewer).json["duplicate"])
        self.wait_for_state("done", 2)
        self.assertEqual(self.installation.count("umavez_inbox_quarantine"), 0)
        self.assertEqual(self.installation.rows("SELECT estado, valor_pago FROM faturas"), [("paga", "100.00")])

    def test_one_id_with_another_body_is_409_and_kept_apart(self):
        invoice = self.make_invoice()
        self.assertEqual(self.paid_by(intent_succeeded("evt_1", "pi_1", invoice, 4000)).status, 200)
        other = intent_succeeded("evt_1", "pi_2", invoice, 5000)
        for _ in range(2):  # and again: it stays one
            answer = self.paid_by(other)
            self.assertEqual((answer.status, answer.problem), (409, "webhook-quarantined"), answer)
        kept = json.loads(self.installation.run("webhook", "quarantine", "--json"))["quarantined"]
        self.assertEqual([(row["provider"], row["event_id"], row["body"]) for row in kept],
                         [("stripe", "evt_1", other.body)])
        self.wait_for_state("done")
        self.assertEqual(self.installation.rows("SELECT referencia, valor FROM pagamentos"), [("pi_1", "40.00")])

    def test_several_events_of_one_payment_pay_once(self):
        invoice = self.make_invoice()
        for event in (charge_succeeded("evt_2", "pi_1", invoice, INVOICE_CENTS),
                      intent_succeeded("evt_1", "pi_1", invoice, INVOICE_CENTS)):
            self.assertEqual(self.paid_by(event).json, {"received": True, "duplicate": False})
        self.wait_for_state("done", 2)
        self.assertEqual(self.installation.count("pagamentos"), 1)
        self.assertEqual(self.installation.count("concessoes"), 1)

    def test_a_type_that_nobody_handles_is_kept_and_ignored(self):
        self.assertEqual(self.paid_by(stripe_event("evt_1", "radar.early_fraud_warning.created", {})).status, 200)
        event = self.wait_for_state("ignored")[0]
        self.assertEqual((event["type"], event["event_id"], event["tenant"]),
                         ("radar.early_fraud_warning.created", "evt_1", "default"))
        self.assertIn("nobody handles", event["last_error"])

    def test_a_dead_event_tells_why_and_is_driven_again(self):
        invoice = self.make_invoice()
        for number in (1, 2):
            self.paid_by(intent_succeeded(f"evt_{number}", f"pi_{number}", invoice, 7000))
        dead = self.wait_for_state("dead")[0]
        self.assertIn("more than the balance of fatura", dead["last_error"])
        self.wait_for_state("done")
        code, _, complaint = self.installation.try_run("webhook", "redrive", str(dead["id"]))
        self.assertNotEqual(code, 0)
        self.assertIn("--reason", complaint)
        self.installation.run("webhook", "redrive", str(dead["id"]), "--reason", "tried again")
        again = support.wait_until("it died again", lambda: next(
            (event for event in self.events("--state", "dead") if event["run"] > dead["run"]), None))
        self.assertEqual(again["last_error"], dead["last_error"])
        self.assertEqual(self.installation.count("pagamentos"), 1)

    def test_an_event_before_its_invoice_is_driven_again_when_that_is_there(self):
        self.server.stop()
        self.installation.configure(settings=CALM.replace("attempts_max = 1000", "attempts_max = 1"))
        self.server.start()
        self.paid_by(payment_confirmed("msg_1", "pag_1", 1, INVOICE_CENTS))
        dead = self.wait_for_state("dead")[0]
        self.assertIn("no fatura 1", dead["last_error"])
        self.assertEqual(self.make_invoice(), 1)
        self.installation.run("webhook", "redrive", "all-dead", "--reason", "the invoice is there now")
        self.wait_for_state("done")
        self.assertEqual(self.installation.rows("SELECT estado FROM faturas"), [("paga",)])

    def test_an_event_of_a_subscription_that_comes_too_late_is_stale(self):
        self.make_invoice()
        subscription = {"metadata": {"assinatura_id": str(self.office.subscription)}}
        for id, created, status in (("evt_2", 1760000200, "past_due"), ("evt_1", 1760000100, "active")):
            self.paid_by(stripe_event(id, "customer.subscription.updated", subscription | {"status": status},
                                      created=created))
            self.wait_for_state("done")
        stale = self.wait_for_state("stale")[0]
        self.assertEqual(stale["event_id"], "evt_1")
        self.assertEqual(self.installation.rows("SELECT estado FROM assinaturas"), [("suspensa",)])


class TenantTest(ReceiverTest):
    def test_an_event_waits_until_its_account_has_a_tenant(self):
        invoice = self.make_invoice()
        self.assertEqual(self.paid_by(intent_succeeded("evt_1", "pi_1", invoice, INVOICE_CENTS)).status, 200)
        waiting = self.wait_for_state("waiting")[0]
        self.assertIsNone(waiting["tenant"])
        self.assertEqual(self.installation.count("pagamentos"), 0)
        self.installation.run("accounts", "add", "--provider", "stripe", "--tenant", "default")
        self.assertEqual(self.wait_for_state("done")[0]["tenant"], "default")
        self.assertEqual(self.installation.count("pagamentos"), 1)

    def test_an_account_of_another_tenant_does_not_pay_this_one(self):
        self.server.stop()
        self.installation.configure(PROVIDERS.replace('scheme = "stripe"', 'scheme = "stripe"\naccount = "/account"'))
        self.server.start()
        invoice = self.make_invoice()
        self.installation.run("accounts", "add", "--provider", "stripe", "--account", "acct_1", "--tenant", "default")
        self.installation.run("accounts", "add", "--provider", "stripe", "--account", "acct_2", "--tenant", "vizinho")
        paid = intent_succeeded("evt_1", "pi_1", invoice, INVOICE_CENTS)
        of = lambda account: Event("stripe", "evt_1", json.loads(paid.body) | {"account": account})
        self.assertEqual(self.paid_by(of("acct_2")).json, {"received": True, "duplicate": False})
        support.wait_until("it failed", lambda: [event for event in self.events() if event["attempts"] > 0])
        self.assertEqual(self.installation.count("pagamentos"), 0)
        # One id in two accounts is two events.
        self.assertEqual(self.paid_by(of("acct_1")).json, {"received": True, "duplicate": False})
        self.wait_for_state("done")
        self.assertEqual(self.installation.rows("SELECT tenant_id FROM pagamentos"), [("default",)])


class SecretsTest(ReceiverTest):
    def restart_with(self, providers):
        self.server.stop()
        self.installation.configure(providers)
        self.server.start()

    def test_while_secrets_are_changed_both_sign_and_then_the_old_one_does_not(self):
        pairs = ((STRIPE_SECRET, OTHER_STRIPE_SECRET), (STANDARD_SECRET, OTHER_STANDARD_SECRET))
        both, new = PROVIDERS, PROVIDERS
        for old_secret, new_secret in pairs:
            both = both.replace(f'"{old_secret}"', f'"{new_secret}", "{old_secret}"')
            new = new.replace(old_secret, new_secret)

        def statuses(life):
            made = ((intent_succeeded, "evt", "stripe"), (payment_confirmed, "msg", "loja"))
            return [[self.paid_by(make(f"{word}_{life}_{number}", f"p{number}", 1, 1), secret=secret).status
                     for number, secret in enumerate(pair)] for (make, word, _), pair in zip(made, pairs)]

        self.assertEqual(statuses(1), [[200, 401], [200, 401]])
        self.restart_with(both)
        self.assertEqual(statuses(2), [[200, 200], [200, 200]])
        self.restart_with(new)
        self.assertEqual(statuses(3), [[401, 200], [401, 200]])


class ConfigurationTest(support.TestCase):
    """What is wrong is said before anything starts, with the name of the key."""

    CASES = (
        ('name = "loja"\nscheme = "stripe"\nsecrets = [""]\n', ("loja", "secrets", "empty")),
        ('name = "loja"\nscheme = "stripe"\nsecrets = []\n', ("webhook.provider.secrets", "one secret at least")),
        ('name = "loja"\nscheme = "stripe"\n', ("loja", "secrets", "none")),
        ('name = "loja"\nscheme = "strype"\nsecrets = ["a"]\n', ("loja", "scheme", "strype", "stripe")),
        ('name = "loja"\nscheme = "stripe"\nsecret = ["a"]\n', ("webhook.provider.secret:", "secrets")),
        ('name = "A loja"\nscheme = "stripe"\nsecrets = ["a"]\n', ("A loja", "name")),
        ('name = "loja"\nscheme = "standard-webhooks"\nsecrets = ["abc"]\n', ("loja", "secrets", "whsec_")),
        ('name = "loja"\nscheme = "stripe"\nsecrets_env = "SEM_SEGREDO"\n', ("loja", "secrets_env", "SEM_SEGREDO")),
        ('name = "loja"\nscheme = "stripe"\nsecrets = ["a"]\ntolerance = "5"\n', ("tolerance", '"5"')),
    )
    OTHERS = (
        ('[webhook.provider]\nname = "loja"\n', ("[[webhook.provider]]",)),
        ('[webhook]\nthread = 8\n', ("webhook.thread", "threads")),
        (PROVIDERS + PROVIDERS, ("stripe", "two of this name")),
    )

    def test_a_configuration_that_is_wrong_does_not_start(self):
        cases = [("[[webhook.provider]]\n" + text, words) for text, words in self.CASES]
        for text, words in [*cases, *self.OTHERS]:
            for command in ("serve", "worker"):
                with self.subTest(command + " " + text), Installation(providers=text, settings="") as installation:
                    arguments = ("--listen", "127.0.0.1:0") if command == "serve" else ()
                    code, _, complaint = installation.try_run(command, *arguments)
                    self.assertNotEqual(code, 0)
                    for word in words:
                        self.assertIn(word, complaint)
                    self.assertEqual(complaint.count("\n"), 1, complaint)


if __name__ == "__main__":
    support.run_tests()
