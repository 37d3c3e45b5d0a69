#!/usr/bin/env python3
"""kill -9 of the server under load, and now and then SIGTERM, on one file: what was acknowledged is there, once."""

import collections
import http.client
import random
import threading
import uuid

import support
from support import Server, ask, client_of

ENDS = 12
THREADS = 8
ANSWERS_BEFORE_KILL = 100


class Load:
    """Threads that create clients and proposals, submit these, and retry each step until it is acknowledged."""

    def __init__(self, server):
        self.server = server
        self.changed = threading.Condition()
        self.life = 0  # counts the starts of the server
        self.is_up = True
        self.is_over = False
        self.acknowledged = {}  # (path, key) -> (body, id)
        self.attempts = collections.Counter()
        self.replays = 0  # of what had been done before a kill and not been told
        self.errors = []
        self.threads = [threading.Thread(target=self._run) for _ in range(THREADS)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def finish(self):
        with self.changed:
            self.is_over = True
        for thread in self.threads:
            thread.join(2 * support.WAIT_SECONDS)  # it may end after a wait of its own
            if thread.is_alive():
                raise support.not_met("a client gets its answer", 2 * support.WAIT_SECONDS)
        support.raise_worst(self.errors)

    def wait_for_answers(self, count):
        with self.changed:
            support.wait_on(self.changed, f"the server acknowledges {count} requests",
                            lambda: self.errors or len(self.acknowledged) >= count)

    def restart(self, end):
        with self.changed:
            self.is_up = False
        end()
        self.server.start()
        with self.changed:
            self.is_up = True
            self.life += 1
            self.changed.notify_all()

    def _run(self):
        try:
            connection = None
            while not self.is_over:
                key = str(uuid.uuid4())
                connection, client = self._until_acknowledged(
                    connection, "/api/v1/clientes", key, client_of(key))
                connection, proposal = self._until_acknowledged(
                    connection, "/api/v1/propostas", key, {"cliente_id": client, "valor": 1500})
                connection, _ = self._until_acknowledged(
                    connection, f"/api/v1/propostas/{proposal}/submeter", key, {"versao": 1})
            connection.close()
        except BaseException as error:  # told to the test
            with self.changed:
                self.errors.append(error)
                self.changed.notify_all()

    def _until_acknowledged(self, connection, path, key, body):
        while True:
            try:
                if connection is None:
                    connection = self._connection_of_this_life()
                self.attempts[path, key] += 1
                answer = ask(connection, "POST", path, body, key)
            except (OSError, http.client.HTTPException):
                connection.close()
                self._wait_for_next_life(connection.life)
                connection = None
                continue
            if support.is_store_unavailable(answer) or answer.problem == "idempotency-in-progress":
                continue
            if answer.status not in (200, 201):
                raise AssertionError(f"{path} {key}: {answer}")
            if answer.is_replay and self.attempts[path, key] == 1:
                raise AssertionError(f"a replay of what was never sent: {path} {key}")
            with self.changed:
                self.acknowledged[path, key] = body, answer.json["id"]
                self.replays += answer.is_replay
                self.changed.notify_all()
            return connection, answer.json["id"]

    def _connection_of_this_life(self):
        with self.changed:
            support.wait_on(self.changed, "the server runs again", lambda: self.is_up or self.is_over)
            connection = self.server.http()
            connection.life = self.life
            return connection

    def _wait_for_next_life(self, life):
        with self.changed:
            support.wait_on(self.changed, "the server runs again after a connection broke",
                            lambda: self.is_up and self.life > life)


class KillTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def test_what_was_acknowledged_is_there_once_and_replays(self):
        load = Load(self.server)
        load.start()
        for number in range(ENDS):
            # Not always in the same place of a batch.
            load.wait_for_answers(len(load.acknowledged) + ANSWERS_BEFORE_KILL + random.randrange(50))
            load.restart(self.stop if number % 4 == 3 else self.server.kill)
            if load.errors:
                break
        load.finish()

        self.assert_each_once(load)
        self.assert_each_replays(load)
        self.stop()
        self.assertEqual(self.server.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.server.rows("PRAGMA foreign_key_check"), [])
        self.assert_each_once(load)
        retried = sum(count > 1 for count in load.attempts.values())
        self.assertGreater(retried, 0)
        print(f"{ENDS} ends: {len(load.acknowledged)} acknowledged, {retried} of them after a retry, "
              f"of which {load.replays} had been done already")

    def stop(self):
        """In order: what runs is finished."""
        self.assertEqual(self.server.stop(), 0)

    def assert_each_once(self, load):
        for path, table in (("/api/v1/clientes", "clientes"), ("/api/v1/propostas", "propostas")):
            rows = self.server.rows(f"SELECT idempotencia_key, id FROM {table}")
            expected = {key: id for (of, key), (_, id) in load.acknowledged.items() if of == path}
            self.assertEqual(len(rows), len(expected), table)
            self.assertEqual(dict(rows), expected, table)
        submitted = sum(path.endswith("/submeter") for path, _ in load.acknowledged)
        self.assertEqual(submitted, self.server.count("propostas"))
        self.assertEqual(self.server.count("idempotencia_operacoes"), submitted)
        self.assertEqual(self.server.count("propostas_historico"), 2 * submitted)
        self.assertEqual(self.server.rows("SELECT DISTINCT estado, versao FROM propostas"), [("enviada", 2)])

    def assert_each_replays(self, load):
        asked = list(load.acknowledged.items())

        def replay(number):
            connection = self.server.http()
            for (path, key), (body, id) in asked[number::THREADS]:
                answer = ask(connection, "POST", path, body, key)
                if (answer.status, answer.is_replay, answer.json["id"]) != (200, True, id):
                    raise AssertionError(f"{path} {key} was acknowledged as {id}: {answer}")
            connection.close()

        support.in_threads(THREADS, replay)


if __name__ == "__main__":
    support.run_tests()
