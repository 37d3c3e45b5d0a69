#!/usr/bin/env python3
"""stripe-node, which retries by itself with the same key, behind a proxy that loses answers."""

import json
import os
import subprocess
import unittest

import support
from dropping_proxy import DroppingProxy
from support import Server, client_of

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
PACKAGES = os.environ.get("UMAVEZ_CLIENTS_NODE") or os.path.join(CACHE, "umavez-clients")


class StripeTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node = support.need("node")
        if not os.path.isdir(os.path.join(PACKAGES, "node_modules", "stripe")):
            raise unittest.SkipTest(f"stripe is not in {PACKAGES}; ./dev packages installs it from npm")

    def setUp(self):
        self.server = self.enterContext(Server())
        # A server with a token: the library sends its secret key as one.
        self.token = self.server.run("token", "create", "--tenant", "acme", "--role", "writer").strip()

    def create(self, port, retries, path, body, *key):
        ran = support.run_child(
            [self.node, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stripe_client.mjs"),
             str(port), self.token, str(retries), path, json.dumps(body), *key],
            env=os.environ | {"UMAVEZ_CLIENTS_NODE": PACKAGES},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def test_lost_answers_make_one_client_and_the_caller_sees_success(self):
        # Half a body it takes for an answer and complains of its JSON, so none is cut.
        with DroppingProxy(self.server, drops=3, ways=("close", "reset"), prefix="/v2") as proxy:
            created = self.create(proxy.port, 4, "/v2/api/v1/clientes", client_of("stripe"))

        self.assertEqual(created["status"], 200, created)
        self.assertTrue(created["replayed"])
        self.assertEqual(created["answer"]["email"], "stripe@example.com")
        self.assertEqual(proxy.statuses, [201, 200, 200, 200])
        self.assertEqual(len(set(proxy.keys)), 1, proxy.keys)
        self.assertRegex(proxy.keys[0], "^stripe-node-retry-")
        self.assertEqual(created["answer"]["idempotencia_key"], proxy.keys[0])
        self.assertEqual(self.server.count("clientes"), 1)

    def test_a_key_of_the_callers_own_replays_in_another_process(self):
        with DroppingProxy(self.server, drops=0, prefix="/v2") as proxy:
            first = self.create(proxy.port, 0, "/v2/api/v1/clientes", client_of("own"), "pedido-1")
            second = self.create(proxy.port, 0, "/v2/api/v1/clientes", client_of("own"), "pedido-1")

        self.assertEqual((first["status"], first["replayed"]), (201, False), first)
        self.assertEqual((second["status"], second["replayed"]), (200, True), second)
        self.assertEqual(first["answer"]["id"], second["answer"]["id"])
        self.assertEqual(self.server.count("clientes"), 1)

    def test_a_refusal_is_an_error_that_is_not_retried(self):
        with DroppingProxy(self.server, drops=0, prefix="/v2") as proxy:
            refused = self.create(proxy.port, 3, "/v2/api/v1/clientes", {"nome": "João"})

        self.assertEqual(refused["status"], 422, refused)
        self.assertEqual(proxy.statuses, [422])
        self.assertEqual(self.server.count("clientes"), 0)

    def test_a_form_where_json_is_taken_is_415_and_not_retried(self):
        with DroppingProxy(self.server, drops=0) as proxy:
            refused = self.create(proxy.port, 3, "/api/v1/clientes", client_of("form"))

        self.assertEqual(refused["status"], 415, refused)
        self.assertEqual(proxy.statuses, [415])


if __name__ == "__main__":
    support.run_tests()
