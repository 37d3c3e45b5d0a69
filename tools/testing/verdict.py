"""Whether a failed case may be run once more: a pure function of what ctest and the case said.

A case may run again if it ended in ctest's timeout, or if every failure it tells is a wait that was
not met. All else is red at once, and so is an output that is not understood.
"""

import re
from typing import NamedTuple

RED = "red"
MAY_RUN_AGAIN = "may run again"


class Verdict(NamedTuple):
    kind: str
    reason: str


class Failures(NamedTuple):
    """What an output tells of failures. `is_whole` is false where its parts do not fit together."""
    is_whole: bool
    count: int
    waits: tuple


# ctest's word where an output is longer than it keeps.
CUT = "The rest of the test output was removed"

# Whatever else happened: red. (pattern, reason)
RED_PATTERNS = [(re.compile(pattern, re.MULTILINE), reason) for pattern, reason in (
    (r"(ERROR|WARNING): \w+Sanitizer\b", "a sanitizer's report"),
    (r"^(==\d+==)?\s*\w+Sanitizer( has|: CHECK failed|: detected)", "a sanitizer's report"),
    (r"SUMMARY: \w+Sanitizer\b", "a sanitizer's report"),
    (r"Sanitizer:DEADLYSIGNAL", "a sanitizer's report"),
    (r": runtime error: ", "a report of the undefined sanitizer"),
    (r"(ERROR|SUMMARY): libFuzzer:", "a fuzzer's find"),
    (r"Exception: (SegFault|Illegal|Interrupt|Numerical|Other)", "a signal"),
    (r"\b(Child|Subprocess) (aborted|killed|terminated)", "a signal"),
    (r"\bterminate called\b", "an abort"),
    (r"pure virtual method called", "an abort"),
    (r"\*\*\* .* detected \*\*\*", "an abort"),
    (r"\b(free|malloc\w*|realloc|calloc|munmap_chunk|_int_\w+)\(\): ", "an abort"),
    (r"double free or corruption|^corrupted (size|double)", "an abort"),
    (r"^Fatal glibc error|<jemalloc>: ", "an abort"),
    (r"Assertion [`'].*' failed", "a broken assertion"),
    (r"umavez: broken promise: ", "a broken assertion"),
    (r"Segmentation fault|\(core dumped\)", "a signal"),
    (r"\b(ended|died) with -\d+\b|\bexit code -\d+\b", "a signal"),
    (r"^(Aborted|Killed|Bus error|Illegal instruction)$", "a signal"),
    (r": +\d+ (Aborted|Killed|Bus error|Illegal instruction)\b", "a signal"),
    (r"\b[1-9]\d* violations?\b", "the simulator counted violations"),
    (r"\b(ran|accepted|authorised) twice\b", "a double effect"),
    (r"\bran ([2-9]|\d{2,}) times\b", "a double effect"),
    (r"\b[1-9]\d* rows of \d+ acknowledged are lost", "a loss"),
    (r"\b[1-9]\d* \w+ \w+ are (missing|lost)\b", "a loss"),
    (r"^broken \S", "a promise broken in a child"),
    (r"\b[1-9]\d* not as expected$", "a model's verdict"),
    (r"WAIT NOT MET: .*\b\d+ .*\b(lost|missing)\b", "a loss"),
    (r"WAIT NOT MET: .*\b(twice|doubled?)\b", "a double effect"),
    (CUT, "the output is not whole"),
    (r"During handling of the above exception|direct cause of the following exception",
     "an exception behind the one that was told"),
)]

# What says that a case which passed has not: a child's report that nobody asked about. One that
# only says what a sanitizer could not do (allocate, map) is none.
REPORT = re.compile(
    r"^(==\d+==)?\s*(ERROR|WARNING|SUMMARY): \w+Sanitizer: |^\S+:\d+(:\d+)?: runtime error: ",
    re.MULTILINE)

# The labels of cases that wait for nothing: none of their failures is a slow machine's. The storms
# are not among them, though what they lose may show as a wait: they start databases, brokers and
# servers and kill them, and on a slow machine each of these waits may fail. What they wait for in
# the end is told by state, and a machine that is still at work looks there like one that lost. Such
# a loss is red if it comes again, and counts among the few unstable cases if it does not.
NEVER_WAITS = {"simulation", "model"}

GTEST_RECORD = re.compile(r".*(:\d+|unknown file|\(null\)): Failure\s*$")
GTEST_ENDED = re.compile(r"\[  FAILED  \] .*\(\d+ ms\)$")
GTEST_TOTAL = re.compile(r"^ *(\d+) FAILED TESTS?$", re.MULTILINE)
GTEST_SUITES = re.compile(r"^ *\d+ FAILED TEST SUITES?$", re.MULTILINE)
GTEST_SKIPPED = re.compile(r"^\[  SKIPPED \] \d+ tests?, listed below", re.MULTILINE)
GTEST_THROWN = 'C++ exception with description "'

UNITTEST_RULE = "=" * 70
UNITTEST_TOTAL = re.compile(r"^FAILED \((.*)\)$", re.MULTILINE)
# Told at once, while its block is told in the end, which a timeout cuts off.
UNITTEST_ENDED = re.compile(r"(?:^|\.\.\. )(?:FAIL|ERROR|unexpected success)$", re.MULTILINE)
UNITTEST_BLOCK = re.compile(r"^(FAIL|ERROR): ")
UNITTEST_WAIT = re.compile(r"(?:\w+\.)*WaitNotMet: (WAIT NOT MET: .*)")
TRACEBACK = "Traceback (most recent call last):"

