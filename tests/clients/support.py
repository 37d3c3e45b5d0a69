"""What the tests of real clients share: the server as a child process, requests, and waits with a deadline.

UMAVEZ_PROGRAM names the built program. Every server has a folder of its own and any free port; it is ended by its
process id. Whatever a test waits for, it waits for by wait_until, or by one of those that follow it: a wait that is
not met ends its test and says so.
"""

import collections
import contextlib
import http.client
import json
import os
import queue
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SKIPPED = 77
CURL_TIMEOUT = 28  # an exit code
# The deadline of every wait; UMAVEZ_WAIT_SECONDS makes it longer.
WAIT_SECONDS = max(60, int(os.environ.get("UMAVEZ_WAIT_SECONDS", "60")))
# What is sent there bears its own name: an event, a document, a mailing, an address. Sent again it is the same.
NAMED = ("/webhooks/", "/descadastro/", "/api/v1/documentos-fiscais", "/api/v1/mailings", "/api/v1/supressoes")
# A sanitizer keeps freed memory and makes everything slower.
SANITIZED = os.environ.get("UMAVEZ_SANITIZED", "") not in ("", "0")


def run_tests():
    """Runs the tests of the calling file; if none failed but one was skipped, ends with SKIPPED."""
    program = unittest.main(module="__main__", verbosity=2, exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped else 0)


class WaitNotMet(AssertionError):
    """A wait that only a hang reaches; its text tells tools/run_tests a slow machine from a fault."""


def not_met(what, seconds, told=None):
    """`told()` says more of it, where it can."""
    more = ""
    if told is not None:
        try:
            more = f": {told()}"
        except Exception as error:  # whoever is asked may be what hangs
            more = f": {error!r}"
    return WaitNotMet(f"WAIT NOT MET: {what}, after {seconds} s{more}")


def wait_until(what, question, seconds=WAIT_SECONDS, told=None, pause=0.05):
    """The one way in which a test waits: asks until the answer is true, and gives it. Pauses grow up to `pause`."""
    deadline = time.monotonic() + seconds
    short = pause / 16
    while True:
        is_late = time.monotonic() > deadline  # looked at before: what is true in the end counts
        if answer := question():
            return answer
        if is_late:
            raise not_met(what, seconds, told)
        time.sleep(min(short, pause))
        short *= 2


def wait_on(changed, what, condition, seconds=WAIT_SECONDS, told=None):
    """The same on an event: `changed` is a Condition, which the caller holds."""
    answer = changed.wait_for(condition, seconds)
    if not answer:
        raise not_met(what, seconds, told)
    return answer


@contextlib.contextmanager
def awaited(what, seconds=WAIT_SECONDS):
    """The same for what brings a deadline with it: a socket, a child."""
    try:
        yield
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        raise not_met(what, seconds) from error


