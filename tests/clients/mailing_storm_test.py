#!/usr/bin/env python3
"""Mailings while everything around them fails: workers are killed where it hurts and at random, one sleeps past its
lock, the broker is killed, every message is delivered twice. The SMTP server counts, not we.

480 recipients, 50,000 with UMAVEZ_TORTURE=1. UMAVEZ_SEED draws the same kills again, not the same interleaving.
"""

import collections
import os
import random
import signal
import time

import support
from amqp import Amqp, Refused
from mailing import MailingInstallation, Mailings, adds_up, csv_of
from postgres import Postgres
from rabbitmq import RabbitMq
from smtp import Sink
from support import wait_until

TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
ROUNDS = 60 if TORTURE else 8  # of which two fall to the broker's death; every other one dies twice at least
RECIPIENTS = 50000 if TORTURE else 60 * ROUNDS
SECONDS = 3600 if TORTURE else 2 * support.WAIT_SECONDS
SEED = int(os.environ.get("UMAVEZ_SEED") or random.randrange(2**32))
# Slow enough that there is something to interrupt.
RATE = 0 if TORTURE else 40
# They end soon, also those of a worker that is slow: it finds that it lost a mailing.
LOCK_SECONDS = 2
LOCK_TIMEOUT = f"{LOCK_SECONDS}s"
POLICIES = ("no-maximo-uma", "ao-menos-uma")
POINTS = ("handler_before_effect", "handler_after_effect")
THREADS, BATCH = 2, 8
# What a worker leaves uncertain that loses a mailing: one batch, which one transaction marks and the next writes down.
# One that dies loses as many mailings as it has threads; one that lives says of each that it lost it.
LOST_PER_DEATH = THREADS


class Shadow:
    """Publishes every message once more, with the same id and properties, as a broker that redelivers would."""

    def __init__(self, broker):
        self.broker = broker
        self.copied = set()
        with Amqp(broker.url) as connection:
            connection.declare_exchange("umavez.work", "direct")
            connection.declare_queue("shadow", x_queue_type="quorum")
            connection.bind("shadow", "umavez.work", "mailing")

    def copy(self):
        """What came since; tells how many. What is held back comes by again and is not copied again."""
        count = 0
        with Amqp(self.broker.url) as connection:
            for message in connection.drain("shadow"):
                id = message.properties["message_id"]
                if id in self.copied:
                    continue
                try:
                    connection.publish("", "umavez.mailing", message.body, raw=message.raw)
                except Refused:  # nobody declared the queue yet
                    connection.publish("", "shadow", message.body, raw=message.raw)
                    continue
                self.copied.add(id)
                count += 1
        return count


class Uploaded:
    def __init__(self, number, size, mailings):
        self.policy = POLICIES[number % 2]
        self.name = f"mailing-{number}"
        self.sender = f"news{number}@loja.example"  # by it the SMTP server's notes tell mailings apart
        # One is in all of them, and gets as many messages as there are mailings.
        self.addresses = ["todos@example.com", *(f"p{each}@m{number}.example" for each in range(1, size))]
        content = csv_of(self.addresses)
        self.id = mailings.upload(f"{self.name}.csv", content, remetente=self.sender, incerteza=self.policy)
        again = mailings.upload(f"{self.name}.csv", content, remetente=self.sender, incerteza=self.policy)
        assert again == self.id, "an upload that is repeated is the same mailing"


