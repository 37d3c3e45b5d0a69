"""A proxy that lets the server do its work and then loses the answer.

It passes every request on as it came, waits for the whole answer, and only then loses it, in one of three
ways: closed without a byte, reset, or cut in the middle of its body. Seen from the client, nothing tells whether the request ran.
"""

import itertools
import socket
import threading

import support


class DroppingProxy:
    def __init__(self, server, drops, ways=("close", "reset", "cut"), prefix=""):
        """Loses the first `drops` answers. `prefix` is taken off the paths that begin with it."""
        self._server = server
        self._drops = drops
        self._ways = itertools.cycle(ways)
        self._prefix = prefix
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open = set()
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self.port = self._listener.getsockname()[1]
        self.requests = []  # (request line, headers by lower-case name, body)
        self.statuses = []  # that the server gave, lost or not
        self._failures = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # closed meanwhile
        self._thread.join(support.WAIT_SECONDS)
        support.raise_worst(self._failures)

    @property
    def keys(self):
        return [headers.get("idempotency-key") for _, headers, _ in self.requests]

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, client):
        with self._lock:
            self._open.add(client)
        try:
            reader = client.makefile("rb")
            while self._pass_one(client, reader):
                pass
        except OSError:
            pass  # the client left, or the test is over
        except Exception as error:  # told at the end
            self._failures.append(error)
        finally:
            with self._lock:
                self._open.discard(client)
            client.close()

    def _pass_one(self, client, reader):
        line = reader.readline()
        if not line:
            return False
        method, path, version = line.decode("latin-1").split()
        head = f"{method} {path.removeprefix(self._prefix)} {version}\r\n".encode("latin-1")
        headers = {}
        while (field := reader.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
            head += field
        body = reader.read(int(headers.get("content-length", 0)))
        answer = self._forward(head + b"\r\n" + body)
        with self._lock:
            self.requests.append((line.decode("latin-1").strip(), headers, body))
            self.statuses.append(int(answer.split(b" ", 2)[1]))
            way = next(self._ways) if self._drops > 0 else None
            self._drops -= 1
        if way is None:
            client.sendall(answer)
            return True
        if way == "cut":
            head = answer.index(b"\r\n\r\n") + 4
            client.sendall(answer[:(head + len(answer)) // 2])
            client.shutdown(socket.SHUT_RDWR)
        elif way == "reset":
            reader.close()
            support.reset(client)
        return False

    def _forward(self, request):
        """The bytes of the whole answer: a new connection each time, read up to the length it tells."""
        with support.awaited("the server answers the proxy"), self._server.connect() as upstream:
            upstream.sendall(request)
            received = b""
            while b"\r\n\r\n" not in received:
                received += self._some(upstream)
            head = received.split(b"\r\n\r\n")[0]
            fields = dict(field.lower().split(b":", 1) for field in head.split(b"\r\n")[1:])
            length = len(head) + 4 + int(fields[b"content-length"])
            while len(received) < length:
                received += self._some(upstream)
            return received

    @staticmethod
    def _some(upstream):
        piece = upstream.recv(65536)
        if not piece:
            raise ConnectionError("the server closed in the middle of an answer")
        return piece
