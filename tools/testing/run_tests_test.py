#!/usr/bin/env python3
"""tools/run_tests on small projects whose cases pass, fail, hang and crash as they are told."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOOLS), str(TOOLS.parent / "tests/clients")]

from support import WAIT_SECONDS, wait_until  # noqa: E402
from testing import cases, runs, slow  # noqa: E402

PARAM = "store_test.Stores/StoreAudit.X/memory  # GetParam() = memory"
# What only a hang reaches, and what a case that hangs does reach.
LONG, SHORT = {"TIMEOUT": 300}, {"TIMEOUT": 3}
WAITED = r"""
echo '[ RUN      ] Events.AreDelivered'
echo 'unknown file: Failure'
echo 'C++ exception with description "WAIT NOT MET: the event, after 60 s" thrown in the test body.'
echo '[  FAILED  ] Events.AreDelivered (60004 ms)'
echo ' 1 FAILED TEST'
exit 1"""
COUNTED = r"""
echo '[ RUN      ] Events.AreCounted'
echo 'a.cpp:1: Failure'
echo 'Expected: 1 event'
echo '[  FAILED  ] Events.AreCounted (1 ms)'
echo ' 1 FAILED TEST'
exit 1"""
RACE = "echo 'WARNING: ThreadSanitizer: data race (pid=1)'; exec sleep 50"
LEFT = """echo '[ RUN      ] A.B'; echo '[  SKIPPED ] A.B (0 ms)'; echo 'order-3 is gone'; exit 3"""
SKIPPED = """echo '[ RUN      ] A.B'; echo '[  SKIPPED ] A.B (0 ms)'
echo '[  SKIPPED ] 1 test, listed below:'"""
HIDDEN = "echo 'a.cpp:1: Failure'; echo '[  SKIPPED ] A.B'"
LAST_LINE = re.compile(r"^\d+% tests passed, (\d+) tests failed out of (\d+)$", re.MULTILINE)

GTEST_PROGRAM = """#!/bin/sh
case "$*" in
*--gtest_list_tests*)
    printf 'Running main() from gtest_main.cc\\nDecide.\\n  Keeps\\n  Retention\\n'
    printf 'Stores/StoreAudit.\\n  X/memory  # GetParam() = memory\\n' ;;
esac
"""
GTEST_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
enable_testing()
include(GoogleTest)
add_executable(core_test IMPORTED GLOBAL)
set_target_properties(core_test PROPERTIES IMPORTED_LOCATION ${CMAKE_SOURCE_DIR}/core_test)
add_test(NAME first COMMAND true)
gtest_discover_tests(
    core_test TEST_PREFIX core_test. DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 LABELS unit
)
add_test(NAME last COMMAND true)
"""


def once(first, then="exit 0"):
    """The first run does the one, every other the other."""
    return f"if [ -e {{count}} ]; then {then}; fi; : >{{count}}; {first}"