def wait_ended(process, what, seconds=WAIT_SECONDS, told=None):
    """The exit code of a child."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise not_met(what, seconds, told) from None


def run_child(command, seconds=WAIT_SECONDS, **more):
    """subprocess.run for a child that ends by itself."""
    name = " ".join([os.path.basename(command[0]), *(word for word in command[1:4] if len(word) < 40)])
    with awaited(f"{name} ends", seconds):
        return subprocess.run(command, timeout=seconds, **more)


def run_command(command, folder, environment):
    """Another command of the program. A server that stands still does not take its order: then it is given again."""
    def ran():
        done = run_child(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        return None if "is in use by process" in done.stderr else done
    return wait_until(f"the server takes the order {command[1:3]}", ran)


class TestCase(unittest.TestCase):
    """A wait that is not met ends the whole test, in a subtest too."""

    @contextlib.contextmanager
    def subTest(self, msg="", **params):
        waited = None
        with super().subTest(msg, **params):
            try:
                yield
            except WaitNotMet as error:
                waited = error
        if waited is not None:
            waited.add_note(f"in the subtest {msg!r} {params or ''}")
            raise waited


def need(program):
    found = shutil.which(program)
    if found is None:
        raise unittest.SkipTest(f"{program} is not installed; ./dev packages installs it")
    return found


def end_by_kill(process, log, name, may_have_ended=()):
    """kill -9. One that was dead before, or that complained, was not ended by us: that is told, whatever else failed.

    `may_have_ended`: exit codes it may have had before, because it was asked for them."""
    code = process.poll()
    process.kill()
    wait_ended(process, f"{name} ends", told=log.tail)
    log.close()
    assert code is None or code in may_have_ended, f"{name} ended with {code} before it was killed:\n{log.tail(200)}"
    log.assert_in_order(name)


class Server:
    """`umavez serve` in a temporary folder. Keeps the folder over restarts."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="umavez-clients-")
        self.arguments = arguments
        self.address = "127.0.0.1"
        self.process = None
        self.port = 0
        self.log = None
        self.may_have_ended = ()  # the exit codes that are no surprise to kill()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        """Every test also shows that the server still runs, stops in order, and logs nothing but JSON."""
        try:
            if self.process is not None:
                log = self.log
                code = self.stop()
                assert code == 0, f"the server ended with {code}:\n{log.tail()}"
                log.assert_in_order("the server")
        finally:
            if self.process is not None:
                self.kill()
            self.folder.cleanup()

    @property
    def program(self):
        return os.environ["UMAVEZ_PROGRAM"]

    @property
    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("UMAVEZ_")}
        if SANITIZED:
            kept["ASAN_OPTIONS"] = kept.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=4"
        return kept

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "serve", "--listen", f"{self.address}:0", *self.arguments],
            cwd=self.folder.name, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.may_have_ended = ()
        self.log = Log(self.process.stderr)
        line = self.log.wait_for('"event":"listening"')
        self.port = json.loads(line)["port"]

    def kill(self):
        """kill -9, and waits for the end."""
        process, self.process = self.process, None
        end_by_kill(process, self.log, "the server", self.may_have_ended)

    def stop(self):
        """SIGTERM; tells the exit code."""
        self.may_have_ended = (0,)  # it may come to it later than it is waited for
        self.process.send_signal(signal.SIGTERM)
        return self._collect()

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def _collect(self):
        code = wait_ended(self.process, "the server ends", told=self.log.tail)
        self.log.close()
        self.process = None
        return code

    def run(self, *arguments):
        """Another command of the program in the same folder; gives its standard output."""
        ran = run_command([self.program, *arguments], self.folder.name, self.environment)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def resident_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1))

    def make_certificate(self):
        """umavez.pem and umavez.key in the folder, for 127.0.0.1; gives the path of the certificate."""
        subprocess.run(
            [need("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
             "-out", "umavez.pem", "-keyout", "umavez.key"],
            cwd=self.folder.name, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return os.path.join(self.folder.name, "umavez.pem")

    def connect(self, seconds=WAIT_SECONDS):
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds)

    def http(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)

    def ask(self, method, path, body=None, key=None, headers=None):
        def once():
            connection = self.http()
            try:
                return ask(connection, method, path, body, key, headers)
            finally:
                connection.close()
        return once() if path == "/readyz" else until_store_answers(once)

    def wait_ready(self):
        wait_until("readiness", lambda: self.ask("GET", "/readyz").status == 200)

    def rows(self, query):
        """Reads the database beside the server, or after its end."""
        database = sqlite3.connect(os.path.join(self.folder.name, "umavez.db"), timeout=WAIT_SECONDS)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def count(self, table):
        return self.rows(f"SELECT count(*) FROM {table}")[0][0]


def is_json(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


class Log:
    """Reads the standard error of a server as it comes, so that it never has to wait for us."""

    def __init__(self, stream):
        self._stream = stream
        self._changed = threading.Condition()
        self._lines = []
        self._has_ended = False
        self.strange = []  # lines that are no JSON
        self.events = collections.Counter()  # by their names
        self.statuses = collections.Counter()  # of the answers it tells of
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self._stream:
            if is_json(line):
                self._count(json.loads(line))
            else:
                self.strange.append(line)
            with self._changed:
                # The beginning tells the port, the end tells why a server died.
                if len(self._lines) > 2000:
                    del self._lines[100:1100]
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _count(self, told):
        self.events[told.get("event")] += 1
        if told.get("event") == "answered":
            self.statuses[told["status"]] += 1

    def wait_for(self, text, seconds=WAIT_SECONDS):
        found = lambda: next((line for line in self._lines if text in line), None)
        with self._changed:
            wait_on(self._changed, f"the server says {text}", lambda: found() or self._has_ended, seconds,
                    lambda: "".join(self._lines[-20:]))
            line = found()
            if line is None:
                raise AssertionError(f"the server never said {text}:\n{''.join(self._lines[-20:])}")
            return line

    @property
    def has_ended(self):
        with self._changed:
            return self._has_ended

    def tail(self, count=20):
        with self._changed:
            return "".join(self._lines[-count:])

    def close(self):
        self._thread.join(WAIT_SECONDS)
        self._stream.close()

    def assert_in_order(self, name):
        """It has nothing but JSON: a sanitizer's report is none. A process that is killed may leave half a line."""
        strange = [line for line in self.strange if line.endswith("\n") or not line.startswith("{")]
        assert not strange, f"no JSON in the log of {name}:\n{''.join(strange[:100])}"


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def is_replay(self):
        return self.headers["Idempotent-Replayed"] == "true"

    @property
    def problem(self):
        """The name of the problem: the last segment of its type."""
        return self.json["type"].rsplit("/", 1)[-1] if self.status >= 400 else None

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:500]!r}"


def ask(connection, method, path, body=None, key=None, headers=None):
    sent = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    if key is not None:
        sent["Idempotency-Key"] = key
    SENT.note(sent.get("Idempotency-Key"))
    with awaited(f"an answer to {method} {path}", connection.timeout):
        connection.request(method, path, body, sent)
        answer = Answer(connection.getresponse())
    answer.method, answer.path, answer.key = method, path, sent.get("Idempotency-Key")
    return answer


class Sent:
    """How often each key was sent, as far as this process sends them itself."""

    def __init__(self):
        self._lock = threading.Lock()
        self._count = collections.Counter()

    def note(self, key):
        with self._lock:
            self._count[key] += 1

    def count(self, key):
        with self._lock:
            return self._count[key]


