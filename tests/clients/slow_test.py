#!/usr/bin/env python3
"""Clients that send or read a byte now and then are cut, and keep nobody from being served.

The server gives a head 10 s, a body and an answer 30 s; here all of them wait together.
"""

import time

import support
from support import Server, client_of

HEAD = (b"POST /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Idempotency-Key: slow\r\n")
# Longer than the server gives any of them.
CUT_SECONDS = support.WAIT_SECONDS


class SlowTest(support.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def test_slow_senders_and_readers_are_cut_while_others_are_served(self):
        shy = Server("--tls-cert", "umavez.pem", "--tls-key", "umavez.key")
        shy.make_certificate()
        self.enterContext(shy)
        results = {}
        hanging = set()  # those that nobody has cut yet

        def trickle(name, server, first, byte):
            """A byte now and then, until the server has had enough."""
            began = time.monotonic()  # before the server's clock, however long we are about it
            with server.connect() as connection:
                connection.sendall(first)
                connection.settimeout(0.5)
                while True:
                    try:
                        connection.sendall(byte)
                        received = connection.recv(65536)
                        break
                    except TimeoutError:
                        if time.monotonic() - began > CUT_SECONDS:
                            raise support.not_met(f"the server cuts {name}", CUT_SECONDS) from None
                    except (BrokenPipeError, ConnectionResetError):
                        connection.settimeout(support.WAIT_SECONDS)
                        received = support.read_to_end(connection)  # it was told why before it was cut
                        break
            hanging.discard(name)
            results[name] = time.monotonic() - began, received

        def read_nothing(name):
            """Asks for more than the kernel's buffers hold and reads none of it."""
            began = time.monotonic()
            ask = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
            with self.server.connect() as connection:
                connection.setblocking(False)

                def is_cut():
                    try:
                        connection.send(ask)
                    except BlockingIOError:
                        pass
                    except (BrokenPipeError, ConnectionResetError):
                        return True
                    return False

                support.wait_until(f"the server cuts {name}", is_cut, CUT_SECONDS, pause=0.5)
            hanging.discard(name)
            results[name] = time.monotonic() - began, b""

        slow = {
            # A hello of TLS that promises 512 bytes.
            "hello": lambda: trickle("hello", shy, b"\x16\x03\x01\x02\x00\x01", b"\0"),
            "head": lambda: trickle("head", self.server, b"GET /healthz HTTP/1.1\r\nX-A: ", b"a"),
            "body": lambda: trickle("body", self.server, HEAD + b"Content-Length: 1000\r\n\r\n", b" "),
            "chunks": lambda: trickle(
                "chunks", self.server, HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            "answer": lambda: read_nothing("answer"),
        }
        hanging |= set(slow)
        threads = [support.Aside(f"{name} is cut", work) for name, work in slow.items()]
        beside = []  # for each that was served: how many hung from its beginning to its end

        def serve_one():
            """Whether all were cut; one more is served in any case."""
            is_over = not any(thread.is_running for thread in threads)
            answer = self.server.ask("POST", "/api/v1/clientes", client_of(len(beside)), f"key-{len(beside)}")
            self.assertEqual(answer.status, 201, answer)
            beside.append(len(hanging))
            return is_over

        # Load, not speed.
        support.wait_until("all are cut", serve_one, 2 * CUT_SECONDS, pause=0.1)
        for thread in threads:
            thread.join()

        for name, limit in (("hello", 10), ("head", 10), ("body", 30), ("chunks", 30), ("answer", 30)):
            with self.subTest(name):
                took, received = results[name]
                self.assertGreater(took, limit - 2)
                if name not in ("hello", "answer"):
                    self.assertTrue(received.startswith(b"HTTP/1.1 408 "), received)
        # Nobody waited for the first of them to be cut, nor for the last.
        self.assertGreaterEqual(beside.count(len(slow)), 3, beside)
        self.assertTrue(any(0 < count < len(slow) for count in beside), beside)
        self.assertEqual(self.server.count("clientes"), len(beside))


if __name__ == "__main__":
    support.run_tests()
