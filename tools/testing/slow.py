"""A slow machine: one processor, beside three processes that keep it busy, with longer limits.

It shows which verdicts depend on speed. Nothing is run again here: what fails is red.
"""

import contextlib
import os
import subprocess
import sys
import time

from testing import verdict

SLOWEST = 60
MINUTES = 25
LIMIT_FACTOR = 6
WAIT_SECONDS = 300
BUSY_PROCESSES = 3
START_SECONDS = 5
PARALLEL = 4
KILL_OR_RACE = {"crash", "concurrent"}

# Ends with the process that started it, or when the time is up.
BUSY = """
import os, sys, time
parent, until = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
while os.getppid() == parent and time.monotonic() < until:
    for _ in range(200_000):
        pass
"""


def choose(cases):
    """The slowest and all that kill or race."""
    slowest = sorted(cases, key=lambda case: -case.seconds)[:SLOWEST]
    numbers = {case.number for case in slowest}
    return [case for case in cases if case.number in numbers or KILL_OR_RACE & set(case.labels)]


@contextlib.contextmanager
def slow_machine(seconds):
    """This process and its children have one processor, and share it. All ends with the block."""
    before = os.sched_getaffinity(0)
    waits = os.environ.get("UMAVEZ_WAIT_SECONDS")
    busy = []
    try:
        os.sched_setaffinity(0, {max(before)})
        os.environ["UMAVEZ_WAIT_SECONDS"] = str(WAIT_SECONDS)
        for _ in range(BUSY_PROCESSES):
            busy.append(subprocess.Popen(
                [sys.executable, "-ISc", BUSY, str(os.getpid()), str(seconds + 60)],
                stdin=subprocess.DEVNULL))
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, before)
        os.environ.pop("UMAVEZ_WAIT_SECONDS")
        if waits is not None:
            os.environ["UMAVEZ_WAIT_SECONDS"] = waits


def stop_at(seconds):
    """What makes ctest start nothing more after so many seconds, and end what runs.

    It takes a time that has just passed for one of tomorrow, so it has some seconds to begin.
    """
    at = time.localtime(time.time() + max(seconds, START_SECONDS))
    return ["--stop-time", time.strftime("%H:%M:%S", at)]


def was_stopped(result, factor):
    """Whether a case was ended because the time was up: before the limit that it has usually.

    One that ran longer than that hangs, and one that had failed by then has failed.
    """
    return (result.status == "Timeout" and result.seconds < result.case.limit / factor - 1
            and verdict.shows_no_failure(result.status, result.output, result.case.labels))


def left_out(run, is_time_up, factor):
    """The names of those that were not started, or not finished."""
    if not is_time_up:
        return []
    return [name for name, result in run.results.items()
            if result.state == "not run" or was_stopped(result, factor)]
