"""A PostgreSQL server of the test's own: in a temporary folder, on a socket of its own, ended by its process id.

As root it runs as the user postgres, which a server insists on. One whose programs are missing is an error and
no reason to skip: the database is half of what is tested.
"""

import contextlib
import copy
import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

from support import WAIT_SECONDS, not_met, run_child, wait_ended, wait_until

PR_SET_PDEATHSIG = 1
SEPARATOR = "\x1f"
# Durable: the program refuses a server that may lose what it acknowledged.
SETTINGS = ("listen_addresses=", "max_connections=200", "shared_buffers=64MB")


def die_with_parent(number):
    """For preexec_fn: a child does not outlive a test that is killed. Of children that the main thread starts."""
    return lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def binaries():
    root = "/usr/lib/postgresql"
    versions = [name for name in os.listdir(root) if os.path.exists(f"{root}/{name}/bin/postgres")] \
        if os.path.isdir(root) else []
    if not versions:
        raise RuntimeError(f"no PostgreSQL under {root}: ./dev packages installs it")
    return f"{root}/{max(versions, key=int)}/bin"


class Session:
    """A connection that stays: for locks that are held, and for questions that are asked often."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            server.psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | {"PGOPTIONS": f"-c statement_timeout={WAIT_SECONDS}s"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        wait_ended(self.process, "psql ends")
        self.process.stdout.close()

    def run(self, sql):
        """The lines that psql prints."""
        self.process.stdin.write(f"{sql};\n\\echo end-of-answer\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) != "end-of-answer":
            if "statement timeout" in line:
                raise not_met(f"PostgreSQL answers {sql}", WAIT_SECONDS)
            assert self.process.poll() is None and "ERROR" not in line, f"{sql}: {lines} {line}"
            lines.append(line)
        return lines


class Postgres:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="umavez-pg-")
        self.process = None
        self.log = None
        self.is_frozen = False
        self.database = "postgres"
        self._numbers = itertools.count(1)
        try:
            self._make()
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.is_frozen:
                self.freeze(False)
            if self.process is not None:
                self.stop(signal.SIGQUIT)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _owner(self):
        if os.geteuid() != 0:
            return {}
        user = pwd.getpwnam("postgres")
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _make(self):
        os.chmod(self.folder, 0o755)
        owner = self._owner
        if owner:
            os.chown(self.folder, owner["user"], owner["group"])
        made = run_child(
            [f"{binaries()}/initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
             "--locale=C.UTF-8", "--no-sync"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            **owner)
        assert made.returncode == 0, made.stdout

    def start(self):
        chosen = (f"unix_socket_directories={self.folder}", *SETTINGS)
        settings = [text for setting in chosen for text in ("-c", setting)]
        self.log = open(f"{self.folder}/log", "ab")
        self.process = subprocess.Popen(
            [f"{binaries()}/postgres", "-D", f"{self.folder}/data", *settings],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            preexec_fn=die_with_parent(signal.SIGQUIT), **self._owner)
        wait_until("PostgreSQL answers", self._is_ready)

    def _is_ready(self):
        assert self.process.poll() is None, open(f"{self.folder}/log", encoding="utf-8").read()
        return run_child(self.psql("-c", "SELECT 1"), stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

    def stop(self, number=signal.SIGINT):
        """Breaks the connections that are there; gives up nothing that was committed."""
        self.process.send_signal(number)
        wait_ended(self.process, "PostgreSQL ends")
        self.process = None
        self.log.close()

    def freeze(self, is_frozen):
        """All its processes: connections stay, and nothing answers any more."""
        number = signal.SIGSTOP if is_frozen else signal.SIGCONT
        self.process.send_signal(number)  # first, so that it starts no more of them
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        for child in children.stdout.split():
            with contextlib.suppress(ProcessLookupError):  # it ended since
                os.kill(int(child), number)
        self.is_frozen = is_frozen

    def fresh(self):
        """An empty database on this server: the tests of a class share the server and nothing else."""
        fresh = copy.copy(self)
        fresh.database = f"test_{next(self._numbers)}"
        self.rows(f"CREATE DATABASE {fresh.database}")
        return fresh

    @property
    def url(self):
        return f"postgres://postgres@/{self.database}?host={self.folder}&port=5432"

    def psql(self, *arguments):
        return [f"{binaries()}/psql", "-X", "-q", "-A", "-t", "-F", SEPARATOR, "-h", self.folder, "-p", "5432",
                "-U", "postgres", "-d", self.database, "-v", "ON_ERROR_STOP=1", *arguments]

    def session(self):
        return Session(self)

    def rows(self, query):
        """Every value as text."""
        asked = run_child(self.psql("-c", query), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
        assert asked.returncode == 0, asked.stderr
        return [tuple(line.split(SEPARATOR)) for line in asked.stdout.splitlines()]
