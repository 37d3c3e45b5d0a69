#!/usr/bin/env python3
"""A collector of logs that hangs: standard error is a pipe that nobody reads any more."""

import http.client
import json
import os
import subprocess
import tempfile

import support
from support import ask

# Each is logged; a pipe holds 64 KiB.
REQUESTS = 1000


class StuckLogTest(support.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="umavez-clients-"))
        self.process = subprocess.Popen(
            [os.environ["UMAVEZ_PROGRAM"], "serve", "--listen", "127.0.0.1:0", "--drain-limit", "1s"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        # The one line that is read: where it listens.
        self.port = json.loads(self.process.stderr.readline())["port"]

    def end(self):
        self.process.kill()
        support.wait_ended(self.process, "the server ends")
        self.process.stderr.close()

    def serve_many(self):
        """A server that waits for whoever reads its log answers no more: that is a wait which is never met."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=support.WAIT_SECONDS)
        try:
            for _ in range(REQUESTS):
                self.assertEqual(ask(connection, "GET", "/api/v1/clientes").status, 200)
        finally:
            connection.close()

    def test_requests_are_answered_all_the_same(self):
        self.serve_many()

    def test_sigterm_ends_the_server_all_the_same(self):
        self.serve_many()
        self.process.terminate()
        support.wait_ended(self.process, "the server ends after SIGTERM, with a drain limit of 1 s")


if __name__ == "__main__":
    support.run_tests()