class WithProject(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="umavez-run-tests-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.build = self.folder / "build"
        self.build.mkdir()
        self.summary_path = self.folder / "summary.json"

    def write(self, scripts):
        """Cases by name, each a script, or one with properties. {count} names a file of its own."""
        text = []
        for number, (name, script) in enumerate(scripts.items(), 1):
            script, properties = script if isinstance(script, tuple) else (script, {})
            script = script.replace("{count}", str(self.folder / f"count-{number}"))
            case = cases.Case(number, name, ["/bin/sh", "-c", script], {**LONG, **properties})
            text.append(cases.as_cmake(case))
        (self.build / "CTestTestfile.cmake").write_text("".join(text))

    def write_more(self, text):
        with open(self.build / "CTestTestfile.cmake", "a", encoding="utf-8") as file:
            file.write(text)

    def command(self, *arguments):
        return [sys.executable, str(TOOLS / "run_tests"), str(self.build), "--title", "small",
                "--summary", str(self.summary_path), *arguments]

    def run_tests(self, *arguments):
        """Its exit code; self.said is what it printed."""
        ran = subprocess.run(
            self.command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=4 * WAIT_SECONDS)
        self.said = ran.stdout
        return ran.returncode

    @property
    def summary(self):
        return json.loads(self.summary_path.read_text())

    def counts(self):
        summary = self.summary
        return {kind: summary[kind] for kind in ("ran", "passed", "failed", "skipped")}

    def reason(self, name):
        return next(each["reason"] for each in self.summary["red"] if each["name"] == name)

    def last_line(self):
        """ctest's (failed, of how many)."""
        found = LAST_LINE.findall(self.said)
        self.assertEqual(len(found), 1, self.said)
        return int(found[0][0]), int(found[0][1])


class Choosing(WithProject):
    def setUp(self):
        super().setUp()
        self.write({
            "core_test.Decide.Keeps": "echo kept",
            "core_test.Decide.Retention": "true",
            PARAM: ("true", {"LABELS": ["functional", "crash"]}),
            "off": ("true", {"DISABLED": True}),
            "stores with spaces": ("true", {"LABELS": ["unit"]}),
            "model": ("true", {"LABELS": ["model"]}),
        })

    def names(self, *arguments):
        self.assertEqual(self.run_tests(*arguments), 0, self.said)
        return sorted(name for name, _ in self.summary["slowest"])

    def test_numbers_are_those_of_ctest(self):
        shown = subprocess.run(
            ["ctest", "--test-dir", self.build, "-N"], capture_output=True, text=True, check=True)
        numbered = re.findall(
            r"^ +Test +#(\d+): (.*?)(?: \(Disabled\))?$", shown.stdout, re.MULTILINE)
        listed = cases.list_cases(self.build).cases
        self.assertEqual([(int(number), name) for number, name in numbered],
                         [(case.number, case.name) for case in listed])

    def test_a_name_minds_no_case(self):
        both = ["core_test.Decide.Keeps", "core_test.Decide.Retention"]
        self.assertEqual(self.names("--name", "Decide"), both)
        self.assertEqual(self.last_line(), (0, 2))
        self.assertEqual(self.names("--name", "decide"), both)
        self.assertEqual(self.names("--name", "decide.*NTION$"), both[1:])

    def test_a_parameter_and_spaces_are_found(self):
        self.assertEqual(self.names("--name", "StoreAudit.X"), [PARAM])
        self.assertEqual(self.names("--name", "# getparam() = mem"), [PARAM])
        self.assertEqual(self.names("--name", "with SPACES"), ["stores with spaces"])

    def test_what_is_near_is_told(self):
        self.assertEqual(self.run_tests("--name", "Retentoin"), 2)
        self.assertIn("near it: core_test.Decide.Retention", self.said)
        self.assertFalse(self.summary_path.exists())

    def test_nothing_to_run_is_no_success(self):
        self.assertEqual(self.run_tests("--name", "off"), 2)
        self.assertIn("disabled", self.said)
        self.assertEqual(self.run_tests("--label", "nobody"), 2)
        self.assertIn("crash functional model unit", self.said)

    def test_labels(self):
        self.assertEqual(self.names("--label", "^functional$", "--label", "mod"), ["model", PARAM])
        self.assertEqual(
            self.names("--label", ".", "--exclude-label", "crash", "--exclude-label", "model"),
            ["stores with spaces"])

    def test_all(self):
        self.assertEqual(len(self.names()), 5)
        self.assertEqual(self.last_line(), (0, 5))
        self.assertNotIn("core_test", self.said)
        self.assertEqual(self.summary["title"], "small")
        self.assertEqual(self.counts(), {"ran": 5, "passed": 5, "failed": 0, "skipped": 0})

    def test_two_of_one_name_are_refused(self):
        self.write_more("subdirs(more)\n")
        (self.build / "more").mkdir()
        (self.build / "more/CTestTestfile.cmake").write_text("add_test(model true)\n")
        self.assertEqual(self.run_tests(), 2)
        self.assertIn("two tests are named model", self.said)


class Discovered(WithProject):
    """Lists that gtest's programs give when the tests are run."""

    def setUp(self):
        super().setUp()
        self.program = self.folder / "core_test"
        self.program.write_text(GTEST_PROGRAM)
        self.program.chmod(0o755)
        (self.folder / "CMakeLists.txt").write_text(GTEST_PROJECT)
        made = subprocess.run(
            ["cmake", "-S", self.folder, "-B", self.build, "-G", "Ninja"],
            capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)

    def test_cases_with_parameters_are_run(self):
        self.assertEqual(self.run_tests("--name", "storeaudit"), 0, self.said)
        self.assertEqual(
            self.summary["slowest"][0][0],
            "core_test.Stores/StoreAudit.X/memory  # GetParam() = memory")
        self.assertEqual(self.run_tests("--name", "keeps", "--timeout-factor", "2"), 0, self.said)
        self.assertEqual(self.last_line(), (0, 1))

    def test_a_program_that_cannot_be_asked_is_told(self):
        self.program.write_text("#!/bin/sh\nexit 3\n")
        os.utime(self.program, (time.time() + 10, time.time() + 10))
        self.assertEqual(self.run_tests(), 2)
        self.assertIn("cannot list", self.said)


class RunAgain(WithProject):
    def test_a_wait_that_is_met_then_is_unstable(self):
        self.write({"good": "true", "spare": "true", PARAM: once(WAITED, "echo second; exit 0")})
        self.assertEqual(self.run_tests("--parallel", "2"), 0, self.said)
        self.assertEqual(self.last_line(), (1, 3))
        self.assertIn(f"UNSTABLE {PARAM} (first: wait not met: the event, after 60 s; "
                      "second: passed in ", self.said)
        self.assertEqual(self.counts(), {"ran": 3, "passed": 2, "failed": 0, "skipped": 0})
        first, second = self.summary["unstable"][0]["outputs"]
        self.assertIn("WAIT NOT MET", Path(first).read_text())
        self.assertEqual(Path(second).read_text(), "second\n")

    def test_a_timeout_that_passes_then_is_unstable(self):
        self.write({"a": (once("echo begun; exec sleep 50"), SHORT), "race": (once(RACE), SHORT)})
        self.assertEqual(self.run_tests("--parallel", "2"), 1, self.said)
        self.assertRegex(self.said, r"UNSTABLE a \(first: timeout after \d.*; second: passed in ")
        self.assertEqual([each["name"] for each in self.summary["red"]], ["race"])
        self.assertIn("a sanitizer's report: WARNING: ThreadSanitizer", self.reason("race"))

    def test_what_fails_twice_is_red(self):
        self.write({
            "waits": WAITED,
            "fails": once(WAITED, "exit 77"),
            "skips": (once(WAITED, "exit 77"), {"SKIP_RETURN_CODE": 77}),
        })
        self.assertEqual(self.run_tests(), 1)
        self.assertIn("run again: Failed", self.reason("waits"))
        self.assertIn("run again: Failed", self.reason("fails"))
        self.assertIn("run again: skipped", self.reason("skips"))

    def test_red_at_once(self):
        """Each would pass if it were run again."""
        self.write({
            "counted": once(COUNTED),
            "abort": once("kill -ABRT $$"),
            "segfault": once("kill -SEGV $$"),
            "nothing": once("exit 3"),
            "simulation": (once(WAITED), {"LABELS": ["simulation"]}),
            "undefined": once("echo 'a.cpp:1:2: runtime error: overflow'" + WAITED),
            "hidden": (once(HIDDEN), {"SKIP_REGULAR_EXPRESSION": [r"\[  SKIPPED \]"]}),
            "left": (once(LEFT), {"SKIP_REGULAR_EXPRESSION": [r"\[  SKIPPED \]"]}),
            "report": once("echo '==7==ERROR: AddressSanitizer: heap-use-after-free on 0x6'"),
            "ended": (once("echo 'test_a (T) ... FAIL'; exec sleep 50"), SHORT),
        })
        self.assertEqual(self.run_tests("--parallel", "4"), 1)
        self.assertEqual(self.summary["unstable"], [])
        self.assertEqual(len(self.summary["red"]), 10, self.said)
        for each in self.summary["red"]:
            self.assertNotIn("run again", each["reason"])
            self.assertIn(f"red: {each['name']}: {each['reason']}", self.said)
        self.assertIn("ended with SEGFAULT", self.reason("segfault"))

    def test_without_rerun(self):
        self.write({"a": once(WAITED)})
        self.assertEqual(self.run_tests("--no-rerun"), 1)
        self.assertEqual(self.reason("a"), "wait not met: the event, after 60 s")

    def test_more_than_three_unstable_fail(self):
        self.write({f"a{number}": once(WAITED) for number in range(4)})
        self.assertEqual(self.run_tests("--parallel", "4"), 1)
        self.assertEqual(len(self.summary["unstable"]), 4)
        self.assertEqual(self.summary["failed"], 0)
        self.assertIn("4 cases are unstable", self.said)

    def test_ten_are_run_again_each_alone(self):
        alone = self.folder / "alone"
        then = f"mkdir {alone} || exit 1; sleep 0.1; rmdir {alone}; exit 0"
        self.write({f"a{number}": once(WAITED, then) for number in range(10)})
        self.assertEqual(self.run_tests("--parallel", "4"), 1)
        self.assertEqual(len(self.summary["unstable"]), 10, self.said)

    def test_none_where_more_than_ten_fail(self):
        self.write({f"a{number}": once(WAITED) for number in range(11)})
        self.assertEqual(self.run_tests("--parallel", "4"), 1)
        self.assertEqual(self.summary["unstable"], [])
        self.assertEqual(self.summary["failed"], 11)
        self.assertIn("where more than 10 cases fail", self.said)

    def test_a_long_output_is_whole(self):
        self.write({"a": once("yes a line of some length | head -n 60000" + WAITED)})
        self.assertEqual(self.run_tests(), 0, self.said[-2000:])
        first = Path(self.summary["unstable"][0]["outputs"][0])
        self.assertGreater(first.stat().st_size, 60000 * len("a line of some length"))

    def test_skipped_cases_are_counted(self):
        self.write({
            "a": ("exit 77", {"SKIP_RETURN_CODE": 77}), "b": "true",
            "c": (SKIPPED, {"SKIP_REGULAR_EXPRESSION": [r"\[  SKIPPED \]"]})})
        self.assertEqual(self.run_tests(), 0, self.said)
        self.assertEqual(self.counts(), {"ran": 3, "passed": 1, "failed": 0, "skipped": 2})
        self.assertEqual(self.last_line(), (0, 3))
        for more in ((), ("--slow",)):
            self.assertEqual(self.run_tests("--name", "^[ac]$", *more), 0, self.said)
            self.assertEqual(self.counts(), {"ran": 2, "passed": 0, "failed": 0, "skipped": 2})

    def test_a_program_that_is_not_there_is_red(self):
        self.write({"a": "true"})
        self.write_more("add_test(core_test_NOT_BUILT core_test_NOT_BUILT)\n")
        for more in ((), ("--timeout-factor", "2")):
            self.assertEqual(self.run_tests(*more), 1)
            self.assertEqual(self.reason("core_test_NOT_BUILT"), "ended with Not Run")

    def test_a_ctest_that_dies_is_red(self):
        self.write({"a": "kill -KILL $PPID", "b": "true"})
        self.assertEqual(self.run_tests("--parallel", "1"), 1)
        self.assertIn("not run: ctest ended with -9", self.said)


class Limits(WithProject):
    def test_a_factor_makes_them_longer(self):
        self.write({"a": ("sleep 1.2", {"TIMEOUT": 1})})
        self.assertEqual(self.run_tests("--timeout-factor", "300"), 0, self.said)
        self.assertEqual(self.summary["unstable"], [])

    def test_the_copy_says_what_the_original_says(self):
        self.write({
            PARAM: ("echo '\"[ ]=] ;$A'", {
                "LABELS": ["crash", "unit"], "COST": 3.5, "ENVIRONMENT": ["A=1", "B=;x"],
                "SKIP_REGULAR_EXPRESSION": [r"\[  SKIPPED \]"], "RUN_SERIAL": True,
                "SKIP_RETURN_CODE": 77, "WORKING_DIRECTORY": "/"}),
            "ends]": "echo ']'",
            "\\x": "true",
        })
        original = cases.list_cases(self.build)
        cases.with_longer_limits(original.cases, 3, self.folder / "copy")
        copied = {case.name: case for case in cases.list_cases(self.folder / "copy").cases}
        grown = {"TIMEOUT": 0, "COST": 0}
        for case in original.cases:
            copy = copied[case.name]
            self.assertEqual(copy.command, case.command)
            self.assertEqual(copy.limit, 3 * case.limit)
            self.assertEqual({**copy.properties, **grown}, {**case.properties, **grown})


class Slow(WithProject):
    def test_one_processor_and_longer_waits(self):
        script = "grep Cpus_allowed_list /proc/self/status; echo $UMAVEZ_WAIT_SECONDS; exit 3"
        self.write({"a": (script, {"LABELS": ["crash"]})})
        self.assertEqual(self.run_tests("--slow"), 1)
        output = Path(self.summary["red"][0]["output"]).read_text()
        self.assertRegex(output, r"Cpus_allowed_list:\s+\d+\n300\n")

    def test_nothing_is_run_again(self):
        self.write({"a": (once(WAITED), {"LABELS": ["crash"]})})
        self.assertEqual(self.run_tests("--slow"), 1)
        self.assertEqual(self.summary["unstable"], [])

    def test_the_time_is_kept_and_what_is_left_out_is_told(self):
        self.write({f"a{number}": "sleep 2.5" for number in range(4)})
        arguments = ("--slow", "--parallel", "1", "--minutes", "0.1")
        self.assertEqual(self.run_tests(*arguments), 0, self.said)
        left_out = self.summary["left_out"]
        self.assertEqual(self.summary["passed"] + len(left_out), 4)
        self.assertGreaterEqual(len(left_out), 2)
        self.assertIn(f"{len(left_out)} cases are left out, the 0.1 minutes were over:\n    "
                      + "\n    ".join(left_out), self.said)

    def test_one_that_failed_before_the_time_was_up_is_red(self):
        hangs = "; exec sleep 50"
        self.write({"good": "true", "race": "echo 'WARNING: ThreadSanitizer: data race'" + hangs,
                    "failed": "echo 'test_a (T) ... FAIL'" + hangs, "waits": WAITED[:-7] + hangs})
        arguments = ("--slow", "--parallel", "4", "--minutes", "0.1")
        self.assertEqual(self.run_tests(*arguments), 1, self.said)
        self.assertEqual({each["name"] for each in self.summary["red"]}, {"race", "failed", "waits"})
        self.assertEqual(self.summary["left_out"], [])

    def test_where_none_came_to_an_end_it_is_red(self):
        self.write({"a": "exec sleep 50"})
        self.assertEqual(self.run_tests("--slow", "--minutes", "0.1"), 1, self.said)
        self.assertEqual(self.reason("ctest"), "no case came to an end")
        self.assertEqual(self.summary["left_out"], ["a"])

    def test_choice(self):
        every = [cases.Case(number, f"a{number}", [], {}, 100 - number) for number in range(1, 101)]
        every[89].properties = {"LABELS": ["concurrent"]}
        chosen = [case.number for case in slow.choose(every)]
        self.assertEqual(chosen, [*range(1, 61), 90])

    def test_all_that_are_named(self):
        self.write({f"a{number}": "true" for number in range(slow.SLOWEST + 1)} | {"b": "false"})
        self.assertEqual(self.run_tests("--slow", "--name", "A"), 0, self.said)
        self.assertEqual(self.summary["ran"], slow.SLOWEST + 1)

    def test_one_that_hangs_is_not_left_out(self):
        hung = cases.Case(1, "a", [], {"TIMEOUT": 600.0})
        for status, seconds, was_stopped in (
                ("Timeout", 100.5, False), ("Timeout", 98.0, True), ("Failed", 98.0, False)):
            result = runs.Result(hung, "failed", status, seconds)
            self.assertEqual(slow.was_stopped(result, 6), was_stopped)


class WhileItRuns(WithProject):
    def test_what_was_started_ends_with_it(self):
        self.write({"a": ": >{count}; exec sleep 50"})
        for arguments, number in (((), signal.SIGTERM), (("--slow",), signal.SIGINT)):
            with self.subTest(number):
                self.end_it(number, 2 + slow.BUSY_PROCESSES * len(arguments), *arguments)

    def end_it(self, number, count, *arguments):
        begun = self.folder / "count-1"
        begun.unlink(missing_ok=True)
        process = subprocess.Popen(
            self.command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until("the case has begun", begun.exists)
        started = descendants(process.pid)
        self.assertEqual(len(started), count)
        process.send_signal(number)
        self.assertEqual(process.wait(WAIT_SECONDS), 130)
        wait_until("all have ended", lambda: not any(map(is_running, started)))

    def test_progress_on_a_terminal(self):
        self.write({"a": "exit 3", "b": "sleep 0.5", "c": "true"})
        terminal, end = pty.openpty()
        process = subprocess.Popen(
            self.command("--progress", "--parallel", "2"), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=end, text=True)
        os.close(end)
        lines = process.stdout.read()
        process.stdout.close()
        process.wait(WAIT_SECONDS)
        drawn = os.read(terminal, 1 << 16).decode()
        os.close(terminal)
        self.assertRegex(drawn, r"\r\x1b\[Ksmall: [123] of 3, 1 failed")
        self.assertNotIn("\r", lines)

    def test_no_progress_elsewhere(self):
        self.write({"a": "true"})
        self.assertEqual(self.run_tests("--progress"), 0)
        self.assertNotIn("small: ", self.said)

    def test_seconds_left(self):
        two = [cases.Case(1, "a", [], {}, 10.0), cases.Case(2, "b", [], {}, 30.0)]
        progress = runs.Progress("x", two)
        progress.began -= 10
        progress.saw("    Start 1: a")
        progress.saw("1/2 Test #1: a ...   Passed    10.00 sec")
        self.assertRegex(progress.text(), r"x: 1 of 2, about \d+ s left")


def descendants(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = fields_of(int(stat.parent.name))
        if fields and int(fields[1]) == pid:
            found += [int(stat.parent.name), *descendants(int(stat.parent.name))]
    return found


def is_running(pid):
    fields = fields_of(pid)
    return fields is not None and fields[0] != "Z"


def fields_of(pid):
    """What stands behind the name: the state, the parent, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None


if __name__ == "__main__":
    unittest.main()