class LedgerTest(support.TestCase):
    """Compares what the ledger says with what the SMTP server has."""

    def count_mails(self):
        got = collections.Counter()
        message_ids = collections.defaultdict(set)
        for mail in self.sink.accepted():
            got[mail.sender, mail.to] += 1
            message_ids[mail.message_id].add((mail.sender, mail.to))
        self.assertTrue(all(len(mails) == 1 for mails in message_ids.values()), "a Message-ID names one mail")
        self.assertEqual(len(message_ids), len(got), "a mail that is sent again has the same Message-ID")
        self.assertLessEqual(set(got), {(each.sender, to) for each in self.uploaded for to in each.addresses})
        return got

    def check_one(self, uploaded, got):
        """Tells how many of a mailing are uncertain."""
        mailing = self.mailings.get(uploaded.id)
        self.assertTrue(adds_up(mailing), mailing)
        self.assertEqual((mailing["counts"]["entries"], mailing["counts"]["pending"], mailing["counts"]["failed"]),
                         (len(uploaded.addresses), 0, 0), mailing)
        entries = self.mailings.entries(uploaded.id)
        self.assertEqual(sorted(entry["email"] for entry in entries), sorted(uploaded.addresses))
        uncertain = {entry["email"] for entry in entries if entry["uncertain"]}
        self.assertEqual(uncertain, self.mailings.uncertain(uploaded.id))
        count = {address: got[uploaded.sender, address] for address in uploaded.addresses}
        wrong = {address: mails for address, mails in count.items() if mails != 1 and address not in uncertain}
        self.assertEqual(wrong, {}, f"{uploaded.policy}: neither one message nor uncertain")
        if uploaded.policy == "no-maximo-uma":
            self.assertEqual({address for address, mails in count.items() if mails > 1}, set(), "nobody ever gets two")
            unsure = {entry["email"] for entry in entries if entry["status"] == "UNKNOWN"}
            self.assertEqual(unsure, uncertain)
        else:
            self.assertEqual({address for address, mails in count.items() if mails == 0}, set(), "nobody gets none")
            self.assertEqual({entry["status"] for entry in entries}, {"SENT"})
        return len(uncertain)

class StormTest(LedgerTest):
    def setUp(self):
        self.began = time.monotonic()
        self.draw = random.Random(SEED)
        self.kills = collections.Counter()
        self.uploaded = []
        print(f"UMAVEZ_SEED={SEED}")
        self.sink = self.enterContext(Sink(keeps=False))
        self.broker = self.enterContext(RabbitMq())
        self.shadow = Shadow(self.broker)
        before = f'smtp = "{self.sink.url}"\nbroker = "{self.broker.url}"\n'
        self.installation = self.enterContext(MailingInstallation(
            self.enterContext(Postgres()), before, lock_timeout=LOCK_TIMEOUT, threads=THREADS, batch=BATCH, rate=RATE))
        self.server = self.installation.node("serve", "--no-worker").start()
        self.mailings = Mailings(self.server)
        self.workers = [self.installation.node("worker").start() for _ in range(3)]

    def upload(self):
        """The mailing of a round, whose message comes twice."""
        number = len(self.uploaded)
        size = RECIPIENTS // ROUNDS
        self.uploaded.append(Uploaded(number, size, self.mailings))
        return self.uploaded[-1]

    def wait_copied(self):
        wait_until("a message is copied", self.shadow.copy, SECONDS, pause=0.2)

    def accepted_of(self, uploaded):
        return sum(mail.sender == uploaded.sender for mail in self.sink.accepted())

    def wait_some(self, uploaded):
        wait_until("some of it is sent", lambda: self.accepted_of(uploaded) >= 5, SECONDS)

    def restart(self, *workers):
        for worker in workers:
            if not worker.is_running:
                worker.start()

    def leave_alone(self, victim):
        for worker in self.workers:
            if worker is not victim and worker.is_running:
                worker.stop()

    def die_at(self, victim, point):
        """It alone works, so it certainly comes there."""
        self.leave_alone(victim)
        victim.stop()
        victim.start(kill_at=f"{point}:{self.draw.randint(5, RECIPIENTS // ROUNDS // 3)}")
        self.upload()
        victim.wait_killed(SECONDS)
        self.kills[point] += 1
        self.installation.let_takings_end()
        self.restart(*self.workers)
        self.wait_copied()

    def die_anywhere(self, victim):
        uploaded = self.upload()
        self.wait_copied()
        self.wait_some(uploaded)
        victim.kill()
        self.kills["anywhere"] += 1
        self.installation.let_takings_end()
        self.restart(victim)

    def sleep_past_the_lock(self, victim):
        """Stopped while it sends, and continued when others have done its work."""
        self.leave_alone(victim)
        uploaded = self.upload()
        self.wait_copied()
        self.wait_some(uploaded)
        victim.signal(signal.SIGSTOP)
        try:
            self.restart(*self.workers)
            self.mailings.wait_for(uploaded.id, "COMPLETED", seconds=SECONDS)
        finally:
            victim.signal(signal.SIGCONT)
        self.kills["stopped"] += 1

    def kill_broker(self):
        uploaded = self.upload()
        self.wait_copied()
        self.wait_some(uploaded)
        self.broker.kill()
        self.upload()  # it is taken all the same
        self.broker.start()
        self.installation.let_takings_end()
        self.wait_copied()
        self.kills["broker"] += 1

    def test_each_recipient_has_one_message(self):
        steps = [lambda victim, point=point: self.die_at(victim, point) for point in POINTS]
        steps += [self.die_anywhere, self.sleep_past_the_lock]
        while len(self.uploaded) < ROUNDS:
            number = len(self.uploaded)
            if number == ROUNDS // 2:
                self.kill_broker()
            else:
                steps[number % len(steps)](self.workers[number % 3])
        self.wait_over()
        self.check()

    def left(self):
        return [each for each in self.mailings.list(limit=100) if each["status"] != "COMPLETED"]

    def wait_over(self):
        wait_until("all mailings are over", lambda: [self.shadow.copy()] and not self.left(), SECONDS, self.left, 0.2)
        wait_until("nothing is queued", self.is_empty, SECONDS, pause=0.2)
        for node in self.installation.nodes[1:]:
            node.stop()
        self.shadow.copy()  # a mailing that was forgotten is woken at any time

    def is_empty(self):
        self.shadow.copy()
        with Amqp(self.broker.url) as connection:
            return not any(connection.count(f"umavez.mailing{end}") for end in ("", ".held"))

    def check(self):
        with Amqp(self.broker.url) as connection:
            self.assertEqual(connection.drain("umavez.mailing.dead"), [])
        published = "SELECT message_id FROM umavez_messages WHERE state = 'published'"
        ids = {row[0] for row in self.installation.rows(published)}
        self.assertGreaterEqual(len(ids), len(self.uploaded))
        self.assertLessEqual(ids, self.shadow.copied, "every message came twice")
        got = self.count_mails()
        uncertain = sum(self.check_one(uploaded, got) for uploaded in self.uploaded)
        # What they say of themselves is believed so far as somebody died or was stopped, and once for a machine that
        # stood still for longer than the locks last.
        disturbed = sum(self.kills.values())
        lost = sum(node.events["mailing_lost"] for node in self.installation.nodes)
        lost = min(lost, disturbed + THREADS * len(self.workers))
        self.assertLessEqual(uncertain, BATCH * (LOST_PER_DEATH * disturbed + lost))
        print(f"{sum(len(each.addresses) for each in self.uploaded)} recipients of {len(self.uploaded)} mailings, "
              f"{sum(got.values())} mails accepted, {uncertain} uncertain; deaths: {dict(self.kills)}; "
              f"{time.monotonic() - self.began:.1f} s")


