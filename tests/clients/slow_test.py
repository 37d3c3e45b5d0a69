#!/usr/bin/env python3
"""Clients that send or read a byte now and then are cut, and keep nobody from being served.

The server gives a head 10 s, a body and an answer 30 s; here all of them wait together.
"""

import threading
import time

import support
from support import Server, client_of

HEAD = (b"POST /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Idempotency-Key: slow\r\n")


class SlowTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def test_slow_senders_and_readers_are_cut_while_others_are_served(self):
        shy = Server("--tls-cert", "umavez.pem", "--tls-key", "umavez.key")
        shy.make_certificate()
        self.enterContext(shy)
        over = threading.Event()
        results = {}

        def trickle(name, server, first, byte, limit):
            """A byte now and then, until the server has had enough."""
            began = time.monotonic()  # before the server's clock, however long we are about it
            with server.connect(limit) as connection:
                connection.sendall(first)
                connection.settimeout(0.5)
                received = b""
                while time.monotonic() - began < limit:
                    try:
                        connection.sendall(byte)
                        received = connection.recv(65536)
                        break
                    except TimeoutError:
                        continue
                    except (BrokenPipeError, ConnectionResetError):
                        received = support.read_to_end(connection)  # it was told why before it was cut
                        break
                else:
                    received = None
                results[name] = time.monotonic() - began, received

        def read_nothing(name, limit):
            """Asks for more than the kernel's buffers hold and reads none of it."""
            began = time.monotonic()
            with self.server.connect(limit) as connection:
                connection.setblocking(False)
                ask = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
                closed = False
                while time.monotonic() - began < limit and not closed:
                    try:
                        connection.send(ask)
                    except BlockingIOError:
                        over.wait(0.5)
                    except (BrokenPipeError, ConnectionResetError):
                        closed = True
                results[name] = time.monotonic() - began, b"" if closed else None

        threads = [
            # A hello of TLS that promises 512 bytes.
            threading.Thread(target=trickle, args=("hello", shy, b"\x16\x03\x01\x02\x00\x01", b"\0", 20)),
            threading.Thread(target=trickle, args=(
                "head", self.server, b"GET /healthz HTTP/1.1\r\nX-A: ", b"a", 20)),
            threading.Thread(target=trickle, args=(
                "body", self.server, HEAD + b"Content-Length: 1000\r\n\r\n", b" ", 45)),
            threading.Thread(target=trickle, args=(
                "chunks", self.server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 45)),
            threading.Thread(target=read_nothing, args=("answer", 45)),
        ]
        for thread in threads:
            thread.start()
        try:
            slowest = 0
            number = 0
            while any(thread.is_alive() for thread in threads):
                began = time.monotonic()
                answer = self.server.ask("POST", "/api/v1/clientes", client_of(number), f"key-{number}")
                self.assertEqual(answer.status, 201, answer)
                slowest = max(slowest, time.monotonic() - began)
                number += 1
                over.wait(0.1)  # load, not speed
        finally:
            over.set()
            for thread in threads:
                thread.join(support.WAIT_SECONDS)

        for name, limit in (("hello", 10), ("head", 10), ("body", 30), ("chunks", 30), ("answer", 30)):
            with self.subTest(name):
                took, received = results[name]
                self.assertIsNotNone(received, f"{name}: nobody cut it within {took:.0f} s")
                self.assertGreater(took, limit - 2)
                if name not in ("hello", "answer"):
                    self.assertTrue(received.startswith(b"HTTP/1.1 408 "), received)
        # Nobody waited for the first of them to be cut.
        self.assertLess(slowest, 8)
        self.assertEqual(self.server.count("clientes"), number)


if __name__ == "__main__":
    support.run_tests()
