#!/usr/bin/env python3
"""A stream of payments by webhook while receivers and workers are killed: every invoice has exactly what was sent.

600 deliveries on each database, 50,000 with UMAVEZ_TORTURE=1: 30 % duplicates, out of order, some before their invoice
is there. UMAVEZ_SEED draws the same events and kills again, not the same interleaving.
"""

import collections
import os
import random
import time

import support
from installation import Installation
from ledger import PAYMENTS_PER_INVOICE, Ledger, Office
from postgres import Postgres
from providers import Providers

TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
DELIVERIES = 50000 if TORTURE else 600
LATE_INVOICES = 10
SECONDS = 3600 if TORTURE else support.WAIT_SECONDS
SEED = int(os.environ.get("UMAVEZ_SEED") or random.randrange(2**32))

# What a provider meets whose receiver dies, or whose receiver's database stands still.
MET = {"200", "503", "ECONNREFUSED", "ECONNRESET", "EPIPE", "socket hang up", "no answer"}
RECEIVER_POINTS = ("handler_before_effect", "handler_after_effect")
WORKER_POINTS = ("claim_before_write", "claim_after_write", "handler_before_effect", "atomic_after_claim",
                 "atomic_after_handler", "handler_after_effect")
SQLITE_POINTS = ("lane_before_commit", "lane_after_commit", *WORKER_POINTS)