class StoreAwayTest(LedgerTest):
    """The database goes away while two workers send, for longer than their locks last."""

    def setUp(self):
        self.postgres = self.enterContext(Postgres())
        self.sink = self.enterContext(Sink(keeps=False))
        before = f'smtp = "{self.sink.url}"\n'
        self.installation = self.enterContext(MailingInstallation(
            self.postgres, before, lock_timeout=LOCK_TIMEOUT, threads=THREADS, batch=BATCH, rate=50))
        self.mailings = Mailings(self.installation.node("serve", "--no-worker").start())
        for _ in range(2):
            self.installation.node("worker").start()
        self.uploaded = [Uploaded(number, 100, self.mailings) for number in range(len(POLICIES))]
        wait_until("some are sent", lambda: len(self.sink.accepted()) > 40)

    def wait_past_the_locks(self):
        """A database that is away tells nobody anything: time alone ends a lock."""
        before, began = len(self.sink.accepted()), time.monotonic()
        wait_until("locks end", lambda: time.monotonic() - began > LOCK_SECONDS + 1)
        # What was marked may be handed over, and no more.
        self.assertLessEqual(len(self.sink.accepted()) - before, len(self.uploaded) * BATCH)

    def check(self):
        for uploaded in self.uploaded:
            self.mailings.wait_for(uploaded.id, "COMPLETED", seconds=SECONDS)
        got = self.count_mails()
        for uploaded in self.uploaded:
            self.check_one(uploaded, got)

    def test_it_does_not_answer(self):
        self.postgres.freeze(True)
        self.wait_past_the_locks()
        self.postgres.freeze(False)
        self.check()

    def test_it_is_down(self):
        self.postgres.stop()
        self.wait_past_the_locks()
        self.postgres.start()
        self.check()


if __name__ == "__main__":
    support.run_tests()
