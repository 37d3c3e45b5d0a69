#!/usr/bin/env python3
"""Which failures may be run again: outputs as gtest 1.12 and unittest of Python 3.11 have them."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from testing.verdict import (  # noqa: E402
    CUT, MAY_RUN_AGAIN, RED, RED_PATTERNS, has_report, hides_a_failure, judge, shows_no_failure)

THROWN = '''[ RUN      ] Events.AreDelivered
unknown file: Failure
C++ exception with description "WAIT NOT MET: it is there, after 60 s" thrown in the test body.
[  FAILED  ] Events.AreDelivered (60004 ms)
'''
NOTED = '''[ RUN      ] Events.AreKept
tests/engine/leased_test.cpp:6: Failure
Failed
WAIT NOT MET: gate opens, after 60 s
Google Test trace:
tests/engine/leased_test.cpp:4: here
[  FAILED  ] Events.AreKept, where GetParam() = memory (60000 ms)
'''
EXPECTED = '''[ RUN      ] Events.AreCounted
tests/engine/leased_test.cpp:9: Failure
Expected equality of these values:
  1
  2
WAIT NOT MET: so it says, after 60 s
[  FAILED  ] Events.AreCounted (0 ms)
'''
BOTH = NOTED.replace(
    "[  FAILED",
    "a.cpp:7: Failure\nValue of: sent == 1\n  Actual: false\nExpected: true\n[  FAILED")
HANGS = "[ RUN      ] Events.Hang\n"
GOOD = "[ RUN      ] Events.Begin\n[       OK ] Events.Begin (0 ms)\n"


def gtest(*cases, failed=None, more=""):
    """The output of a program with these cases."""
    count = failed if failed is not None else sum("[  FAILED" in case for case in cases)
    plural = "" if count == 1 else "S"
    return (f"[==========] Running {len(cases)} tests from 1 test suite.\n" + "".join(cases)
            + f"[  PASSED  ] 1 test.\n[  FAILED  ] {count} tests, listed below:\n"
            + f"[  FAILED  ] Events.AreKept\n\n {count} FAILED TEST{plural}\n{more}")


TRACEBACK = "Traceback (most recent call last):"
THREAD = f"Exception in thread Thread-1:\n{TRACEBACK}\n  x\nAssertionError: lost\n"


def block(last, kind="FAIL", more=""):
    return ("=" * 70 + f"\n{kind}: test_a (__main__.T.test_a)\n" + "-" * 70 + f"\n{TRACEBACK}\n"
            '  File "a_test.py", line 6, in test_a\n    wait_until("x", is_blue)\n    ^^^^^^^^\n'
            f"{last}\n{more}\n")


WAITED = "support.WaitNotMet: WAIT NOT MET: the sky is green\nand blue, after 60 s"
DIFFERS = "AssertionError: 1 != 2 : sent twice or WAIT NOT MET: x"


def python(*blocks, told=None):
    told = told or f"failures={len(blocks)}"
    return ("test_a (__main__.T.test_a) ... FAIL\n\n" + "".join(blocks) + "-" * 70
            + f"\nRan 3 tests in 60.0s\n\nFAILED ({told})\n")


class OfAStatus(unittest.TestCase):
    def test_a_timeout_may_run_again(self):
        self.assertEqual(judge("Timeout", "begun\n").kind, MAY_RUN_AGAIN)
        self.assertEqual(judge("Timeout", GOOD + HANGS).kind, MAY_RUN_AGAIN)
        self.assertEqual(judge("Timeout", THROWN + HANGS).kind, MAY_RUN_AGAIN)

    def test_a_timeout_after_a_failure_is_red(self):
        for output in (EXPECTED, BOTH, THROWN + EXPECTED, "a.cpp:7: Failure\n", THREAD):
            with self.subTest(output):
                self.assertEqual(judge("Timeout", output + HANGS).kind, RED)

    def test_a_timeout_that_cuts_off_what_failed_is_red(self):
        said = "test_a (__main__.T.test_a) ... "
        hangs = "test_b (__main__.T.test_b) ... "
        for word in ("FAIL", "ERROR", "unexpected success", "some words\nFAIL"):
            with self.subTest(word):
                self.assertEqual(judge("Timeout", f"{said}{word}\n{hangs}").kind, RED)
        in_a_subtest = f"{said}\n  {said[:-1]}[x] (i=1) ... FAIL\n{hangs}"
        self.assertEqual(judge("Timeout", in_a_subtest).kind, RED)
        self.assertEqual(judge("Timeout", f"{said}ok\n{hangs}").kind, MAY_RUN_AGAIN)
        # All is told, and it hangs in the end; or only one of two is.
        self.assertEqual(judge("Timeout", python(block(WAITED))).kind, MAY_RUN_AGAIN)
        self.assertEqual(judge("Timeout", f"{said}FAIL\n" + python(block(WAITED))).kind, RED)

    def test_what_was_stopped_may_have_failed_before(self):
        for output in ("begun\n", GOOD + HANGS):
            self.assertTrue(shows_no_failure("Timeout", output, ()))
        for output in (THROWN + HANGS, EXPECTED + HANGS, "test_a (T) ... FAIL\n", "x ran twice\n"):
            with self.subTest(output):
                self.assertFalse(shows_no_failure("Timeout", output, ()))

    def test_every_other_end_is_red(self):
        for status in ("SEGFAULT", "ILLEGAL", "INTERRUPT", "NUMERICAL", "OTHER_FAULT",
                       "Subprocess aborted", "Subprocess killed", "Child aborted", "Not Run",
                       "Bad Command", "Skipped, with a failure", ""):
            with self.subTest(status):
                self.assertEqual(judge(status, gtest(THROWN)).kind, RED)

    def test_what_is_not_understood_is_red(self):
        alone = "WAIT NOT MET: the event is there, after 60 s\n"
        for output in ("", "failed\n", alone, GOOD, THROWN, "\0\n"):
            with self.subTest(output):
                self.assertEqual(judge("Failed", output).kind, RED)


class OfAnOutput(unittest.TestCase):
    SAMPLES = (
        "==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x6",
        "==4711==ERROR: LeakSanitizer: detected memory leaks",
        "WARNING: ThreadSanitizer: data race (pid=4711)",
        "==1==WARNING: MemorySanitizer: use-of-uninitialized-value",
        "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior src/a.cpp:3:4 in",
        "AddressSanitizer:DEADLYSIGNAL",
        "src/a.cpp:3:4: runtime error: signed integer overflow: 2147483647 + 1",
        "==9== ERROR: libFuzzer: deadly signal",
        "2/3 Test #5: a ...***Exception: SegFault  0.00 sec",
        "Child aborted***Exception",
        "Subprocess aborted***Exception:   0.01 sec",
        "terminate called after throwing an instance of 'std::runtime_error'",
        "pure virtual method called",
        "*** stack smashing detected ***: terminated",
        "*** buffer overflow detected ***: terminated",
        "malloc(): corrupted top size",
        "malloc_consolidate(): unaligned fastbin chunk detected",
        "free(): invalid pointer",
        "free(): double free detected in tcache 2",
        "realloc(): invalid next size",
        "munmap_chunk(): invalid pointer",
        "double free or corruption (!prev)",
        "corrupted size vs. prev_size",
        "corrupted double-linked list",
        "Fatal glibc error: malloc assertion failure in sysmalloc: (old_top == initial_top (av))",
        "<jemalloc>: size mismatch detected",
        "ThreadSanitizer: CHECK failed: tsan_rtl.cpp:3",
        "==7==AddressSanitizer has encountered a fatal error",
        "AssertionError: serve-0 ended with -6 before it was killed:",
        "the worker died with -11",
        "AssertionError: psql: exit code -6",
        "Aborted",
        "a.sh: line 3:  4711 Killed                  sleep 9",
        "a.sh: line 3: 4711 Bus error               (core)",
        "c++/12/bits/stl_vector.h:1123: reference at(): Assertion '__n < this->size()' failed.",
        "umavez: broken promise: lease.is_held() at src/engine/lease.cpp:7",
        "Segmentation fault (core dumped)",
        "seed 7: 900 operations, 12 effects, 2 violations",
        "  I1 call 3 ran twice under one token: x",
        "  order-3 ran 3 times",
        "order-3 ran 12 times",
        "order-3: accepted twice, under different effect keys",
        "after the kill: 3 rows of 500 acknowledged are lost, the first is 7",
        "WAIT NOT MET: x, after 60 s: 3 acknowledged events are missing",
        "17 accepted events are lost",
        "broken order-1: an acknowledged checkpoint is gone",
        "37 checks, 2 not as expected",
        "WAIT NOT MET: all are booked, 3 of 500 are missing, after 60 s",
        "WAIT NOT MET: no event came twice, after 60 s",
        f"{CUT} since it exceeds the threshold of 20000000 bytes.",
        "During handling of the above exception, another exception occurred:",
    )

    def test_what_is_red_at_once(self):
        for sample in self.SAMPLES:
            with self.subTest(sample):
                self.assertEqual(judge("Timeout", f"begun\n{sample}\n").kind, RED)
                self.assertEqual(judge("Failed", gtest(THROWN, more=sample + "\n")).kind, RED)
                self.assertEqual(judge("Failed", python(block(WAITED)) + sample + "\n").kind, RED)

    def test_every_pattern_has_a_sample(self):
        for pattern, _ in RED_PATTERNS:
            with self.subTest(pattern.pattern):
                self.assertTrue(any(pattern.search(sample) for sample in self.SAMPLES))

    def test_a_case_that_passed_has_no_report(self):
        for report in ("==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x6",
                       "==4711==ERROR: LeakSanitizer: detected memory leaks",
                       "WARNING: ThreadSanitizer: data race (pid=4711)",
                       "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior src/a.cpp:3:4 in",
                       "src/a.cpp:3:4: runtime error: signed integer overflow: 2147483647 + 1"):
            with self.subTest(report):
                self.assertTrue(has_report(f"{GOOD}{report}\n{GOOD}"))
        for output in (GOOD, "==7==WARNING: AddressSanitizer failed to allocate 0x7fff bytes\n",
                       "test_the_words_of_AddressSanitizer (T) ... ok\n"):
            with self.subTest(output):
                self.assertFalse(has_report(output))

    def test_the_reason_names_the_line(self):
        self.assertEqual(judge("Timeout", "begun\nx: runtime error: y\n").reason,
                         "a report of the undefined sanitizer: x: runtime error: y")

    def test_a_success_of_those_that_count_is_no_loss(self):
        for output in ("seed 7: 900 operations, 12 effects, 0 violations\n",
                       "37 checks, 0 not as expected\n", "answer-lost: 12, lost-route: 3\n",
                       "120 deaths of 130: {}\n", "order-3 ran 1 times\n", "it ran 0 times\n",
                       "0 acknowledged events are lost\n", "worker-1 ended with 0\n",
                       "Killed between two effects ... ok\n"):
            with self.subTest(output):
                self.assertEqual(judge("Timeout", output).kind, MAY_RUN_AGAIN)


class OfGtest(unittest.TestCase):
    def test_waits_alone_may_run_again(self):
        self.assertEqual(judge("Failed", gtest(GOOD, THROWN)),
                         (MAY_RUN_AGAIN, "wait not met: it is there, after 60 s"))
        self.assertEqual(judge("Failed", gtest(NOTED, GOOD)),
                         (MAY_RUN_AGAIN, "wait not met: gate opens, after 60 s"))
        in_set_up = THROWN.replace("the test body", "SetUp()")
        for outputs in ((THROWN, NOTED, GOOD), (in_set_up,)):
            with self.subTest(outputs):
                self.assertEqual(judge("Failed", gtest(*outputs)).kind, MAY_RUN_AGAIN)

    def test_one_failure_that_is_no_wait_is_red(self):
        for outputs in ((EXPECTED,), (BOTH,), (THROWN, EXPECTED), (EXPECTED, NOTED),
                        (THROWN, GOOD, BOTH)):
            with self.subTest(outputs):
                self.assertEqual(judge("Failed", gtest(*outputs)).kind, RED)

    def test_another_exception_is_red(self):
        other = THROWN.replace("WAIT NOT MET", "the server said WAIT NOT MET")
        self.assertEqual(judge("Failed", gtest(other)).kind, RED)

    def test_parts_that_do_not_fit_together_are_red(self):
        suite = " 1 FAILED TEST SUITE\n"
        without_record = "[ RUN      ] Events.End\n[  FAILED  ] Events.End (0 ms)\n"
        for output in (gtest(THROWN, failed=2), gtest(THROWN, more=suite),
                       gtest(THROWN, without_record), gtest(THROWN) + gtest(THROWN),
                       gtest(THROWN) + python(block(WAITED)), THROWN + GOOD):
            with self.subTest(output):
                self.assertEqual(judge("Failed", output).kind, RED)

    def test_simulators_and_models_wait_for_nothing(self):
        for label in ("simulation", "model"):
            self.assertEqual(judge("Failed", gtest(THROWN), ["x", label]).kind, RED)
        judged = judge("Failed", gtest(THROWN), ["crash", "functional"])
        self.assertEqual(judged.kind, MAY_RUN_AGAIN)

    def test_a_skipped_case_may_hide_a_failure(self):
        begun = "[ RUN      ] G.X\na.cpp:14: Skipped\n\n[  SKIPPED ] G.X (0 ms)\n"
        skipped = begun + ("[  PASSED  ] 0 tests.\n[  SKIPPED ] 1 test, listed below:\n"
                           "[  SKIPPED ] G.X\n")
        self.assertFalse(hides_a_failure(skipped))
        self.assertFalse(hides_a_failure("test_a (T) ... skipped 'no node'\n\nOK (skipped=1)\n"))
        self.assertTrue(hides_a_failure(begun))  # it ended before gtest did
        self.assertTrue(hides_a_failure(begun + "order-3 is gone\n"))
        thrown = "C++ exception with description \"x\" thrown in SetUpTestSuite().\n"
        self.assertTrue(hides_a_failure("unknown file: Failure\n" + thrown + skipped))


class OfUnittest(unittest.TestCase):
    def test_waits_alone_may_run_again(self):
        self.assertEqual(judge("Failed", python(block(WAITED))),
                         (MAY_RUN_AGAIN, "wait not met: the sky is green"))
        two = python(block(WAITED, "ERROR"), block(WAITED), told="failures=1, errors=1, skipped=3")
        self.assertEqual(judge("Failed", two).kind, MAY_RUN_AGAIN)

    def test_one_failure_that_is_no_wait_is_red(self):
        self.assertEqual(judge("Failed", python(block(DIFFERS))).kind, RED)
        self.assertEqual(judge("Failed", python(block(WAITED), block(DIFFERS))).kind, RED)
        self.assertEqual(judge("Failed", python(block(DIFFERS, more=WAITED))).kind, RED)

    def test_an_exception_beside_is_red(self):
        chained = ("\nDuring handling of the above exception, another exception occurred:\n\n"
                   f"{TRACEBACK}\n  x\n{WAITED}")
        for output in (python(block(DIFFERS, more=chained)), THREAD + python(block(WAITED)),
                       python(block(WAITED)) + THREAD):
            with self.subTest(output):
                self.assertEqual(judge("Failed", output).kind, RED)

    def test_parts_that_do_not_fit_together_are_red(self):
        for told in ("failures=2", "failures=1, unexpected successes=1", "errors=1, failures=1",
                     "skipped=1"):
            with self.subTest(told):
                self.assertEqual(judge("Failed", python(block(WAITED), told=told)).kind, RED)


if __name__ == "__main__":
    unittest.main()
