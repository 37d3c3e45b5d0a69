#!/usr/bin/env python3
"""How a process of ours ended is told, also where something else went wrong before: here programs that end badly."""

import os
import shutil
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
from fiscal import Simulator
from installation import Installation, fault_points
from support import Server, WaitNotMet, wait_until

REPORT = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020"
BEGUN = """#!/bin/sh
echo '{"event":"listening","port":1}' >&2
"""
STAYS = "exec sleep 600"


class EndsTest(support.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="umavez-ends-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, then, begun=BEGUN):
        path = self.folder / "program"
        path.write_text(f"{begun}{then}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return mock.patch.dict(os.environ, UMAVEZ_PROGRAM=str(path), UMAVEZ_KILLABLE=str(path))

    def fail_to_wait(self, then, is_dead=True, **more):
        """What comes out of a test that waits in vain while its worker ends so."""
        with self.program(then), Installation() as installation:
            node = installation.node("serve").start(**more)
            self.wait_dead(node.process, node.log, is_dead)
            raise WaitNotMet("WAIT NOT MET: the event is there")

    def wait_dead(self, process, log, is_dead):
        if is_dead:
            wait_until("it has ended", lambda: process.poll() is not None)
        else:
            wait_until("it has said it", lambda: len(log.tail().splitlines()) > 1)

    def test_a_worker_that_was_dead_is_no_wait(self):
        with self.assertRaisesRegex(AssertionError, f"serve-0 ended with -6 before(.|\n)*{REPORT}") as raised:
            self.fail_to_wait(f"echo '{REPORT}' >&2; kill -ABRT $$")
        self.assertNotIsInstance(raised.exception, WaitNotMet)
        with self.assertRaisesRegex(AssertionError, "ended with 3 before"):
            self.fail_to_wait("exit 3")
        with self.assertRaisesRegex(AssertionError, "ended with 0 before"):
            self.fail_to_wait("exit 0")

    def test_one_that_complained_and_lives_is_told(self):
        with self.assertRaisesRegex(AssertionError, f"no JSON in the log of serve-0:\n{REPORT}"):
            self.fail_to_wait(f"echo '{REPORT}' >&2; {STAYS}", is_dead=False)

    def test_one_that_was_well_leaves_the_wait(self):
        with self.assertRaises(WaitNotMet):
            self.fail_to_wait(f"echo '{{}}' >&2; {STAYS}", is_dead=False)
        with self.assertRaises(WaitNotMet):
            self.fail_to_wait(f"echo '{{}}' >&2; printf '{{\"half' >&2; {STAYS}", is_dead=False)

    def test_the_death_that_was_asked_for_is_none(self):
        point = f"{fault_points()[0]}:1"
        with self.assertRaises(WaitNotMet):
            self.fail_to_wait("kill -KILL $$", kill_at=point)
        with self.assertRaisesRegex(AssertionError, "ended with -9 before"):
            self.fail_to_wait("kill -KILL $$")
        with self.assertRaisesRegex(AssertionError, "ended with -6 before"):
            self.fail_to_wait("kill -ABRT $$", kill_at=point)

    def test_each_of_several_is_ended(self):
        with self.program("kill -ABRT $$"), self.assertRaisesRegex(AssertionError, "ended with -6"):
            with Installation() as installation:
                nodes = [installation.node("serve").start() for _ in range(3)]
                for node in nodes:
                    self.wait_dead(node.process, node.log, True)
                raise WaitNotMet("WAIT NOT MET: x")
        self.assertEqual([node.is_running for node in nodes], [False] * 3)
        self.assertFalse(os.path.exists(installation.folder))

    def test_one_that_stops_late_is_no_surprise(self):
        begun = BEGUN.replace("\n", "\ntrap 'exit 0' TERM\n", 1)
        with self.program("while :; do sleep 0.02; done", begun), Installation() as installation:
            node = installation.node("serve").start()
            with mock.patch.object(node, "_collect", side_effect=WaitNotMet("WAIT NOT MET: it ends")), \
                    self.assertRaises(WaitNotMet):
                node.stop()
            self.wait_dead(node.process, node.log, True)
            node.kill()

    def test_a_server_that_is_killed(self):
        for then, told in ((f"echo '{REPORT}' >&2; kill -ABRT $$", "the server ended with -6 before"),
                           (f"echo '{REPORT}' >&2; {STAYS}", f"no JSON in the log of the server:\n{REPORT}")):
            with self.subTest(told), self.program(then):
                server = Server()
                self.addCleanup(server.folder.cleanup)
                server.start()
                self.wait_dead(server.process, server.log, STAYS not in then)
                with self.assertRaisesRegex(AssertionError, told):
                    server.kill()
                self.assertIsNone(server.process)

    def test_a_simulator_that_is_killed(self):
        """It goes on when it is told to: what comes before it plays is looked at elsewhere."""
        told = self.folder / "go"
        begun = ("#!/bin/sh\necho settings\necho 'it plays on https://x:1, control on http://x:2' >&2\n"
                 f"while [ ! -e {told} ]; do sleep 0.02; done\necho '{REPORT}' >&2\n")
        for then, words in (("kill -ABRT $$", f"the simulator ended with -6 before(.|\n)*{REPORT}"),
                            (STAYS, f"the simulator: (.|\n)*{REPORT}")):
            with self.subTest(then), self.program(then, begun):
                told.unlink(missing_ok=True)
                simulator = Simulator()
                with self.assertRaisesRegex(AssertionError, words), simulator:
                    told.touch()
                    wait_until("it has said it", lambda: REPORT in Path(simulator.log.name).read_text())
                    if then != STAYS:
                        wait_until("it has ended", lambda: simulator.process.poll() is not None)


if __name__ == "__main__":
    support.run_tests()
