#!/usr/bin/env python3
"""Webhooks and several processes: many copies at once, a worker that is stopped beyond its lease, a store that is
away."""

import itertools
import signal
import time

import support
from installation import Installation
from ledger import INVOICE_CENTS, Office
from postgres import Postgres
from providers import Providers, intent_succeeded, need_packages, payment_confirmed
from support import wait_until

COPIES = 50


class ProcessesTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        need_packages()

    def setUp(self):
        self.sender = self.enterContext(Providers())

    def open(self, postgres=None):
        self.installation = self.enterContext(Installation(postgres))

    def assert_paid_once(self, invoice):
        rows = lambda query: self.installation.rows(f"{query} = {invoice}")
        self.assertEqual(rows("SELECT valor FROM pagamentos WHERE fatura_id"), [("100.00",)])
        self.assertEqual(rows("SELECT estado, valor_pago FROM faturas WHERE id"), [("paga", "100.00")])
        self.assertEqual(rows("SELECT count(*) FROM concessoes WHERE fatura_id"), [("1",)])


class CopiesTest(ProcessesTest):
    def deliver(self, event, server, headers):
        """As providers do: again, where a store that stands still had it told so. Its answers, the last one last."""
        answers = []

        def taken():
            answers.append(self.sender.deliver(event, server, headers=headers, patient=False))
            return answers[-1].status != 503
        wait_until(f"{event.id} is taken", taken)
        return answers

    def send_copies(self, servers, office):
        self.installation.add_accounts()
        for make, id in ((intent_succeeded, "evt_1"), (payment_confirmed, "msg_1")):
            with self.subTest(id):
                invoice = office.add_invoice()
                event = make(id, f"pagamento-{id}", invoice, INVOICE_CENTS)
                headers = [self.sender.sign(event, timestamp=int(time.time()) - number % 5) for number in range(COPIES)]
                answers = support.in_threads(COPIES, lambda number: self.deliver(
                    event, servers[number % len(servers)], headers[number]))
                self.assertEqual({each[-1].status for each in answers}, {200})
                first = [each[-1].json["duplicate"] for each in answers].count(False)
                # What was told to come again may have been kept all the same.
                self.assertIn(first, (0, 1) if any(len(each) > 1 for each in answers) else (1,))
                self.installation.wait_settled()
                self.assert_paid_once(invoice)
        self.assertEqual(self.installation.count("umavez_inbox"), 2)
        self.assertEqual(self.installation.count("umavez_inbox_quarantine"), 0)

    def test_fifty_at_once_on_sqlite(self):
        self.open()
        server = self.installation.node("serve").start()
        self.send_copies([server], Office(server))

    def test_fifty_at_once_on_three_processes_over_postgres(self):
        self.open(self.enterContext(Postgres()))
        servers = [self.installation.node("serve").start() for _ in range(3)]
        self.send_copies(servers, Office(servers[0]))


