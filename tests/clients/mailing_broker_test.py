#!/usr/bin/env python3
"""The way of a message through RabbitMQ: what dies between publishing and marking, a broker that is away for a while,
queues that are not as they have to be, messages that nobody can use."""

import json
import os
import unittest
import uuid

import support
from amqp import Amqp, count
from mailing import MailingInstallation, Mailings, csv_of, peak_kib
from postgres import Postgres
from rabbitmq import RabbitMq
from smtp import Sink
from support import WAIT_SECONDS, wait_until

TORTURE = os.environ.get("UMAVEZ_TORTURE", "") not in ("", "0")
BACKLOG = 100000 if TORTURE else 1000
SECONDS = 600 if TORTURE else WAIT_SECONDS
MEMORY_KIB = 32 * 1024
QUEUE, DEAD, HELD = "umavez.mailing", "umavez.mailing.dead", "umavez.mailing.held"


def setUpModule():
    BrokerTest.postgres = unittest.enterModuleContext(Postgres())
    BrokerTest.broker = unittest.enterModuleContext(RabbitMq())


class BrokerTest(support.TestCase):
    postgres = broker = None

    def setUp(self):
        # One broker for all: each test begins with none of our queues.
        with Amqp(self.broker.url) as connection:
            for queue in (QUEUE, DEAD, HELD):
                connection.delete_queue(queue)
        self.sink = self.enterContext(Sink())
        before = f'smtp = "{self.sink.url}"\nbroker = "{self.broker.url}"\n'
        self.installation = self.enterContext(MailingInstallation(self.postgres.fresh(), before))
        self.server = self.installation.node("serve", "--no-worker").start()
        self.worker = self.installation.node("worker")
        self.mailings = Mailings(self.server)

    def messages(self, **where):
        return self.installation.count("umavez_messages", " AND ".join(
            f"{name} = '{value}'" for name, value in where.items()) or "1 = 1")

    def add_rows(self, values, source):
        """Rows of the outbox: message_id, queue, aggregate, type and data as SQL."""
        self.installation.write(
            f"INSERT INTO umavez_messages (tenant_id, state, due_at, created_at, changed_at, message_id, queue, "
            f"aggregate, type, data) SELECT 'default', 'pending', 0, 0, 0, {values} FROM {source}")


