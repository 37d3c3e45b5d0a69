#!/usr/bin/env python3
"""/readyz from outside: it says no where a write would fail, and tells strangers no more than that."""

import os
import sqlite3

import support
from support import Server, client_of


def damage(path, pages=1):
    """Writes over the beginning of a file, as a program that mistakes it for its own does."""
    with open(path, "r+b") as file:
        file.write(b"\xa5" * 4096 * pages)


class ReadinessTest(support.TestCase):
    def ready_again(self, server):
        support.wait_until("readiness", lambda: server.ask("GET", "/readyz").status == 200)

    def assert_not_ready(self, server, headers=None):
        """What counted before counts for a second more."""
        answers = []

        def is_refused():
            answers.append(server.ask("GET", "/readyz", headers=headers))
            return answers[-1].status == 503

        support.wait_until("a refusal", is_refused)
        return answers[-1]

    def test_a_store_that_another_program_has_locked(self):
        with Server() as server:
            self.assertEqual(server.ask("GET", "/readyz").status, 200)
            other = sqlite3.connect(os.path.join(server.folder.name, "umavez.db"), isolation_level=None)
            other.execute("BEGIN IMMEDIATE")

            answer = self.assert_not_ready(server)

            self.assertEqual(answer.problem, "store-unavailable")
            self.assertEqual(answer.json["checks"], {"files": "ok", "store": "unavailable"})
            self.assertIn("another program holds", answer.json["detail"])
            other.execute("ROLLBACK")
            other.close()
            self.ready_again(server)

    def test_a_file_that_was_damaged(self):
        with Server() as server:
            self.assertEqual(server.ask("POST", "/api/v1/clientes", client_of("a"), "a").status, 201)
            path = os.path.join(server.folder.name, "umavez.db")
            # The log goes first, so that what follows is read from the file.
            for name in (path + "-wal", path):
                damage(name, pages=os.path.getsize(name) // 4096)

            self.assertEqual(self.assert_not_ready(server).json["checks"]["store"], "unavailable")

    def test_strangers_are_not_told_what_only_operators_should_know(self):
        with Server() as server:
            token = server.run("token", "create", "--role", "operator", "--tenant", "*").split()
            token = next(word for word in token if word.startswith("uvz_"))
            server.stop()
            server.address = "0.0.0.0"
            server.start()
            os.remove(os.path.join(server.folder.name, "umavez.db.lock"))

            stranger = self.assert_not_ready(server)
            operator = self.assert_not_ready(server, {"Authorization": f"Bearer {token}"})

            self.assertEqual(stranger.json["checks"], {"files": "unavailable", "store": "unknown"})
            self.assertNotIn("umavez.db", stranger.body.decode())
            self.assertIn("umavez.db.lock", operator.json["detail"])
            server.log.wait_for("umavez.db.lock was deleted")


if __name__ == "__main__":
    support.run_tests()