SENT = Sent()


def is_store_unavailable(answer):
    """The database stood still for too long, or the server did while it asked it."""
    return answer.status == 503 and answer.problem == "store-unavailable"


def was_nothing_done(answer):
    """Of such an answer: it says so. Where it names no effect nobody knows."""
    return answer.json.get("effect") == "none"


def may_be_repeated(answer):
    """Of such an answer: the same can be sent again, for it was not done or the server knows it by its key or name."""
    return was_nothing_done(answer) or answer.method in ("GET", "HEAD", "PATCH", "DELETE") \
        or answer.key is not None or is_named(answer.path)


def is_named(path):
    return path.startswith(NAMED)


def until_store_answers(question):
    """Asks again where the store was away, as a client may. Whoever alone sends a key, and was told that nothing was
    done, is not told afterwards that it was done before."""
    refusals = []

    def answered():
        answer = question()
        if not is_store_unavailable(answer):
            return answer
        refusals.append(answer)
        return None if may_be_repeated(answer) else answer
    answer = wait_until("the store answers", answered)
    is_alone = answer.key is not None and SENT.count(answer.key) == len(refusals) + 1
    if refusals and all(map(was_nothing_done, refusals)) and is_alone and not is_named(answer.path):
        assert not answer.is_replay, f"nothing was done, it was told, and then {answer} after {refusals}"
    return answer


def until_taken(what, question):
    """The answer to a client that asks again, as it was told to, while a database stands still."""
    def taken():
        answer = question()
        if is_store_unavailable(answer) and not may_be_repeated(answer):
            return answer
        waits = answer.status == 503 or (answer.status == 409 and answer.problem == "idempotency-in-progress")
        return None if waits else answer
    return wait_until(f"{what} is taken", taken)


def client_of(name):
    """The body that creates a client; addresses are unique."""
    return {"nome": "João Silva", "email": f"{name}@example.com", "documento": "123.456.789-00"}


def raw_post(path, key, body, more=""):
    """The bytes of a request."""
    SENT.note(key)
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Idempotency-Key: {key}\r\n{more}Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def read_answer(stream):
    """One answer from a socket's file: (status, headers by lower-case name, body). None at the end."""
    with awaited("an answer"):
        return _read_answer(stream)


def _read_answer(stream):
    line = stream.readline()
    if not line:
        return None
    status = int(line.split()[1])
    headers = {}
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return status, headers, stream.read(int(headers.get("content-length", 0)))


def reset(connection):
    """Closes with RST instead of FIN, as a process that dies with unread bytes does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


def allow_files(count):
    """Lets this process have so many open files, or skips the test."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise unittest.SkipTest(f"{count} files are needed, {hard} may be open")
    if soft != resource.RLIM_INFINITY and soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def read_to_end(connection):
    """All bytes until the server closes; what came before a reset counts."""
    received = bytearray()
    with awaited("the server closes the connection", connection.gettimeout()), \
            contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            received += piece
    return bytes(received)


class Aside:
    """work() in a thread of its own, whose failure is the failure of whoever joins it."""

    def __init__(self, what, work):
        self._what, self._work = what, work
        self._given = self._error = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            self._given = self._work()
        except BaseException as error:  # told to whoever joins
            self._error = error

    @property
    def is_running(self):
        return self._thread.is_alive()

    def join(self, seconds=2 * WAIT_SECONDS):
        """What work() gave. By default it may end after a wait of its own."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            raise not_met(self._what, seconds)
        if self._error is not None:
            raise self._error
        return self._given


def raise_worst(errors):
    """One of them, if there are any: a wait that was not met only where nothing else went wrong."""
    for error in sorted(errors, key=lambda error: isinstance(error, WaitNotMet)):
        raise error


def in_threads(count, work):
    """Calls work(number) in `count` threads that start together; gives the results in order."""
    results = [None] * count
    errors = []
    gate = threading.Barrier(count)

    def run(number):
        try:
            try:
                gate.wait(WAIT_SECONDS)
            except threading.BrokenBarrierError:
                raise not_met("all threads begin", WAIT_SECONDS) from None
            results[number] = work(number)
        except BaseException as error:  # told to the thread that waits
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    raise_worst(errors)
    return results


def run_cases(workers):
    """`workers`: (queue of cases, run) for each thread, which calls run(case) until its queue is empty. What fails is
    told in the end, all of it. After a wait that was not met no case is begun."""
    errors = []

    def work(cases, run):
        with contextlib.suppress(queue.Empty):
            while not any(isinstance(error, WaitNotMet) for _, error in errors):
                case = cases.get_nowait()
                try:
                    run(case)
                except Exception as error:
                    errors.append((case, error))

    in_threads(len(workers), lambda number: work(*workers[number]))
    if all(isinstance(error, WaitNotMet) for _, error in errors):
        raise_worst(error for _, error in errors)
        return
    raise AssertionError(f"{len(errors)} cases failed:\n" + "\n".join(f"{case}: {error!r}" for case, error in errors))