def rounds_of(points):
    """How often somebody dies: everywhere twice at least, and once between 200 deliveries."""
    return max(2 * (len(points) + 1), DELIVERIES // 200)


def some(rows):
    """As much as a message can show."""
    return sorted(rows)[:5]


class Victim:
    """A node that dies in a round: at a fault point, or (None) whenever. `share` of the deliveries of the round
    certainly bring it there."""

    def __init__(self, node, point, share):
        self.node = node
        self.point = point
        self.share = share
        self.arrival = 1

    def arm(self, deliveries, draw):
        self.arrival = draw.randint(1, max(1, int(self.share * deliveries)))
        if self.node.is_running:
            self.node.stop()
        self.node.start(kill_at=self.point and f"{self.point}:{self.arrival}")

    def wait_dead(self):
        if self.point:
            self.node.wait_killed()
        else:
            self.node.kill()


class Storm:
    """Sends what the ledger holds in rounds; in each of them something dies, and is started again."""

    def __init__(self, installation, sender, receivers, office, rounds):
        self.rounds = rounds
        self.draw = random.Random(SEED)
        self.installation = installation
        self.sender = sender
        self.receivers = receivers
        self.office = office
        self.seen = collections.Counter()
        self.kills = collections.Counter()
        invoices = DELIVERIES * 7 // 10 // PAYMENTS_PER_INVOICE
        known = [office.add_invoice() for _ in range(invoices - LATE_INVOICES)]
        # Ids are given out one after the other, and nobody else makes invoices.
        self.late = [known[-1] + 1 + number for number in range(LATE_INVOICES)]
        self.ledger = Ledger(DELIVERIES, known, self.late, SEED)

    def slice(self, number):
        every = self.ledger.deliveries
        return every[len(every) * number // self.rounds:len(every) * (number + 1) // self.rounds]

    def run_round(self, number, victims, idle=()):
        """`idle` nodes do not run before the victims are dead: so these certainly reach their points."""
        for node in idle:
            node.stop()
        for victim in victims:
            victim.arm(len(self.slice(number)), self.draw)
        now = int(time.time())
        sent = [self.sender.send(delivery.event, self.receivers, now if delivery.has_fixed_time else None)
                for delivery in self.slice(number)]
        self.sender.wait_for_some(sent, len(sent) // 4 if any(not victim.point for victim in victims) else 0)
        for victim in victims:
            victim.wait_dead()
            self.kills[victim.node.command, victim.point or "anywhere"] += 1
        for node in [*idle, *(victim.node for victim in victims)]:
            node.start()
        for outcome in self.sender.wait_for(sent):
            if outcome["status"] != 200 and set(outcome["seen"]) <= MET:
                raise support.not_met("a delivery is taken", support.WAIT_SECONDS, lambda: outcome)
            assert outcome["status"] == 200, outcome
            self.seen.update(outcome["seen"])

    def make_late_invoices(self):
        """When each of their events has been tried in vain."""
        early = {(of.event.provider, of.event.id) for of in self.ledger.deliveries if of.is_early}
        tried = lambda: self.installation.count("umavez_inbox", "attempts > 0")
        support.wait_until("early events fail", lambda: tried() >= len(early))
        made = [self.office.add_invoice() for _ in self.late]
        assert made == self.late, f"the ids {made} were foreseen as {self.late}"


class StormTest(support.TestCase):
    def setUp(self):
        self.began = time.monotonic()
        self.sender = self.enterContext(Providers())
        print(f"UMAVEZ_SEED={SEED}")

    def test_one_server_on_sqlite(self):
        installation = self.enterContext(Installation())
        server = installation.node("serve").start()
        installation.add_accounts()
        storm = Storm(installation, self.sender, [server], Office(server), rounds_of(SQLITE_POINTS))
        for number in range(storm.rounds):
            point = [*SQLITE_POINTS, None][number % (len(SQLITE_POINTS) + 1)]
            storm.run_round(number, [Victim(server, point, 1 / 6)])
            if number == storm.rounds * 2 // 3:
                storm.make_late_invoices()
        self.assert_all_killed(storm, {("serve", point) for point in SQLITE_POINTS})
        self.check(storm)
        server.stop()
        self.assertEqual(installation.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(installation.rows("PRAGMA foreign_key_check"), [])

    def test_receivers_and_workers_on_postgres(self):
        installation = self.enterContext(Installation(self.enterContext(Postgres())))
        office = installation.node("serve", "--no-worker").start()
        installation.add_accounts()
        receivers = [installation.node("serve", "--no-worker").start() for _ in range(2)]
        workers = [installation.node("worker").start() for _ in range(2)]
        storm = Storm(installation, self.sender, receivers, Office(office), rounds_of(WORKER_POINTS))
        for number in range(storm.rounds):
            receiver = Victim(receivers[number % 2], [*RECEIVER_POINTS, None][number % 3], 1 / 8)
            point = [*WORKER_POINTS, None][number % (len(WORKER_POINTS) + 1)]
            worker, other = workers[number % 2], workers[1 - number % 2]
            storm.run_round(number, [receiver, Victim(worker, point, 1 / 16)], [other] if point else [])
            if number == storm.rounds * 2 // 3:
                storm.make_late_invoices()
        self.assert_all_killed(storm, {("serve", point) for point in RECEIVER_POINTS} |
                               {("worker", point) for point in WORKER_POINTS})
        self.check(storm)

    def assert_all_killed(self, storm, wanted):
        # Each death was shown to be the one that was asked for.
        self.assertLessEqual(wanted, set(storm.kills))
        self.assertGreater(sum(count for (_, point), count in storm.kills.items() if point == "anywhere"), 0)

    def check(self, storm):
        installation, ledger = storm.installation, storm.ledger
        self.assertLessEqual(set(storm.seen), MET)
        self.assertGreater(sum(storm.seen.values()), len(ledger.deliveries), "nothing was ever retried")
        installation.wait_settled(SECONDS)

        inbox = installation.rows("SELECT provider, event_id, state FROM umavez_inbox")
        self.assertEqual(some({row[:2] for row in inbox} ^ ledger.event_ids), [])
        self.assertEqual(collections.Counter(row[2] for row in inbox), {"done": len(ledger.event_ids)})
        self.assertEqual(installation.count("umavez_inbox_quarantine"), 0)
        self.assert_as_the_ledger(installation, ledger)
        print(f"{len(ledger.deliveries)} deliveries of {len(inbox)} events, {len(ledger.payments)} payments, "
              f"{len(ledger.invoice_rows())} invoices; kills: {dict(storm.kills)}; met: {dict(storm.seen)}; "
              f"{time.monotonic() - self.began:.1f} s")

    def assert_as_the_ledger(self, installation, ledger):
        for query, expected in (
                ("SELECT origem, referencia, fatura_id, valor FROM pagamentos", ledger.payment_rows()),
                ("SELECT id, valor_pago, estado FROM faturas", ledger.invoice_rows()),
                ("SELECT fatura_id FROM concessoes", ledger.granted_rows()),
                ("SELECT substr(aggregate, 8) FROM umavez_outbox WHERE type = 'fatura.paga'", ledger.granted_rows())):
            rows = installation.rows(query)
            self.assertEqual(len(rows), len(set(rows)), query)
            self.assertEqual(some(set(rows) ^ expected), [], query)
        told = installation.count("umavez_outbox", "type = 'pagamento.aplicado'")
        self.assertEqual(told, len(ledger.payments))


if __name__ == "__main__":
    support.run_tests()
