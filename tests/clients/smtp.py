"""The SMTP server of the tests as a child process (tests/support/smtp_sink.py), and what it wrote down."""

import email
import email.policy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from postgres import die_with_parent
from support import WAIT_SECONDS, wait_ended, wait_on

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/smtp_sink.py")


def python_with_aiosmtpd():
    """Debian's, where another Python comes first in the path."""
    for python in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if python and subprocess.run([python, "-c", "import aiosmtpd"], capture_output=True).returncode == 0:
            return python
    raise RuntimeError("no python3-aiosmtpd: ./dev packages installs it")


class Mail:
    """One that was taken, whatever its sender was told."""

    def __init__(self, written, folder):
        self.to, = written["rcpt"]
        self.sender = written["from"]
        self.message_id = written["message_id"]
        self.queue_id = written["queue_id"]
        self.tls, self.user = written["tls"], written["user"]
        self._folder = folder

    def parse(self):
        with open(os.path.join(self._folder, f"{self.queue_id}.eml"), "rb") as file:
            return email.message_from_binary_file(file, policy=email.policy.default)


class Sink:
    """Keeps its port and what it wrote down over restarts. Started by the main thread only."""

    def __init__(self, *options, keeps=True):
        self._python = python_with_aiosmtpd()
        self._folder = tempfile.TemporaryDirectory(prefix="umavez-smtp-")
        self.folder = self._folder.name
        self.options = (*options, *(("--keep", self.folder) if keeps else ()))
        self.port = 0
        self.process = None
        self._mails, self._read_bytes = [], 0
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.process is not None:
                self.stop()
        finally:
            self._folder.cleanup()

    def start(self):
        self.process = subprocess.Popen(
            [self._python, "-B", SCRIPT, "--accepted", self._record, "--port", str(self.port), "--control",
             *self.options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent(9))
        self._changed = threading.Condition()
        self._lines = []
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()
        self.port = int(self._wait_for("listening on ").rsplit(" ", 1)[1])

    def stop(self):
        self.process.kill()
        wait_ended(self.process, "the SMTP server ends")
        self._reader.join(WAIT_SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process = None

    def _read(self, stream):
        for line in stream:
            with self._changed:
                self._lines.append(line.rstrip("\n"))
                self._changed.notify_all()

    def _wait_for(self, beginning):
        found = lambda: next((line for line in self._lines if line.startswith(beginning)), None)
        with self._changed:
            return wait_on(self._changed, f"the SMTP server says {beginning}", found, told=lambda: self._lines)

    def _order(self, line):
        with self._changed:
            self._lines.clear()
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self._wait_for(line)

    def hold(self, after=0):
        """Answers wait from now on, once so many mails were taken."""
        self._order(f"hold {after}")

    def release(self):
        self._order("release")

    def wait_held(self):
        """Until an answer waits: its mail is taken."""
        self._wait_for("held ")

    @property
    def held(self):
        """How many answers ever waited at once since hold()."""
        with self._changed:
            return max((int(line.split()[1]) for line in self._lines if line.startswith("held ")), default=0)

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def _record(self):
        return os.path.join(self.folder, "accepted")

    def accepted(self):
        """All mails in their order; only what came since the last question is read."""
        with open(self._record, "rb") as file:
            file.seek(self._read_bytes)
            for line in file:
                if not line.endswith(b"\n"):  # half written
                    break
                self._read_bytes += len(line)
                self._mails.append(Mail(json.loads(line), self.folder))
        return list(self._mails)

    def counts(self):
        """How many mails each recipient got."""
        count = {}
        for mail in self.accepted():
            count[mail.to] = count.get(mail.to, 0) + 1
        return count