class StoppedWorkerTest(ProcessesTest):
    """A worker is stopped by SIGSTOP while it surely holds a lease: it is in its transaction, where a table that we
    hold made it wait."""

    def setUp(self):
        super().setUp()
        self.postgres = self.enterContext(Postgres())
        self.open(self.postgres)
        self.server = self.installation.node("serve", "--no-worker").start()
        self.installation.add_accounts()
        self.office = Office(self.server)
        self.worker, self.other = self.installation.node("worker"), self.installation.node("worker")
        self.addCleanup(self.let_go)

    def let_go(self):
        if self.worker.is_running:
            self.worker.signal(signal.SIGCONT)

    def stop_inside(self, table, number):
        """Tries once; gives the invoice, or None if the worker gave up waiting before it was stopped, began anew
        perhaps, or if PostgreSQL gave up on it before we looked."""
        invoice = self.office.add_invoice()
        with self.postgres.session() as holder, self.postgres.session() as watcher:
            holder.run(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            self.worker.start(watched=True)
            answer = self.sender.deliver(intent_succeeded(f"evt_{number}", f"pi_{number}", invoice, INVOICE_CENTS),
                                         self.server)
            self.assertEqual(answer.status, 200, answer)
            waits = (f"SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active' "
                     f"AND query LIKE '%{table}%' AND query NOT LIKE '%pg_stat%' AND query NOT LIKE 'UPDATE%'")
            backend = wait_until("the worker waits in its transaction", lambda: watcher.run(waits))[0]
            self.worker.signal(signal.SIGSTOP)
            holder.run("COMMIT")
            # Its statement is answered, and nobody reads the answer.
            state = wait_until("the lock was given or refused", lambda: [line for line in watcher.run(
                f"SELECT coalesce((SELECT state FROM pg_stat_activity WHERE pid = {backend}), 'gone')")
                if line != "active"])
        self.assertGreaterEqual(self.worker.arrivals.count("claim_after_write"), 1)
        if state != ["idle in transaction"] or self.worker.arrivals.count("claim_after_write") > 1:
            return None
        self.assertEqual(self.worker.arrivals.count("handler_after_effect"), 0)
        return invoice

    def stop_surely(self, table):
        numbers = itertools.count()

        def stopped():
            invoice = self.stop_inside(table, next(numbers))
            if invoice is not None:
                return invoice
            # It waited a second for the lock, and was stopped after that.
            self.worker.signal(signal.SIGCONT)
            self.installation.wait_settled()
            self.worker.stop()
            return None
        return wait_until("the worker is stopped while it waits for the lock", stopped, 3 * support.WAIT_SECONDS)

    def assert_nothing_changes(self, invoice):
        before = self.snapshot()
        self.worker.signal(signal.SIGCONT)
        # It comes to the end of what it was doing before it stops.
        self.worker.stop()
        self.assertGreaterEqual(self.worker.arrivals.count("handler_after_effect"), 1)
        self.assertEqual(self.snapshot(), before)
        self.assert_paid_once(invoice)

    def snapshot(self):
        """All but when events were given out: that goes on."""
        wanted = ("* FROM pagamentos", "* FROM faturas", "* FROM concessoes", "* FROM umavez_inbox",
                  "id, message_id, aggregate, type, data FROM umavez_outbox")
        return [sorted(self.installation.rows(f"SELECT {each}")) for each in wanted]

    def test_stopped_before_it_wrote_anything(self):
        invoice = self.stop_surely("provider_accounts")
        self.assertEqual(self.installation.count("pagamentos", f"fatura_id = {invoice}"), 0)
        self.other.start()
        self.installation.wait_settled()
        self.assert_paid_once(invoice)
        self.assert_nothing_changes(invoice)

    def test_stopped_with_the_payment_written_and_not_committed(self):
        invoice = self.stop_surely("concessoes")
        # It holds the invoice: the other one gets it when PostgreSQL ends a transaction that does nothing.
        self.other.start()
        self.installation.wait_settled()
        self.assert_paid_once(invoice)
        self.assert_nothing_changes(invoice)


class StoreAwayTest(ProcessesTest):
    def setUp(self):
        super().setUp()
        self.postgres = self.enterContext(Postgres())
        self.open(self.postgres)
        self.server = self.installation.node("serve").start()
        self.installation.add_accounts()
        self.invoice = Office(self.server).add_invoice()
        self.event = intent_succeeded("evt_1", "pi_1", self.invoice, INVOICE_CENTS)

    def assert_told_to_send_again(self):
        """While the store is away. How soon is measured where clocks are (tests/faults/postgres_bounds_test.cpp)."""
        answer = self.sender.deliver(self.event, self.server, patient=False)
        self.assertEqual((answer.status, answer.problem), (503, "store-unavailable"), answer)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)

    def assert_taken_once_after_retries(self, come_back):
        sent = self.sender.send(self.event, [self.server])
        come_back()
        outcome = self.sender.wait_for([sent])[0]
        self.assertEqual(outcome["status"], 200, outcome)
        self.assertTrue(self.sender.deliver(self.event, self.server).json["duplicate"])
        self.installation.wait_settled()
        self.assert_paid_once(self.invoice)

    def test_a_store_that_is_down(self):
        self.postgres.stop()
        for _ in range(2):
            self.assert_told_to_send_again()
        self.assert_taken_once_after_retries(self.postgres.start)

    def test_a_store_that_does_not_answer(self):
        self.postgres.freeze(True)
        self.assert_told_to_send_again()
        self.assert_taken_once_after_retries(lambda: self.postgres.freeze(False))


if __name__ == "__main__":
    support.run_tests()
