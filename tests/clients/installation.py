"""Processes of the program on one database: receivers, workers, and such as kill themselves where they are told.

UMAVEZ_KILLABLE names the program that dies at fault points (tests/crash/killable.cpp); its points are those of
src/base/fault_point.hpp, read from there so that the two cannot differ.
"""

import collections
import contextlib
import http.client
import json
import os
import re
import signal
import sqlite3
import struct
import subprocess
import tempfile

from postgres import die_with_parent
from support import WAIT_SECONDS, Log, ask, end_by_kill, run_command, until_store_answers, wait_ended, wait_until

STRIPE_SECRET = "whsec_loja_de_testes_0001"
STANDARD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
PROVIDERS = (f'[[webhook.provider]]\nname = "stripe"\nscheme = "stripe"\nsecrets = ["{STRIPE_SECRET}"]\n'
             f'[[webhook.provider]]\nname = "loja"\nscheme = "standard-webhooks"\nsecrets = ["{STANDARD_SECRET}"]\n')
# Leases and retries are short: what a dead process left is waited for.
SETTINGS = """[webhook]
threads = 4
retry_longest = "250ms"
attempts_max = 1000
[operation."webhook.processar"]
lease = "1s"
takeovers_max = 100
"""
# Where nobody dies, nobody is taken for dead because the machine stood still.
CALM = SETTINGS.replace('lease = "1s"', 'lease = "1m"')


def fault_points():
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/base/fault_point.hpp")
    with open(header, encoding="utf-8") as text:
        words = re.search(r"enum class FaultPoint[^{]*\{(.*?)\};", text.read(), re.DOTALL).group(1)
    return [name for name in re.findall(r"^\s*(\w+),", words, re.MULTILINE) if name != "count_"]


class Arrivals:
    """How often a process reached each fault point, and at which one it died; outlives it."""

    def __init__(self, path):
        self.path = path
        self.points = fault_points()

    def _numbers(self):
        size = 8 * (len(self.points) + 1)
        with open(self.path, "rb") as file:
            return struct.unpack(f"={len(self.points) + 1}Q", file.read(size))

    def count(self, point):
        return self._numbers()[self.points.index(point)]

    @property
    def killed_at(self):
        number = self._numbers()[-1]
        return self.points[number - 1] if number else None


class Node:
    """One process, `serve` or `worker`. A server keeps its port over restarts. Started by the main thread only."""

    def __init__(self, installation, command, *arguments):
        self.installation = installation
        self.command = command
        self.arguments = arguments
        self.process = None
        self.log = None
        self.port = 0
        self.lives = 0
        self.events = collections.Counter()  # of all its lives that are over, as its log names them
        self.arrivals = None
        self.kill_at = None
        self.is_stopping = False

    @property
    def name(self):
        return f"{self.command}-{self.installation.nodes.index(self)}"

    def start(self, kill_at=None, watched=False):
        """kill_at "point:arrival" makes it die there, perhaps before it serves: work that was left over is begun at
        once. watched counts arrivals alone."""
        program, environment = os.environ["UMAVEZ_PROGRAM"], self.installation.environment
        self.lives += 1
        self.kill_at, self.arrivals, self.is_stopping = kill_at, None, False
        if kill_at or watched:
            program = os.environ["UMAVEZ_KILLABLE"]
            self.arrivals = Arrivals(os.path.join(self.installation.folder, f"{self.name}.{self.lives}"))
            environment = environment | {"UMAVEZ_ARRIVALS": self.arrivals.path}
            if kill_at:
                environment["UMAVEZ_KILL_AT"] = kill_at
        is_server = self.command == "serve"
        listen = ("--listen", f"127.0.0.1:{self.port}") if is_server else ()
        self.process = subprocess.Popen(
            [program, self.command, *listen, *self.arguments], cwd=self.installation.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=die_with_parent(signal.SIGKILL))
        self.log = Log(self.process.stderr)
        try:
            line = self.log.wait_for('"event":"listening"' if is_server else '"event":"working"')
        except AssertionError:
            # Not WaitNotMet: the log has an end, and so has the process.
            if kill_at and self.log.has_ended and self._end_code() == -signal.SIGKILL:
                return self
            self.kill()
            raise
        if is_server:
            self.port = json.loads(line)["port"]
        return self

    def wait_killed(self, seconds=WAIT_SECONDS):
        """Waits for the death that was asked for, and shows that it was this one."""
        point = self.kill_at.split(":")[0]
        wait_ended(self.process, f"{self.name} dies at {self.kill_at}", seconds,
                   lambda: f"it was there {self.arrivals.count(point)} times:\n{self.log.tail()}")
        tail, log = self.log.tail(), self.log
        code = self._collect()
        log.assert_in_order(self.name)
        assert (code, self.arrivals.killed_at) == (-signal.SIGKILL, point), \
            f"{self.name} ended with {code} at {self.arrivals.killed_at}, not at {self.kill_at}:\n{tail}"

    def kill(self):
        process, self.process = self.process, None
        expected = {-signal.SIGKILL} if self.kill_at else set()
        expected |= {0} if self.is_stopping else set()
        try:
            end_by_kill(process, self.log, self.name, expected)
        finally:
            self.events += self.log.events

    def stop(self):
        """SIGTERM; what is under way is finished."""
        log = self.log
        self.is_stopping = True
        self.process.send_signal(signal.SIGTERM)
        code = self._collect()
        assert code == 0, f"{self.name} ended with {code}:\n{log.tail()}"
        log.assert_in_order(self.name)

    def signal(self, number):
        self.process.send_signal(number)

    @property
    def is_running(self):
        return self.process is not None

    def _end_code(self):
        return wait_ended(self.process, f"{self.name} ends", told=self.log.tail)

    def _collect(self):
        code = self._end_code()
        self.log.close()
        self.events += self.log.events
        self.process = None
        return code

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, key=None, headers=None, patient=True):
        """Again, where the store stood still, unless that is what is looked at."""
        def once():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)
            try:
                return ask(connection, method, path, body, key, headers)
            finally:
                connection.close()
        return until_store_answers(once) if patient else once()


