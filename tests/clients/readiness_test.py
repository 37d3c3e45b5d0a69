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
    def assert_not_ready(self, server, checks, word="", headers=None):
        """What counted before counts for a second more, and a store that stands still is told of in other words."""
        seen = []

        def is_refused():
            seen[:] = [server.ask("GET", "/readyz", headers=headers)]
            return seen[0].status == 503 and seen[0].json["checks"] == checks and word in seen[0].json["detail"]

        support.wait_until(f"a refusal with {checks} that says {word!r}", is_refused, told=lambda: seen)
        return seen[0]

    def test_a_store_that_another_program_has_locked(self):
        with Server() as server:
            server.wait_ready()
            other = sqlite3.connect(os.path.join(server.folder.name, "umavez.db"), isolation_level=None)
            other.execute("BEGIN IMMEDIATE")

            answer = self.assert_not_ready(server, {"files": "ok", "store": "unavailable"}, "another program holds")

            self.assertEqual(answer.problem, "store-unavailable")
            other.execute("ROLLBACK")
            other.close()
            server.wait_ready()

    def test_a_file_that_was_damaged(self):
        with Server() as server:
            self.assertEqual(server.ask("POST", "/api/v1/clientes", client_of("a"), "a").status, 201)
            path = os.path.join(server.folder.name, "umavez.db")
            # The log goes first, so that what follows is read from the file.
            for name in (path + "-wal", path):
                damage(name, pages=os.path.getsize(name) // 4096)

            self.assert_not_ready(server, {"files": "ok", "store": "unavailable"}, "not an SQLite database")

    def test_strangers_are_not_told_what_only_operators_should_know(self):
        with Server() as server:
            token = server.run("token", "create", "--role", "operator", "--tenant", "*").split()
            token = next(word for word in token if word.startswith("uvz_"))
            server.stop()
            server.address = "0.0.0.0"
            server.start()
            os.remove(os.path.join(server.folder.name, "umavez.db.lock"))

            checks = {"files": "unavailable", "store": "unknown"}
            stranger = self.assert_not_ready(server, checks)
            self.assert_not_ready(server, checks, "umavez.db.lock", {"Authorization": f"Bearer {token}"})

            self.assertNotIn("umavez.db", stranger.body.decode())
            server.log.wait_for("umavez.db.lock was deleted")


if __name__ == "__main__":
    support.run_tests()
