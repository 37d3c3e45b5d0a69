"""One run of ctest: what it said while it ran, and what became of each case."""

import os
import re
import selectors
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass

from testing import cases as listed
from testing import verdict

# Of one case. What is longer is cut, and then red.
OUTPUT_BYTES_MAX = 20_000_000
END_SECONDS = 10

STARTED = re.compile(r"\s+Start +(\d+): ")
ENDED = re.compile(
    r" *\d+/\d+ Test +#(\d+): .*?"
    r"(   Passed|\*\*\*Skipped|\*\*\*Not Run \(Disabled\))? +[\d.]+ sec$")
LAST_FAILURES = "The following tests FAILED:"
LAST_FAILURE = re.compile(r"\s+(\d+) - .* \(([^()]*)\)")
# What ctest advises would show another run than this one.
ADVICE = ("Errors while running CTest", "Output from these tests are in:",
          'Use "--rerun-failed', "Internal ctest changing")


@dataclass
class Result:
    case: listed.Case
    state: str  # passed, skipped, failed, not run
    status: str = ""  # ctest's word for a failure: Failed, Timeout, SEGFAULT, …
    seconds: float = 0.0
    output: str = ""


@dataclass
class Run:
    results: dict  # by name; no disabled ones
    code: int
    seconds: float

    def with_state(self, state):
        return [result for result in self.results.values() if result.state == state]


def run(suite, cases, log, parallel=1, options=(), told=None, progress=None):
    """Runs `cases`. What ctest says goes to the file `log`, and line by line to `told`."""
    junit = log.with_suffix(".xml").absolute()
    junit.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(suite.folder), "--no-tests=error", "--output-on-failure",
               "--parallel", str(parallel), "--output-junit", str(junit),
               "--test-output-size-failed", str(OUTPUT_BYTES_MAX),
               "--test-output-size-passed", str(OUTPUT_BYTES_MAX),
               *listed.numbers(suite, cases), *options]
    began = time.monotonic()
    code = follow(command, log, told or (lambda line: None), progress)
    words = last_failures(log)
    found = read_junit(junit)
    results = {case.name: result_of(case, found.get(case.name), words.get(case.number))
               for case in cases if not case.is_disabled}
    return Run(results, code, time.monotonic() - began)


def follow(command, log, told, progress):
    """Gives ctest's exit code. Its group has its tests too, and ends with us."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        process_group=0)
    try:
        with open(log, "w", encoding="utf-8") as kept:
            for line in lines_of(process.stdout, progress):
                kept.write(line + "\n")
                if progress:
                    progress.saw(line)
                told(line)
        return process.wait()
    finally:
        end_group(process)


def lines_of(stream, progress):
    """Wakes each second for the progress, which has its own clock."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        rest = b""
        while True:
            if progress:
                progress.draw()
            if not selector.select(1):
                continue
            piece = os.read(stream.fileno(), 1 << 16)
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
            if not piece:
                if rest:
                    yield rest.decode("utf-8", "replace")
                return


def end_group(process):
    """Nothing is left of a run that was given up: its tests are asked to end, and then killed."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        deadline = time.monotonic() + END_SECONDS
        while has_group(process) and time.monotonic() < deadline:
            time.sleep(0.05)
        if has_group(process):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    process.stdout.close()


def has_group(process):
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def last_failures(log):
    """ctest's word for each failed case, by its number: told by its last lines, not by JUnit."""
    text = log.read_text(encoding="utf-8")
    _, found, last = text.rpartition(f"\n{LAST_FAILURES}\n")
    if not found:
        return {}
    lines = map(LAST_FAILURE.match, last.splitlines())
    return {int(line.group(1)): line.group(2) for line in lines if line}


def read_junit(path):
    try:
        return {case.get("name"): case for case in xml.parse(path).getroot().iter("testcase")}
    except (OSError, xml.ParseError):
        return {}


def result_of(case, junit, word):
    """A case that neither tells was not run; one of which they tell different things has failed."""
    if junit is None:
        return Result(case, "failed", word) if word else Result(case, "not run")
    seconds = float(junit.get("time") or 0)
    output = junit.findtext("system-out") or ""
    skipped = junit.find("skipped")
    if word:
        return Result(case, "failed", word, seconds, output)
    if junit.get("status") == "run" and verdict.has_report(output):
        return Result(case, "failed", "Passed, with a report", seconds, output)
    if junit.get("status") == "run":
        return Result(case, "passed", "", seconds, output)
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        if verdict.hides_a_failure(output):
            return Result(case, "failed", "Skipped, with a failure", seconds, output)
        return Result(case, "skipped", "", seconds, output)
    return Result(case, "failed", junit.get("status", "?"), seconds, output)


class Progress:
    """One line, drawn again and again: `release: 812 of 2755, 3 failed, about 95 s left`."""

    def __init__(self, title, cases, stream=sys.stderr):
        self.title = title
        self.stream = stream
        # One that is not known among others that are is short.
        unknown = 0.05 if any(case.seconds for case in cases) else 1.0
        self.left = {case.number: case.seconds or unknown for case in cases if not case.is_disabled}
        self.count = len(self.left)
        self.running = {}
        self.failed = set()
        self.began = time.monotonic()
        self.drawn_at = 0.0
        self.done_seconds = 0.0

    def saw(self, line):
        if begun := STARTED.match(line):
            self.running[int(begun.group(1))] = time.monotonic()
        elif (ended := ENDED.match(line)) and int(ended.group(1)) in self.left:
            number = int(ended.group(1))
            self.done_seconds += self.left.pop(number)
            self.running.pop(number, None)
            if not ended.group(2):
                self.failed.add(number)

    def text(self):
        done = self.count - len(self.left)
        failed = f", {len(self.failed)} failed" if self.failed else ""
        seconds = self.seconds_left()
        left = f", about {seconds:.0f} s left" if seconds else ""
        return f"{self.title}: {done} of {self.count}{failed}{left}"

    def seconds_left(self):
        """As fast as until now, and not before the longest of those that run. 0: not known yet."""
        elapsed = time.monotonic() - self.began
        if elapsed < 3 or not self.done_seconds:
            return 0
        ran = {number: time.monotonic() - begun for number, begun in self.running.items()
               if number in self.left}
        half_done = sum(min(seconds, self.left[number]) for number, seconds in ran.items())
        rate = (self.done_seconds + half_done) / elapsed
        longest = max((self.left[number] - seconds for number, seconds in ran.items()), default=0)
        return max(longest, (sum(self.left.values()) - half_done) / rate, 1)

    def draw(self):
        if time.monotonic() - self.drawn_at >= 0.2:
            self.drawn_at = time.monotonic()
            self.stream.write(f"\r\033[K{self.text()}")
            self.stream.flush()

    def clear(self):
        self.drawn_at = 0.0
        self.stream.write("\r\033[K")
        self.stream.flush()
