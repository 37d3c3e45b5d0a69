#!/usr/bin/env python3
"""Python's http.client and plain sockets: reused connections, pipelining, chunks, 100-continue, many at once."""

import json
import socket
import time

import support
from support import Server, ask, client_of, in_threads, raw_post, read_answer

# So long they wait for the first one's answer, and are told to come again no earlier.
PATIENCE_SECONDS = 20
PATIENT = {"Prefer": f"wait={PATIENCE_SECONDS}"}


class HttpClientTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def test_one_connection_carries_many_requests(self):
        connection = self.server.http()
        connection.connect()
        used = connection.sock

        for number in range(200):
            created = ask(connection, "POST", "/api/v1/clientes", client_of(number), f"key-{number}")
            self.assertEqual(created.status, 201, created)
            replayed = ask(connection, "POST", "/api/v1/clientes", client_of(number), f"key-{number}")
            self.assertEqual(replayed.status, 200, replayed)
            self.assertTrue(replayed.is_replay)
            self.assertEqual(created.json["id"], replayed.json["id"])
            self.assertIs(connection.sock, used, "the server closed the connection")
        # Refusals that are well framed keep the connection as well.
        for status, path, body, key in ((400, "/api/v1/clientes", b"{", "a"),
                                        (422, "/api/v1/clientes", {}, "b"),
                                        (400, "/api/v1/clientes", client_of("c"), ""),
                                        (404, "/api/v1/nada", {}, "d")):
            refused = ask(connection, "POST", path, body, key)
            self.assertEqual(refused.status, status, refused)
            self.assertIs(connection.sock, used, f"a {status} closed the connection")
        self.assertEqual(self.server.count("clientes"), 200)
        connection.close()

    def test_pipelined_requests_are_answered_in_order(self):
        requests = b"".join(
            raw_post("/api/v1/clientes", f"key-{number // 2}", client_of(number // 2)) for number in range(200))
        with self.server.connect() as connection:
            connection.sendall(requests)
            stream = connection.makefile("rb")
            for number in range(200):
                status, headers, body = read_answer(stream)
                self.assertEqual(status, 200 if number % 2 else 201, body)
                self.assertEqual("idempotent-replayed" in headers, bool(number % 2))
                self.assertEqual(json.loads(body)["idempotencia_key"], f"key-{number // 2}")
        self.assertEqual(self.server.count("clientes"), 100)

    def test_a_chunked_body_is_the_same_request(self):
        self.server.ask("POST", "/api/v1/clientes", client_of("a"), "create")
        body = json.dumps({"nome": "Maria", "documento": "9"}).encode()
        whole = self.server.ask("PATCH", "/api/v1/clientes/1", body, "change")
        self.assertEqual(whole.status, 200, whole)

        # Another body under this key is 409: a replay shows that the chunks were put together rightly.
        for size in (1, 7, len(body)):
            chunks = [body[at:at + size] for at in range(0, len(body), size)]
            connection = self.server.http()
            connection.request(
                "PATCH", "/api/v1/clientes/1", iter(chunks),
                {"Idempotency-Key": "change", "Content-Type": "application/json", "Transfer-Encoding": "chunked"},
                encode_chunked=True)
            answer = support.Answer(connection.getresponse())
            self.assertEqual(answer.status, 200, answer)
            self.assertTrue(answer.is_replay)
            connection.close()

    def test_a_large_chunked_body_and_the_next_request_on_the_connection(self):
        connection = self.server.http()
        padding = [b" " * 50_000] * 18
        connection.request(
            "POST", "/api/v1/clientes", iter([*padding, json.dumps(client_of("big")).encode()]),
            {"Idempotency-Key": "big", "Content-Type": "application/json", "Transfer-Encoding": "chunked"},
            encode_chunked=True)
        answer = support.Answer(connection.getresponse())
        self.assertEqual(answer.status, 201, answer)
        again = ask(connection, "POST", "/api/v1/clientes", client_of("big"), "big")
        self.assertEqual((again.status, again.is_replay), (200, True))
        connection.close()

    def test_a_body_that_waits_for_100_continue(self):
        body = json.dumps(client_of("expect")).encode()
        head = raw_post("/api/v1/clientes", "expect", body, "Expect: 100-continue\r\n").split(b"\r\n\r\n")[0]
        with self.server.connect() as connection:
            stream = connection.makefile("rb")
            for status in (201, 200):
                connection.sendall(head + b"\r\n\r\n")
                self.assertEqual(read_answer(stream)[0], 100)
                connection.sendall(body)
                self.assertEqual(read_answer(stream)[0], status)

    def test_no_100_continue_for_a_body_that_would_be_refused(self):
        with self.server.connect() as connection:
            connection.sendall(b"POST /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Type: application/json\r\nIdempotency-Key: a\r\n"
                               b"Content-Length: 5000000\r\nExpect: 100-continue\r\n\r\n")
            self.assertEqual(read_answer(connection.makefile("rb"))[0], 413)

    def test_a_client_that_closed_its_half_gets_the_answer(self):
        with self.server.connect() as connection:
            connection.sendall(raw_post("/api/v1/clientes", "half", client_of("half")))
            connection.shutdown(socket.SHUT_WR)
            stream = connection.makefile("rb")
            self.assertEqual(read_answer(stream)[0], 201)
            self.assertIsNone(read_answer(stream))

    def test_200_identical_requests_at_once_make_one_client(self):
        connections = [self.server.http() for _ in range(200)]
        for connection in connections:
            connection.connect()

        answers = in_threads(200, lambda number: self.patiently(lambda: ask(
            connections[number], "POST", "/api/v1/clientes", client_of("same"), "same", PATIENT)))

        for connection in connections:
            connection.close()
        self.assert_one_creation(answers)
        self.assertEqual(self.server.count("clientes"), 1)

    def test_200_identical_proposals_with_other_amounts_make_one_proposal(self):
        self.server.ask("POST", "/api/v1/clientes", client_of("a"), "client")
        answers = in_threads(200, lambda number: self.patiently(lambda: self.server.ask(
            "POST", "/api/v1/propostas", {"cliente_id": 1, "valor": 1000 + number}, "proposal", PATIENT)))

        self.assert_one_creation(answers)
        self.assertEqual(len({answer.json["valor"] for answer in answers}), 1)
        self.assertEqual(self.server.count("propostas"), 1)

    def test_50_identical_submissions_submit_once(self):
        self.server.ask("POST", "/api/v1/clientes", client_of("a"), "client")
        self.server.ask("POST", "/api/v1/propostas", {"cliente_id": 1, "valor": 1}, "proposal")

        answers = in_threads(50, lambda _: self.server.ask(
            "POST", "/api/v1/propostas/1/submeter", {"versao": 1}, "submit"))

        first = [answer for answer in answers if answer.status == 200 and not answer.is_replay]
        self.assertEqual(len(first), 1)
        for answer in answers:
            self.assert_done_or_in_progress(answer)
            if answer.status == 200:
                self.assertEqual((answer.json["estado"], answer.json["versao"]), ("enviada", 2))
        self.assertEqual(self.server.rows("SELECT versao FROM propostas"), [(2,)])
        self.assertEqual(self.server.count("propostas_historico"), 2)

    def test_races_of_other_keys_for_one_address_make_one_client(self):
        answers = in_threads(50, lambda number: self.server.ask(
            "POST", "/api/v1/clientes", client_of("same"), f"key-{number}"))

        self.assertEqual(sorted(answer.status for answer in answers), [201] + [409] * 49)
        for answer in answers:
            if answer.status == 409:
                self.assertEqual(answer.problem, "email-existente")
        self.assertEqual(self.server.count("clientes"), 1)

    def patiently(self, question):
        """Asks again after a 409, which says that the first one took longer than this one was ready to wait."""
        def done():
            began = time.monotonic()
            answer = question()
            if support.is_store_unavailable(answer):
                return None
            self.assert_done_or_in_progress(answer)
            if answer.status == 409:
                self.assertGreater(time.monotonic() - began, PATIENCE_SECONDS - 1, "it did not wait for the first")
                return None
            return answer
        return support.wait_until("the first one's answer", done)

    def assert_one_creation(self, answers):
        created = [answer for answer in answers if answer.status == 201]
        self.assertEqual(len(created), 1)
        for answer in answers:
            self.assertEqual(answer.json["id"], created[0].json["id"])
            self.assertEqual(answer.is_replay, answer.status == 200)

    def assert_done_or_in_progress(self, answer):
        if answer.status == 409:
            # Past the wait, which a busy machine may need.
            self.assertEqual(answer.problem, "idempotency-in-progress", answer)
            self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        else:
            self.assertIn(answer.status, (200, 201), answer)


if __name__ == "__main__":
    support.run_tests()
