#!/usr/bin/env python3
"""Clients that mean harm: smuggled requests, sizes without end, thousands of idle connections."""

import contextlib
import gzip
import select
import time

import support
from support import Server, client_of, raw_post, read_answer, read_to_end

IDLE = 2000
CONNECTIONS_MAX = 10_000
IDLE_SECONDS = 60  # for so long the server keeps a connection that says nothing
BODIES_MIB_MAX = 256
GROWTH_KIB = 24 * 1024 if not support.SANITIZED else 256 * 1024

VICTIM = (b"POST /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          b"Idempotency-Key: smuggled\r\nContent-Length: 48\r\n\r\n"
          b'{"nome":"Intruso","email":"intruso@example.com"}')

POST = b"POST /api/v1/clientes HTTP/1.1\r\n"
HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\nIdempotency-Key: outer\r\n"
HEAD = POST + HOST + JSON

# Requests whose end two servers may see in different places, or that are no requests.
SHAPES = {
    "both a length and chunks": HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and a length": HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 0\r\nContent-Length: 48\r\n\r\n",
    "a list of lengths": HEAD + b"Content-Length: 0, 48\r\n\r\n",
    "a negative length": HEAD + b"Content-Length: -1\r\n\r\n",
    "a length with a sign": HEAD + b"Content-Length: +0\r\n\r\n",
    "a length in hex": HEAD + b"Content-Length: 0x0\r\n\r\n",
    "a length beyond 64 bits": HEAD + b"Content-Length: 18446744073709551616\r\n\r\n",
    "an empty length": HEAD + b"Content-Length: \r\n\r\n",
    "a space before the colon": HEAD + b"Content-Length : 0\r\n\r\n",
    "a space before the colon of the coding": HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "chunked not last": HEAD + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "chunked twice": HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "two lines of coding": HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "an unknown coding": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a coding in quotes": HEAD + b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n',
    "a coding after a tab": HEAD + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    "a folded coding": HEAD + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a folded line": HEAD + b"X-A: 1\r\n 2\r\n\r\n",
    "a fold before the first field": POST + b" X: 1\r\n" + HOST + JSON + b"\r\n",
    "a bare LF": HEAD.replace(b"\r\n", b"\n") + b"Content-Length: 0\n\n",
    "a bare LF within the head": HEAD + b"X-A: 1\nContent-Length: 0\r\n\r\n",
    "a bare CR within the head": HEAD + b"X-A: 1\rContent-Length: 0\r\n\r\n",
    "a NUL in a value": HEAD + b"X-A: a\0b\r\n\r\n",
    "chunks in HTTP/1.0": b"POST /api/v1/clientes HTTP/1.0\r\n" + HOST + JSON +
                          b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "no Host": POST + JSON + b"Content-Length: 0\r\n\r\n",
    "two Hosts": HEAD + b"Host: other\r\n\r\n",
    "a Host with a space": POST + b"Host: a b\r\n" + JSON + b"\r\n",
    "a Host with a path": POST + b"Host: a/b\r\n" + JSON + b"\r\n",
    "a negative chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n0\r\n\r\n",
    "a chunk with a prefix": HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
    "a chunk beyond 64 bits": HEAD + b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\na\r\n0\r\n\r\n",
    "a chunk longer than told": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "a chunk that ends with LF": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
    "an extension with LF": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;a\nb\r\na\r\n0\r\n\r\n",
    "a method with a bracket": b"P(ST /api/v1/clientes HTTP/1.1\r\n" + HOST + b"\r\n",
    "a space in the target": b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n",
    "two spaces in the request line": b"GET  / HTTP/1.1\r\n" + HOST + b"\r\n",
    "a version in small letters": b"GET / http/1.1\r\n" + HOST + b"\r\n",
    "a version of tomorrow": b"GET / HTTP/9.9\r\n" + HOST + b"\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a name with a bracket": HEAD + b"X[a]: 1\r\n\r\n",
    "no name": HEAD + b": 1\r\n\r\n",
    "no colon": HEAD + b"X-A\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 64 + b"\r\n\r\n",
}


def connections_with_answers(connections, at_least):
    """Those that have something to read, when there are enough of them."""
    waiting = {connection.fileno(): connection for connection in connections}
    poll = select.poll()
    for file in waiting:
        poll.register(file, select.POLLIN)
    answered = []

    def are_enough():
        for file, _ in poll.poll(1000):
            poll.unregister(file)
            answered.append(waiting.pop(file))
        return len(answered) >= at_least

    support.wait_until(f"{at_least} connections have an answer", are_enough, told=lambda: len(answered))
    return answered


def close_all(connections):
    for connection in connections:
        connection.close()


class HostileTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def exchange(self, *pieces):
        """Sends the bytes, and gives all that comes until the server closes."""
        with self.server.connect() as connection:
            try:
                for piece in pieces:
                    connection.sendall(piece)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before the end
            return read_to_end(connection)

    def assert_served(self):
        self.assertTrue(self.server.is_running(), self.server.log.tail())
        self.server.wait_ready()

    def test_shapes_for_smuggling_get_one_refusal_and_an_end(self):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                received = self.exchange(shape + VICTIM)
                self.assertEqual(received.count(b"HTTP/1.1 "), 1, received)
                status = int(received.split(b" ")[1])
                self.assertIn(status, (400, 501, 505), received)
                self.assertIn(b"\r\nConnection: close\r\n", received)
                self.assertIn(b"\r\nContent-Type: application/problem+json\r\n", received)
        self.assertEqual(self.server.count("clientes"), 0)
        self.assert_served()

    def test_shapes_for_smuggling_in_a_pipeline_end_it_after_the_good_answers(self):
        good = raw_post("/api/v1/clientes", "good", client_of("good"))
        for name, shape in SHAPES.items():
            with self.subTest(name):
                received = self.exchange(good + shape + VICTIM)
                self.assertEqual(received.count(b"HTTP/1.1 "), 2, received)
        self.assertEqual(self.server.count("clientes"), 1)

    def test_sizes(self):
        line = b"GET /healthz HTTP/1.1\r\n" + HOST
        self.assert_refused(431, line + b"X-A: " + b"a" * 20_000 + b"\r\n\r\n")
        self.assert_refused(431, line + b"".join(b"X-%d: a\r\n" % n for n in range(10_000)) + b"\r\n")
        self.assert_refused(431, b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n")
        self.assert_refused(431, b"A" * 1_000_000)
        self.assert_refused(413, HEAD + b"Content-Length: 1048577\r\n\r\n", b" " * 1_048_577)
        self.assert_refused(413, HEAD + b"Content-Length: 1000000000000\r\n\r\n")
        self.assert_refused(413, HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
                            *[b"10000\r\n" + b" " * 65536 + b"\r\n"] * 20)
        bomb = gzip.compress(b" " * 100_000_000)
        self.assert_refused(413, HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb), bomb)
        extension = b"1;" + b"a" * 100_000 + b"\r\na\r\n0\r\n\r\n"
        self.assert_refused(400, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + extension)
        trailers = b"0\r\n" + b"".join(b"X-%d: a\r\n" % n for n in range(10_000)) + b"\r\n"
        self.assert_refused((400, 431), HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + trailers)
        self.assertEqual(self.server.count("clientes"), 0)
        self.assert_served()

    def assert_refused(self, status, *pieces):
        received = self.exchange(*pieces)
        told = int(received.split(b" ")[1]) if received else None
        allowed = status if isinstance(status, tuple) else (status,)
        self.assertIn(told, allowed, f"{pieces[0][:80]!r}: {received[:300]!r}")
        self.assertEqual(received.count(b"HTTP/1.1 "), 1)

    def test_keys(self):
        for key in ("a" * 256, "a" * 8000, '"' + "a" * 256 + '"', "a b", "a,b", 'a"b', "a\\b", '"a', '""', '"  "',
                    '"a";x=1', '"a", "b"', "é", "a\tb", ""):
            with self.subTest(key[:20]):
                answer = self.server.ask("POST", "/api/v1/clientes", client_of("key"), key.encode())
                self.assertEqual(answer.status, 400, answer)
                self.assertIn(answer.problem, ("idempotency-key-invalid", "idempotency-key-missing"))
        twice = {"Idempotency-Key": "a", "X-Idempotency-Key": "b"}
        answer = self.server.ask("POST", "/api/v1/clientes", client_of("key"), headers=twice)
        self.assertEqual((answer.status, answer.problem), (400, "idempotency-key-invalid"))
        two_lines = self.exchange(HEAD + b"Idempotency-Key: other\r\nConnection: close\r\n"
                                  b"Content-Length: 2\r\n\r\n{}")
        self.assertTrue(two_lines.startswith(b"HTTP/1.1 400 "), two_lines)
        self.assertEqual(self.server.count("clientes"), 0)
        self.assertEqual(self.server.ask("POST", "/api/v1/clientes", client_of("key"), "a" * 255).status, 201)
        quoted = self.server.ask("POST", "/api/v1/clientes", client_of("key"), '"' + "a" * 255 + '"')
        self.assertEqual((quoted.status, quoted.is_replay), (200, True))

    def test_bodies_that_are_no_requests(self):
        for body in (b"", b"{", b"[" * 100_000, b'{"a":' * 10_000, b"\xff\xfe", b'{"nome":"a","nome":"b"}',
                     b'{"nome":1e400}', b'{"nome":"\\ud800"}', b"\0" * 1000, b'{"nome":"a"} x', b"NaN",
                     b'{"nome":' + b"9" * 1_000_000 + b"}"):
            with self.subTest(body[:20]):
                answer = self.server.ask("POST", "/api/v1/clientes", body, "key")
                self.assertIn(answer.status, (400, 422), answer)
        self.assertEqual(self.server.ask("POST", "/api/v1/clientes", client_of("key"), "key").status, 201)

    def test_thousands_of_idle_connections_while_others_are_served(self):
        support.allow_files(IDLE + 200)
        alone = self.create_many("alone")
        before = self.server.resident_kib()
        idle = []
        try:
            for number in range(IDLE):
                connection = self.server.connect()
                # A third has said nothing, a third half a head, a third half a body.
                if number % 3 == 1:
                    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
                elif number % 3 == 2:
                    connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
                idle.append(connection)
            took = self.create_many("beside")
            growth = self.server.resident_kib() - before
        finally:
            close_all(idle)
        # Generous: 20 KiB for each of them.
        self.assertLess(growth, 20 * IDLE if not support.SANITIZED else 200 * IDLE)
        self.assert_served()
        print(f"{IDLE} idle connections: {growth} KiB more, 200 clients created in {took:.1f} s, alone in {alone:.1f} s")

    def create_many(self, name):
        """Tells how long it took."""
        began = time.monotonic()
        for number in range(200):
            answer = self.server.ask("POST", "/api/v1/clientes", client_of(f"{name}-{number}"), f"{name}-{number}")
            self.assertEqual(answer.status, 201, answer)
        return time.monotonic() - began

    def fill(self):
        """As many connections as there may be; None where that took so long that the first may be cut for idleness."""
        began = time.monotonic()
        connections = []
        try:
            while len(connections) < CONNECTIONS_MAX and time.monotonic() - began < IDLE_SECONDS / 2:
                connections.append(self.server.connect())
            if len(connections) == CONNECTIONS_MAX:
                return connections
        except BaseException:
            close_all(connections)
            raise
        close_all(connections)
        return None

    def test_a_connection_too_many_is_told_so_and_the_others_stay(self):
        support.allow_files(CONNECTIONS_MAX + 200)
        connections = support.wait_until("all connections there may be", self.fill, 3 * support.WAIT_SECONDS)
        try:
            refused = self.exchange(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(refused.startswith(b"HTTP/1.1 503 "), refused)
            for connection in connections[::1000]:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertEqual(read_answer(connection.makefile("rb"))[0], 200)
        finally:
            close_all(connections)
        support.wait_until("room for others", lambda: self.server.ask("GET", "/healthz").status == 200)

    def send_unfinished_bodies(self):
        """How many were refused, and by how many KiB the server grew. None where the first were cut before the last
        were sent: a body has half a minute."""
        connections = []
        try:
            for _ in range(BODIES_MIB_MAX + 30):
                connection = self.server.connect()
                connections.append(connection)
                # All but the last byte. One that is refused may be cut while it is sent.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    connection.sendall(HEAD + b"Content-Length: 1048576\r\n\r\n" + b" " * 1_048_575)
            refused = connections_with_answers(connections, at_least=20)
            resident = self.server.resident_kib()
            statuses = {read_answer(connection.makefile("rb"))[0] for connection in refused}
            if 408 in statuses:
                return None
            self.assertEqual(statuses, {503})
            self.server.wait_ready()
            return len(refused), resident
        finally:
            close_all(connections)

    def test_unfinished_bodies_of_all_connections_have_a_limit(self):
        before = self.server.resident_kib()
        refused, resident = support.wait_until(
            "all bodies are sent in time", self.send_unfinished_bodies, 3 * support.WAIT_SECONDS)
        growth = resident - before
        self.assertLess(growth, 2 * BODIES_MIB_MAX * 1024)
        created = lambda: self.server.ask("POST", "/api/v1/clientes", client_of("after"), "after").status == 201
        support.wait_until("room for other bodies", created)
        print(f"{BODIES_MIB_MAX + 30} unfinished bodies of 1 MiB: {growth // 1024} MiB more, "
              f"{refused} refused")

    def test_memory_stays_flat(self):
        attacks = [
            lambda: self.exchange(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
            lambda: self.exchange(HEAD + b"Content-Length: 1048577\r\n\r\n"),
            lambda: self.exchange(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"100000\r\n", b" " * 1_048_576,
                                  b"\r\n1\r\na\r\n0\r\n\r\n"),
            lambda: self.exchange(SHAPES["two lengths"] + VICTIM),
            lambda: self.exchange(HEAD + b"Connection: close\r\nContent-Length: 1000000\r\n\r\n", b"[" * 1_000_000),
            lambda: self.server.ask("POST", "/api/v1/clientes", client_of("key"), "a" * 8000),
            lambda: self.server.ask("GET", "/" + "b" * 2000),
        ]

        def attack(rounds):
            def work(_):
                for _ in range(rounds):
                    for one in attacks:
                        one()
            support.in_threads(4, work)

        attack(15)  # buffers and pools get their size
        before = self.server.resident_kib()
        attack(30)
        growth = self.server.resident_kib() - before
        self.assertLess(growth, GROWTH_KIB)
        self.assertEqual(self.server.count("clientes"), 0)
        self.assert_served()
        print(f"840 attacks after 420: {growth} KiB more")


if __name__ == "__main__":
    support.run_tests()