class OutboxTest(BrokerTest):
    def test_killed_between_publishing_and_marking(self):
        with Amqp(self.broker.url) as connection:
            connection.declare_exchange("umavez.work", "direct")
            connection.declare_queue("copies", x_queue_type="quorum")
            connection.bind("copies", "umavez.work", "mailing")
            id = self.mailings.upload("morre.csv", csv_of(["ana@example.com"]))
            # What it does first is to publish.
            self.worker.start(kill_at="handler_after_effect:1")
            self.worker.wait_killed()
            first = wait_until("it is published", lambda: connection.get("copies"))
            self.assertEqual(self.messages(state="pending"), 1, "it was not marked")
            self.installation.let_takings_end()
            self.worker.start()
            self.mailings.wait_for(id, "COMPLETED")
            wait_until("it is marked", lambda: self.messages(state="pending") == 0)
            again = connection.drain("copies")
            connection.delete_queue("copies")
        # Again, under the same id. Where a worker is slow the mailing may have got another wake-up besides.
        self.assertIn(first.properties["message_id"], {message.properties["message_id"] for message in again})
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1})

    def test_a_broker_that_is_away_with_many_rows(self):
        with Amqp(self.broker.url) as connection:
            connection.declare_exchange("umavez.events", "topic")
            connection.declare_queue("eventos", x_queue_type="quorum")
            connection.bind("eventos", "umavez.events", "fatura.*")
        self.worker.start()
        # A queue that was declared a moment ago is not yet safe at a broker that is killed.
        id = self.mailings.upload("antes.csv", csv_of(["ana@example.com"]))
        self.mailings.wait_for(id, "COMPLETED")
        self.broker.stop()
        try:
            self.add_rows(
                "'lote-' || number, 'events', 'fatura/' || number % 1000, 'fatura.paga', '{\"id\":' || number || '}'",
                f"generate_series(1, {BACKLOG}) AS number")
            late = self.mailings.upload("durante.csv", csv_of(["bia@example.com"]))
            self.worker.log.wait_for("broker")
            self.assertEqual(self.mailings.get(late)["status"], "QUEUED")
            before = peak_kib(self.worker.process)
        finally:
            self.broker.start()
        self.installation.let_takings_end()  # of what could not be published
        self.mailings.wait_for(late, "COMPLETED", seconds=SECONDS)
        wait_until("all rows are published", lambda: self.messages(state="pending") == 0, SECONDS)
        grown = peak_kib(self.worker.process) - before
        self.assertLess(grown, MEMORY_KIB * (4 if support.SANITIZED else 1), f"{grown} KiB for {BACKLOG} rows")
        with Amqp(self.broker.url) as connection:
            ids = {message.properties["message_id"] for message in connection.drain("eventos")}
            connection.delete_queue("eventos")
        self.assertEqual({f"lote-{number}" for number in range(1, BACKLOG + 1)} - ids, set())

    def test_a_message_that_leads_nowhere(self):
        self.worker.start()
        first = self.mailings.upload("antes.csv", csv_of(["ana@example.com"]))
        self.mailings.wait_for(first, "COMPLETED")
        with Amqp(self.broker.url) as connection:
            connection.unbind(QUEUE, "umavez.work", "mailing")
            id = self.mailings.upload("perdida.csv", csv_of(["bia@example.com"]))
            why = f"SELECT last_error FROM umavez_messages WHERE aggregate = 'mailing/{id}' AND last_error <> ''"
            told = wait_until("it says why", lambda: self.installation.rows(why))
            self.assertIn("no queue", told[0][0])
            self.assertEqual(self.installation.pending_messages(id), 1, "what nobody has is not marked")
            connection.bind(QUEUE, "umavez.work", "mailing")
        self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual(self.sink.counts(), {"ana@example.com": 1, "bia@example.com": 1})

    def test_a_poison_row_holds_up_nobody(self):
        self.add_rows("'veneno', 'mailing', 'mailing/veneno', 'mailing.processar', "
                      "'{\"mailingId\":\"' || repeat('x', 2000000) || '\"}'", "(SELECT 1) AS one")
        id = self.mailings.upload("depois.csv", csv_of(["ana@example.com"]))
        self.worker.start()
        self.mailings.wait_for(id, "COMPLETED")
        wait_until("it is dead", lambda: self.messages(message_id="veneno", state="dead") == 1)
        why = self.installation.rows("SELECT last_error FROM umavez_messages WHERE message_id = 'veneno'")
        self.assertTrue(why[0][0], "and says why")