WAIT = "WAIT NOT MET: "


def judge(status, output, labels=()):
    """`status` is ctest's word in its last lines: Failed, Timeout, SEGFAULT, …"""
    for pattern, reason in RED_PATTERNS:
        if found := pattern.search(output):
            return Verdict(RED, f"{reason}: {line_of(output, found.start())}")
    if status not in ("Failed", "Timeout"):
        return Verdict(RED, f"ended with {status}")
    failures = failures_of(output)
    if status == "Timeout":
        if has_untold_failure(output):
            return Verdict(RED, "a failure before the timeout, which cut off what it was")
        if failures.count == len(failures.waits):
            return Verdict(MAY_RUN_AGAIN, "timeout")
        return Verdict(RED, "a failure before the timeout")
    if NEVER_WAITS & set(labels):
        return Verdict(RED, "failed, and waits for nothing")
    if failures.count == 0:
        return Verdict(RED, "failed")
    if not failures.is_whole:
        return Verdict(RED, "failed, and the parts of its output do not fit together")
    if failures.count != len(failures.waits):
        return Verdict(RED, f"failed: {failures.count - len(failures.waits)} that are no waits")
    return Verdict(MAY_RUN_AGAIN, "wait not met: " + failures.waits[0].removeprefix(WAIT))


def hides_a_failure(output):
    """Whether a case that ctest calls skipped has failed.

    gtest skips the cases of a suite whose set-up failed, and ctest sees the word for that first. A
    program that ended before gtest did (by exit, say) has not said its closing words.
    """
    if "[ RUN      ] " in output and not GTEST_SKIPPED.search(output):
        return True
    return failures_of(output).count > 0 or any(
        pattern.search(output) for pattern, _ in RED_PATTERNS)


def has_report(output):
    """Whether a case that ctest calls passed has failed."""
    return REPORT.search(output) is not None


def shows_no_failure(status, output, labels):
    """Whether a case that was stopped had nothing against it until then, not even a wait."""
    return (judge(status, output, labels).kind == MAY_RUN_AGAIN
            and failures_of(output).count == 0)


def has_untold_failure(output):
    """Whether unittest said of more cases that they failed than it told why."""
    told = sum(UNITTEST_BLOCK.match(part) is not None for part in unittest_parts(output))
    return len(UNITTEST_ENDED.findall(output)) > told


def failures_of(output):
    by_gtest = gtest_failures(output)
    by_unittest = unittest_failures(output)
    counts = by_gtest.count, by_unittest.count
    # A program of the one kind that shows an output of the other is not taken apart.
    is_whole = by_gtest.is_whole != by_unittest.is_whole and 0 in counts
    return Failures(is_whole, sum(counts), by_gtest.waits + by_unittest.waits)


def gtest_failures(output):
    lines = output.splitlines()
    count, since, ended, waits, is_whole = 0, 0, 0, [], True
    for number, line in enumerate(lines):
        if "[ RUN      ] " in line:
            since = 0
        elif ": Failure" in line and GTEST_RECORD.match(line):
            count += 1
            since += 1
            waits += wait_of_gtest(lines[number + 1:number + 3])
        elif GTEST_ENDED.search(line):
            ended += 1
            is_whole = is_whole and since > 0
            since = 0
    total = GTEST_TOTAL.findall(output)
    is_whole = is_whole and total == [str(ended)] and not GTEST_SUITES.search(output)
    return Failures(is_whole, count, tuple(waits))


def wait_of_gtest(message):
    """The wait that a failure tells, or none: thrown, or noted by ADD_FAILURE."""
    if message and message[0].startswith(GTEST_THROWN + WAIT):
        return [message[0].removeprefix(GTEST_THROWN).split('" thrown in ')[0]]
    if len(message) == 2 and message[0] == "Failed" and message[1].startswith(WAIT):
        return [message[1]]
    return []


def unittest_failures(output):
    total = UNITTEST_TOTAL.findall(output)
    blocks = [part for part in unittest_parts(output) if UNITTEST_BLOCK.match(part)]
    waits = [wait for block in blocks for wait in wait_of_unittest(block)]
    # An exception in a thread, or one that was printed, may be the reason of a wait.
    beside = output.count(TRACEBACK) - sum(block.count(TRACEBACK) for block in blocks)
    is_whole = len(total) == 1 and told_by(total[0]) == len(blocks)
    return Failures(is_whole, len(blocks) + beside, tuple(waits))


def unittest_parts(output):
    return [part.lstrip("\n") for part in output.split("\n" + UNITTEST_RULE + "\n")[1:]]


def told_by(words):
    """Of "failures=1, errors=2, skipped=3": 3. -1 for what is no failure and no success either."""
    counts = dict(re.findall(r"([a-z ]+)=(\d+)", words))
    counts = {kind.strip(): int(count) for kind, count in counts.items()}
    if "unexpected successes" in counts:
        return -1
    return counts.get("failures", 0) + counts.get("errors", 0)


def wait_of_unittest(block):
    """The wait that ends the only traceback of a block, or none."""
    if block.count(TRACEBACK) != 1:
        return []
    after = block.split(TRACEBACK, 1)[1].splitlines()[1:]
    told = next((line for line in after if line and not line.startswith(" ")), "")
    found = UNITTEST_WAIT.match(told)
    return [found.group(1)] if found else []


def line_of(text, position):
    begin = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[begin:len(text) if end < 0 else end].strip()[:160]
