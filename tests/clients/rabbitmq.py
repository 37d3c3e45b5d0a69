"""A RabbitMQ of the test's own: in a temporary folder, on private ports of loopback, ended by its process id.

As root it runs as the user rabbitmq. It takes about 8 s to start: one for a whole file of tests. A server that
cannot be started is an error and no reason to skip.
"""

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile

from postgres import die_with_parent
from support import run_child, wait_ended, wait_until

PROGRAMS = "/usr/lib/rabbitmq/bin"
START_SECONDS = 240  # more than two minutes were seen where twenty others wanted the processor


def free_port():
    """Below those that the kernel gives out (from 32768 on): between now and the server's start, which takes seconds,
    and while it is stopped, nobody gets it by chance."""
    while True:
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", random.randrange(10000, 32768)))
            return one.getsockname()[1]


class RabbitMq:
    def __init__(self):
        if not os.path.exists(f"{PROGRAMS}/rabbitmq-server"):
            raise RuntimeError(f"no RabbitMQ under {PROGRAMS}: ./dev packages installs it")
        self.folder = tempfile.mkdtemp(prefix="umavez-rmq-")
        self.port, self.node_port, self.names_port = free_port(), free_port(), free_port()
        self.process = self.names = self.log = None
        try:
            self._make()
            self.start()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.process is not None:
                self.kill()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"amqp://guest:guest@127.0.0.1:{self.port}/"

    @property
    def _owner(self):
        if os.geteuid() != 0:
            return {}
        user = pwd.getpwnam("rabbitmq")
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    @property
    def environment(self):
        folder = self.folder
        return {
            "PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "RABBITMQ_NODENAME": "umavez@localhost",
            "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia", "RABBITMQ_LOG_BASE": f"{folder}/logs",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf", "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins", "RABBITMQ_DIST_PORT": str(self.node_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(self.names_port),
            # The script becomes the server: its process id is ours.
            "RUNNING_UNDER_SYSTEMD": "1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none",
        }

    def _make(self):
        os.chmod(self.folder, 0o755)
        with open(f"{self.folder}/rabbitmq.conf", "w", encoding="ascii") as settings:
            settings.write(f"listeners.tcp.default = 127.0.0.1:{self.port}\nlog.console = true\nlog.file = false\n"
                           "disk_free_limit.absolute = 1MB\n")
        with open(f"{self.folder}/enabled_plugins", "w", encoding="ascii") as plugins:
            plugins.write("[].\n")
        owner = self._owner
        if owner:
            for name in ("", "/rabbitmq.conf", "/enabled_plugins"):
                os.chown(self.folder + name, owner["user"], owner["group"])

    def _spawn(self, arguments, number):
        return subprocess.Popen(arguments, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=self.log, stderr=self.log, preexec_fn=die_with_parent(number), **self._owner)

    def start(self):
        """Again too, on the same data."""
        self.log = open(f"{self.folder}/log", "ab")
        self.names = self._spawn(["epmd", "-port", str(self.names_port), "-address", "127.0.0.1"], signal.SIGKILL)
        wait_until("epmd answers", lambda: self._answers(self.names_port))
        self.process = self._spawn([f"{PROGRAMS}/rabbitmq-server"], signal.SIGKILL)
        wait_until("RabbitMQ answers", self._is_ready, START_SECONDS)

    def _is_ready(self):
        assert self.process.poll() is None, open(f"{self.folder}/log", encoding="utf-8", errors="replace").read()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=START_SECONDS) as connection:
                connection.sendall(b"AMQP\0\0\x09\x01")
                return connection.recv(1) == b"\x01"
        except OSError:
            return False

    @staticmethod
    def _answers(port):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS).close()
            return True
        except OSError:
            return False

    def stop(self):
        """In order; start() begins again on the same data."""
        self.process.send_signal(signal.SIGTERM)
        self._collect()

    def kill(self):
        self.process.kill()
        self._collect()

    def _collect(self):
        wait_ended(self.process, "RabbitMQ ends", START_SECONDS)
        self.process = None
        self.names.kill()
        wait_ended(self.names, "epmd ends")
        self.log.close()

    def control(self, *arguments):
        """rabbitmqctl; gives what it prints."""
        ran = run_child([f"{PROGRAMS}/rabbitmqctl", "-q", *arguments], START_SECONDS, cwd=self.folder,
                        env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, **self._owner)
        assert ran.returncode == 0, ran.stdout
        return ran.stdout

    def queues(self):
        """How many messages each queue has, ready or given out: {"umavez.mailing": 1, …}."""
        listed = self.control("list_queues", "--no-table-headers", "name", "messages")
        return {name: int(count) for name, count in (line.split("\t") for line in listed.splitlines() if line)}