class QueueTest(BrokerTest):
    def refusal(self):
        code, _, complaint = self.installation.try_run("worker")
        self.assertNotEqual(code, 0)
        return complaint

    def test_a_queue_without_a_dead_letter_exchange(self):
        with Amqp(self.broker.url) as connection:
            connection.declare_queue(QUEUE, x_queue_type="quorum")
        told = self.refusal()
        self.assertIn(QUEUE, told)
        self.assertIn("dead-letter", told)
        self.assertNotIn("guest:guest", told)

    def test_a_classic_queue(self):
        with Amqp(self.broker.url) as connection:
            connection.declare_queue(QUEUE, x_dead_letter_exchange="umavez.dead")
        self.assertIn(QUEUE, self.refusal())

    def test_a_wrong_password(self):
        self.installation.configure("", f'broker = "amqp://guest:errada@127.0.0.1:{self.broker.port}"\n')
        told = self.refusal()
        self.assertIn("ACCESS_REFUSED", told)
        self.assertIn("broker", told)
        self.assertNotIn("errada", told)

    def test_messages_that_nobody_can_use(self):
        self.worker.start()
        wait_until("the queue is there", lambda: count(self.broker.url, QUEUE) is not None)
        nobody = str(uuid.uuid4())
        ours = {"type": "mailing.processar", "headers": {"tenant": "default"}}
        bad = ((b"\xff\xfe nada", {**ours, "message_id": "lixo"}),
               (b"{}", {**ours, "message_id": "vazia"}),
               (b'{"mailingId":7}', {**ours, "message_id": "numero"}),
               (json.dumps({"mailingId": nobody}).encode(), {**ours, "message_id": "outra", "type": "mailing.apagar"}),
               (json.dumps({"mailingId": nobody}).encode(), {"type": "mailing.processar", "message_id": "de ninguem"}),
               (b"{}", {}))
        with Amqp(self.broker.url) as connection:
            for body, properties in bad:
                connection.publish("umavez.work", "mailing", body, properties)
            wait_until("they are among the dead", lambda: connection.count(DEAD) >= len(bad))
            dead = connection.drain(DEAD)
        self.assertTrue(all(message.properties.get("headers") for message in dead), dead)
        # And the worker goes on.
        id = self.mailings.upload("depois.csv", csv_of(["ana@example.com"]))
        self.mailings.wait_for(id, "COMPLETED")

    def test_a_mailing_that_is_not_there_is_settled(self):
        self.worker.start()
        wait_until("the queue is there", lambda: count(self.broker.url, QUEUE) is not None)
        with Amqp(self.broker.url) as connection:
            connection.publish("umavez.work", "mailing", json.dumps({"mailingId": str(uuid.uuid4())}), {
                "message_id": str(uuid.uuid4()), "type": "mailing.processar", "headers": {"tenant": "default"}})
            wait_until("it is gone", lambda: not any(connection.count(queue) for queue in (QUEUE, HELD, DEAD)))


class RedeliveryTest(BrokerTest):
    def test_while_the_owner_lives_it_is_held_back_and_not_lost(self):
        self.worker.start()
        self.sink.hold()
        id = self.mailings.upload("dono.csv", csv_of(["ana@example.com", "bia@example.com"]))
        self.sink.wait_held()
        other = self.installation.node("worker").start()
        row, = self.installation.rows("SELECT message_id, data FROM umavez_messages")
        with Amqp(self.broker.url) as connection:
            connection.publish("umavez.work", "mailing", row[1], {
                "message_id": row[0], "type": "mailing.processar", "headers": {"tenant": "default"}})
            wait_until("the copy is held back", lambda: connection.count(HELD) >= 1)
        # Its owner dies: what was held back wakes the other one.
        self.worker.kill()
        self.sink.release()
        done = self.mailings.wait_for(id, "COMPLETED")
        self.assertEqual(done["counts"]["sent"] + done["counts"]["unknown"], 2, done)
        other.stop()
        self.assertLessEqual(max(self.sink.counts().values()), 1)

    def test_every_copy_is_settled_in_the_end(self):
        self.worker.start()
        id = self.mailings.upload("copias.csv", csv_of([f"p{number}@example.com" for number in range(30)]))
        row = wait_until("a message", lambda: self.installation.rows("SELECT message_id, data FROM umavez_messages"))[0]
        with Amqp(self.broker.url) as connection:
            wait_until("the queue is there", lambda: count(self.broker.url, QUEUE) is not None)
            for _ in range(20):
                connection.publish("umavez.work", "mailing", row[1], {
                    "message_id": row[0], "type": "mailing.processar", "headers": {"tenant": "default"}})
            self.mailings.wait_for(id, "COMPLETED")
            wait_until("all copies are settled", lambda: not any(connection.count(queue) for queue in (QUEUE, HELD)))
            self.assertEqual(connection.count(DEAD), 0)
        self.assertEqual(set(self.sink.counts().values()), {1})


if __name__ == "__main__":
    support.run_tests()
