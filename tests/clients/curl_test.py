#!/usr/bin/env python3
"""curl: the examples of the documentation word by word, and retries behind a proxy that loses answers."""

import gzip
import json
import os
import subprocess

import support
from dropping_proxy import DroppingProxy
from support import Server, client_of


class CurlTest(support.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.curl = support.need("curl")

    def setUp(self):
        self.server = self.enterContext(Server())

    def run_curl(self, *arguments):
        """(status, headers by lower-case name, body) of the last answer; the body goes to a file, so that
        a retry does not print twice."""
        out = os.path.join(self.server.folder.name, "curl.out")
        head = os.path.join(self.server.folder.name, "curl.head")
        ran = support.run_child(
            [self.curl, "--silent", "--show-error", "--noproxy", "*", "--max-time", str(support.WAIT_SECONDS),
             "--output", out, "--dump-header", head, "--write-out", "%{http_code}", *arguments],
            seconds=2 * support.WAIT_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        if ran.returncode == support.CURL_TIMEOUT:
            raise support.not_met("curl gets an answer", support.WAIT_SECONDS)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        headers = {}
        with open(head, encoding="latin-1") as lines:
            for line in lines:
                if line.startswith("HTTP/"):
                    headers = {}  # of an answer before the last
                name, colon, value = line.partition(":")
                if colon:
                    headers[name.lower()] = value.strip()
        with open(out, encoding="utf-8") as body:
            return int(ran.stdout), headers, body.read()

    def post(self, port, path, key, body, *more):
        return self.run_curl(
            f"http://127.0.0.1:{port}{path}", "-H", f"Idempotency-Key: {key}",
            "-H", "Content-Type: application/json", "--data-binary", body, *more)

    def assert_answer(self, answer, status, replayed, members):
        self.assertEqual(answer[0], status, answer)
        self.assertEqual(answer[1].get("idempotent-replayed"), "true" if replayed else None)
        told = json.loads(answer[2])
        self.assertEqual({name: told.get(name) for name in members}, members)

    def test_create_a_client_twice(self):
        body = '{\n  "nome": "João Silva",\n  "email": "joao@example.com",\n  "documento": "123.456.789-00"\n}'
        client = {"id": 1, "nome": "João Silva", "email": "joao@example.com",
                  "documento": "123.456.789-00", "idempotencia_key": "client-001"}

        first = self.post(self.server.port, "/api/v1/clientes", "client-001", body)
        second = self.post(self.server.port, "/api/v1/clientes", "client-001", body)
        other = self.post(self.server.port, "/api/v1/clientes", "client-001",
                          '{"nome": "Outro Nome", "email": "outro@example.com"}')

        self.assert_answer(first, 201, False, client)
        self.assert_answer(second, 200, True, client)
        self.assert_answer(other, 200, True, client)
        self.assertEqual(self.server.count("clientes"), 1)

    def test_create_a_proposal_twice_and_submit_it_twice(self):
        port = self.server.port
        self.post(port, "/api/v1/clientes", "client-001", '{"nome": "João Silva", "email": "joao@example.com"}')
        proposal = {"id": 1, "cliente_id": 1, "valor": 1500.00, "estado": "rascunho", "versao": 1,
                    "idempotencia_key": "proposta-001"}

        first = self.post(port, "/api/v1/propostas", "proposta-001", '{"cliente_id": 1, "valor": 1500.00}')
        second = self.post(port, "/api/v1/propostas", "proposta-001", '{"cliente_id": 1, "valor": 2000.00}')

        self.assert_answer(first, 201, False, proposal)
        self.assert_answer(second, 200, True, proposal)
        for answer in (first, second):
            self.assertIn('"valor":1500.00', answer[2].replace(" ", ""))
        self.assertEqual(self.server.count("propostas"), 1)

        path = "/api/v1/propostas/1/submeter"
        sent = {"id": 1, "estado": "enviada", "versao": 2}
        submitted = self.post(port, path, "submit-001", '{"versao": 1}')
        again = self.post(port, path, "submit-001", '{"versao": 1}')
        self.assert_answer(submitted, 200, False, sent)
        self.assert_answer(again, 200, True, sent)

        # A retry shows the proposal as it is now.
        accepted = self.post(port, "/api/v1/propostas/1/aceitar", "accept-001", '{"versao": 2}')
        late = self.post(port, path, "submit-001", '{"versao": 1}')
        self.assertEqual(accepted[0], 200, accepted)
        self.assert_answer(late, 200, True, {"id": 1, "estado": "aceita", "versao": 3})
        operations = self.server.rows(
            "SELECT count(*) FROM idempotencia_operacoes WHERE tipo_operacao = 'submeter_proposta'")
        self.assertEqual(operations, [(1,)])

    def test_retry_after_lost_answers_makes_one_client(self):
        with DroppingProxy(self.server, drops=3) as proxy:
            answer = self.post(proxy.port, "/api/v1/clientes", "retried", json.dumps(client_of("curl")),
                               "--retry", "5", "--retry-all-errors", "--retry-delay", "1")

        self.assert_answer(answer, 200, True, {"id": 1, "idempotencia_key": "retried"})
        self.assertEqual(proxy.statuses, [201, 200, 200, 200])
        self.assertEqual(proxy.keys, ["retried"] * 4)
        self.assertEqual(self.server.count("clientes"), 1)

    def test_a_body_too_large_is_refused_before_it_is_sent(self):
        big = os.path.join(self.server.folder.name, "big.json")
        with open(big, "wb") as file:
            file.write(b'{"nome": "' + b"a" * (2 * 1024 * 1024) + b'"}')

        # So large a body makes curl ask first: Expect: 100-continue. By itself it would send after a second all the same.
        status, headers, body = self.post(self.server.port, "/api/v1/clientes", "big", "@" + big,
                                          "--expect100-timeout", str(support.WAIT_SECONDS))

        self.assertEqual(status, 413, body)
        self.assertEqual(headers["content-type"], "application/problem+json")

    def test_a_large_body_is_sent_after_100_continue(self):
        big = os.path.join(self.server.folder.name, "large.json")
        with open(big, "wb") as file:
            file.write(b" " * 900_000 + json.dumps(client_of("large")).encode())

        answer = self.post(self.server.port, "/api/v1/clientes", "large", "@" + big,
                           "-H", "Expect: 100-continue", "--expect100-timeout", str(support.WAIT_SECONDS))

        self.assert_answer(answer, 201, False, {"email": "large@example.com"})

    def test_a_compressed_body_is_the_same_request(self):
        port = self.server.port
        self.post(port, "/api/v1/clientes", "packed", json.dumps(client_of("gzip")))
        packed = os.path.join(self.server.folder.name, "change.json.gz")
        with gzip.open(packed, "wb") as file:
            file.write(b'{"nome": "Maria"}')

        # Another body under the key of a change is 409, so a replay shows that both were read alike.
        first = self.post(port, "/api/v1/clientes/1", "change", '{"nome": "Maria"}', "-X", "PATCH")
        second = self.post(port, "/api/v1/clientes/1", "change", "@" + packed, "-X", "PATCH",
                           "-H", "Content-Encoding: gzip")

        self.assert_answer(first, 200, False, {"nome": "Maria"})
        self.assert_answer(second, 200, True, {"nome": "Maria"})


if __name__ == "__main__":
    support.run_tests()
