"""The servers that bench_http measures, each a child process on a free port, ended by its process id."""

import contextlib
import http.client
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_SECONDS = max(60, int(os.environ.get("UMAVEZ_WAIT_SECONDS", "60")))
HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    """Below those that the kernel gives out: nobody gets it by chance before the server has it."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_768)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_for_port(process, port):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"{process.args} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise SystemExit(f"{process.args} does not listen on {port}")


class Server:
    """A process that listens. `path` is what wrk asks for."""

    def __init__(self, arguments, port, path="/charges", environment=None, folder=None, helpers=()):
        self.port = port
        self.url = f"http://127.0.0.1:{port}{path}"
        self.helpers = helpers
        self.process = subprocess.Popen(
            arguments, cwd=folder, env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for_port(self.process, port)
        except BaseException:
            self.process.kill()
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        try:
            if self.process.poll() is None:
                self.process.send_signal(number)
            self.process.wait(START_SECONDS)
        finally:
            for helper in self.helpers:
                helper.stop()

    def pids(self):
        """Itself and what works for it: the store of a peer."""
        return [self.process.pid, *(pid for helper in self.helpers for pid in helper.pids())]

    def get(self, path, seconds=10):
        """The body of the answer to GET."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def post(self, key, body, headers=None, seconds=10):
        """(status, body) of POST on `path`, or (None, reason) where no answer came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            path = self.url.split(f":{self.port}", 1)[1]
            sent = {"Content-Type": "application/json", "Idempotency-Key": key, **(headers or {})}
            connection.request("POST", path, body, sent)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            return None, repr(error).encode()
        finally:
            connection.close()


class Bench:
    """Makes the servers. Everything they write is in one temporary folder on the disk that is measured."""

    def __init__(self, programs):
        self.programs = programs  # where the built servers are
        self.folder = tempfile.mkdtemp(prefix="umavez-bench-", dir=os.environ.get("UMAVEZ_BENCH_DIR"))
        self.node = os.environ.get("UMAVEZ_BENCH_NODE", "")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.folder, name)

    def remove_database(self, name):
        for end in ("", "-wal", "-shm", ".lock", ".sock"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.file(name + end))

    def bare_beast(self):
        port = free_port()
        return Server([os.path.join(self.programs, "bare_beast"), str(port)], port)

    def plain(self):
        port = free_port()
        return Server([os.path.join(self.programs, "plain_server"), str(port), "1"], port)

    def probe(self, store, **environment):
        port = free_port()
        settings = {"PORT": str(port), "STORE": store, **environment}
        return Server([os.path.join(self.programs, "probe_server")], port, environment=settings)

    def umavez(self, database):
        port = free_port()
        program = os.path.join(self.programs, "..", "..", "umavez")
        arguments = [program, "serve", "--listen", f"127.0.0.1:{port}", "--database", f"sqlite:{self.file(database)}"]
        return Server(arguments, port, "/api/v1/clientes", folder=self.folder)

    def redis(self, fsync):
        port = free_port()
        folder = tempfile.mkdtemp(prefix="redis-", dir=self.folder)
        durability = ["--appendonly", "yes", "--appendfsync", fsync] if fsync else ["--appendonly", "no"]
        return Server(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                       *durability], port)

    def peer(self, fsync=None):
        """fastify + node-idempotency on a Redis of its own."""
        redis = self.redis(fsync)
        port = free_port()
        settings = {"NODE_ENV": "production", "PORT": str(port), "REDIS_URL": f"redis://127.0.0.1:{redis.port}"}
        return Server(["node", os.path.join(HERE, "peer_server.mjs")], port, environment=settings, folder=self.node,
                      helpers=(redis,))

    def has_peer(self):
        packages = os.path.join(self.node, "node_modules")
        return (shutil.which("node") and shutil.which("redis-server")
                and os.path.isdir(os.path.join(packages, "fastify"))
                and os.path.isdir(os.path.join(packages, "@node-idempotency", "storage-adapter-redis")))

    def write_by_hand(self, database, milliseconds):
        """Clients per second of the hand-written program on the tables of a stopped server."""
        return float(self._run_writer("measure", self.file(database), str(milliseconds)))

    def fill_by_hand(self, database, clients):
        self._run_writer("fill", self.file(database), str(clients))

    def _run_writer(self, *arguments):
        program = os.path.join(self.programs, "clientes_writer")
        return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