class Installation:
    """A folder with umavez.toml, and the nodes on its database: a file, or `postgres`."""

    def __init__(self, postgres=None, providers=PROVIDERS, settings=SETTINGS):
        self._folder = tempfile.TemporaryDirectory(prefix="umavez-webhooks-")
        self.folder = self._folder.name
        self.postgres = postgres
        self.nodes = []
        self.settings = settings
        self.configure(providers)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        """Every test also shows that what still runs stops in order."""
        try:
            for node in self.nodes:
                if node.is_running and kind is None:
                    node.stop()
        finally:
            with contextlib.ExitStack() as ends:  # each of them, and what they tell
                ends.callback(self._folder.cleanup)
                for node in self.nodes:
                    if node.is_running:
                        ends.callback(node.kill)

    def configure(self, providers=PROVIDERS, settings=None):
        """For the processes that start from now on."""
        settings = self.settings if settings is None else settings
        database = self.postgres.url if self.postgres else "sqlite:umavez.db"
        with open(os.path.join(self.folder, "umavez.toml"), "w", encoding="utf-8") as file:
            file.write(f'database = "{database}"\n{settings}{providers}')

    @property
    def environment(self):
        return {name: value for name, value in os.environ.items() if not name.startswith("UMAVEZ_")}

    def node(self, command, *arguments):
        self.nodes.append(Node(self, command, *arguments))
        return self.nodes[-1]

    def try_run(self, *arguments):
        """A command of the program: its code, what it printed, what it complained of."""
        ran = run_command([os.environ["UMAVEZ_PROGRAM"], *arguments], self.folder, self.environment)
        return ran.returncode, ran.stdout, ran.stderr

    def run(self, *arguments):
        code, printed, complaint = self.try_run(*arguments)
        assert code == 0, complaint
        return printed

    def add_accounts(self):
        """Both providers belong to the tenant of those who come without a token."""
        for provider in ("stripe", "loja"):
            self.run("accounts", "add", "--provider", provider, "--tenant", "default")

    def rows(self, query):
        """Every value as text, whichever database."""
        if self.postgres:
            return self.postgres.rows(query)
        database = sqlite3.connect(os.path.join(self.folder, "umavez.db"), timeout=WAIT_SECONDS)
        try:
            return [tuple("" if value is None else str(value) for value in row) for row in database.execute(query)]
        finally:
            database.close()

    def count(self, table, where="1 = 1"):
        return int(self.rows(f"SELECT count(*) FROM {table} WHERE {where}")[0][0])

    def wait_settled(self, seconds=WAIT_SECONDS):
        """Until every accepted event came to an end."""
        wait_until("no event is pending", lambda: self.count("umavez_inbox", "state = 'pending'") == 0, seconds,
                   lambda: self.rows("SELECT event_id, run, attempts, last_error FROM umavez_inbox "
                                     "WHERE state = 'pending' LIMIT 5"))
