#!/usr/bin/env python3
"""Over TLS: curl and http.client, a certificate renewed under load, and connections cut anywhere."""

import contextlib
import http.client
import json
import signal
import socket
import ssl
import subprocess
import threading

import support
from support import Server, ask, client_of, raw_post


class TlsTest(support.TestCase):
    def setUp(self):
        self.server = Server("--tls-cert", "umavez.pem", "--tls-key", "umavez.key")
        self.certificate = self.server.make_certificate()
        self.enterContext(self.server)

    def http(self, port=None):
        return http.client.HTTPSConnection(
            "127.0.0.1", port or self.server.port, timeout=support.WAIT_SECONDS,
            context=ssl.create_default_context(cafile=self.certificate))

    def ask(self, *arguments):
        connection = self.http()
        try:
            return ask(connection, *arguments)
        finally:
            connection.close()

    def test_curl_creates_and_replays(self):
        def create():
            ran = support.run_child(
                [support.need("curl"), "--silent", "--show-error", "--noproxy", "*", "--cacert", self.certificate,
                 "--max-time", str(support.WAIT_SECONDS), "--write-out", "\n%{http_code}", "-H", "Idempotency-Key: tls",
                 "-H", "Content-Type: application/json", "--data-binary", json.dumps(client_of("tls")),
                 f"https://127.0.0.1:{self.server.port}/api/v1/clientes"],
                seconds=2 * support.WAIT_SECONDS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if ran.returncode == support.CURL_TIMEOUT:
                raise support.not_met("curl gets an answer", support.WAIT_SECONDS)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            body, status = ran.stdout.rsplit("\n", 1)
            return int(status), json.loads(body)["id"]

        self.assertEqual([create(), create()], [(201, 1), (200, 1)])

    def test_a_certificate_is_renewed_while_requests_run(self):
        connection = self.http()
        self.assertEqual(ask(connection, "POST", "/api/v1/clientes", client_of(0), "key-0").status, 201)
        old = self.shown_certificate()
        self.certificate = self.server.make_certificate()
        self.server.process.send_signal(signal.SIGHUP)
        self.server.log.wait_for('"event":"certificate_reloaded"')
        self.assertNotEqual(self.shown_certificate(), old)

        # A connection that was open stays; a new one is shown the new certificate.
        self.assertEqual(ask(connection, "POST", "/api/v1/clientes", client_of(0), "key-0").status, 200)
        connection.close()
        self.assertEqual(self.ask("POST", "/api/v1/clientes", client_of(0), "key-0").status, 200)

    def shown_certificate(self):
        return ssl.get_server_certificate(("127.0.0.1", self.server.port))

    def test_what_is_not_tls_is_turned_away(self):
        for sent in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\0" * 1000, b"\x16\x03\x01\xff\xff" * 500):
            with self.server.connect() as connection:
                connection.sendall(sent)
                with contextlib.suppress(OSError):  # it may be cut already
                    connection.shutdown(socket.SHUT_WR)
                self.assertNotIn(b"HTTP/1.1 200", support.read_to_end(connection))
        support.wait_until("readiness", lambda: self.ask("GET", "/readyz").status == 200)

    def test_connections_cut_within_handshake_request_and_answer(self):
        total = self.talk_through_cutter("all", 10 ** 9)
        self.assertEqual(self.server.count("clientes"), 1)
        cuts = range(0, total, max(1, total // 120))
        for count in cuts:
            self.talk_through_cutter(f"cut-{count}", count)
        for count in cuts:
            def attempt():
                answer = self.ask("POST", "/api/v1/clientes", client_of(f"cut-{count}"), f"cut-{count}")
                return answer if answer.status != 409 else None
            answer = support.wait_until("the cut request has ended", attempt)
            self.assertIn(answer.status, (200, 201), answer)
            self.assertEqual(answer.is_replay, answer.status == 200)
        self.assertEqual(self.server.count("clientes"), 1 + len(cuts))

    def talk_through_cutter(self, key, count):
        """One request; the bytes of both directions together end after `count`. Tells how many passed."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            passed = []
            listener.settimeout(support.WAIT_SECONDS)
            cutter = support.Aside("the connection is cut", lambda: self.cut(listener, count, passed))
            connection = self.http(listener.getsockname()[1])
            try:
                ask(connection, "POST", "/api/v1/clientes", client_of(key), key)
            except (OSError, http.client.HTTPException):
                self.assertLess(count, 10 ** 9)
            finally:
                connection.close()
            cutter.join()
            return sum(passed)

    def cut(self, listener, count, passed):
        with support.awaited("a client to cut off"):
            client, _ = listener.accept()
        server = self.server.connect()
        lock = threading.Lock()

        def pump(source, sink):
            try:
                while piece := source.recv(65536):
                    with lock:
                        piece = piece[:count - sum(passed)]
                        passed.append(len(piece))
                        is_over = sum(passed) >= count
                    sink.sendall(piece)
                    if is_over:
                        break
            except OSError:
                pass  # the other direction ended it
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # is down already

        back = support.Aside("the other direction ends", lambda: pump(server, client))
        pump(client, server)
        back.join()
        client.close()
        server.close()


if __name__ == "__main__":
    support.run_tests()
