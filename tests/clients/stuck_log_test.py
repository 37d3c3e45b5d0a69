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
# A server that waits for its log waits for ever; one on a busy machine, or one that a sanitizer looks over, does not.
PATIENCE_SECONDS = 30


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
        self.process.wait(support.WAIT_SECONDS)
        self.process.stderr.close()

    def serve_many(self):
        """How many requests were answered before one was not."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            for number in range(REQUESTS):
                ask(connection, "GET", "/api/v1/clientes")
        except TimeoutError:
            return number
        finally:
            connection.close()
        return REQUESTS

    def test_requests_are_answered_all_the_same(self):
        self.assertEqual(self.serve_many(), REQUESTS, "the server waits for whoever reads its log")

    def test_sigterm_ends_the_server_all_the_same(self):
        self.serve_many()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.fail(f"the server still runs {PATIENCE_SECONDS} s after SIGTERM, with a drain limit of 1 s")


if __name__ == "__main__":
    support.run_tests()
