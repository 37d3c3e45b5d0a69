#!/usr/bin/env python3
"""What tools/lint looks at, and what it refuses: in a project of its own, with a clang-tidy that looks for a word."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

LINT = Path(__file__).resolve().parent.parent / "lint"
CLANG_TIDY = """#!/bin/sh
for last; do :; done
echo "$last" >>"$LOOKED_AT"
! grep -H BAD "$last"
"""


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="umavez-lint-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("tools/lint", LINT.read_text())
        self.write("bin/clang-tidy-19", CLANG_TIDY)
        for program in ("tools/lint", "bin/clang-tidy-19"):
            (self.root / program).chmod(0o755)
        self.git("init", "-q")
        self.write(".gitignore", "bin\nbuild\nlooked_at\n")

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def git(self, *arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, **texts):
        for name, text in texts.items():
            self.write(f"src/{name}.cpp", text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")

    def tidy(self, *arguments, known=None):
        """(exit code, names that were looked at, what was printed)."""
        names = known if known is not None else [path.name for path in self.root.glob("src/*.cpp")]
        entries = [{"file": str(self.root / "src" / name), "command": "c++"} for name in names]
        self.write("build/lint/compile_commands.json", json.dumps(entries))
        self.write("looked_at", "")
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}",
                       "LOOKED_AT": str(self.root / "looked_at")}
        done = subprocess.run(["tools/lint", "tidy", *arguments], cwd=self.root, env=environment,
                              stdout=subprocess.PIPE, text=True)
        return done.returncode, {Path(line).stem for line in (self.root / "looked_at").read_text().split()}, done.stdout

    def test_what_is_not_committed_and_what_commits_changed_is_looked_at(self):
        self.commit(old="int a;")
        self.commit(newer="int b;")
        self.write("src/fresh.cpp", "int c;")

        self.assertEqual(self.tidy()[:2], (0, {"old", "newer", "fresh"}))

    def test_what_clang_tidy_refuses_is_told_and_red(self):
        self.commit(good="int a;", bad="BAD")

        code, _, printed = self.tidy()

        self.assertEqual(code, 1)
        self.assertIn("src/bad.cpp", printed)
        self.assertIn("1 failed", printed)

    def test_a_file_that_was_only_moved_has_not_changed(self):
        self.commit(here="int a;" * 50)
        self.git("mv", "src/here.cpp", "src/there.cpp")
        self.git("commit", "-q", "-m", "moved")

        self.assertEqual(self.tidy()[1], set())

    def test_a_header_is_seen_through_a_source_of_its_folder(self):
        self.commit(user='#include "src/part.hpp"', other="int a;")
        self.git("mv", "src/user.cpp", "src/reader.cpp")
        self.git("mv", "src/other.cpp", "src/another.cpp")
        self.git("commit", "-q", "-m", "moved")
        self.write("src/part.hpp", "int b;")

        self.assertEqual(self.tidy()[1], {"reader"})

    def test_tests_are_left_to_the_compiler(self):
        self.commit(a_test="int a;", b="int b;")

        self.assertEqual(self.tidy()[1], {"b"})

    def test_a_changed_file_that_is_not_compiled_is_red(self):
        self.commit(known="int a;", forgotten="int b;")

        code, looked_at, printed = self.tidy(known=["known.cpp"])

        self.assertEqual((code, looked_at), (1, {"known"}))
        self.assertIn("src/forgotten.cpp: not among the compile commands", printed)

    def test_when_the_time_is_up_it_tells_how_many_are_left(self):
        count = 4 * os.cpu_count() + 4
        self.commit(**{f"file_{i}": "int a;" for i in range(count)})
        slow = CLANG_TIDY.replace("echo", "sleep 1.1\necho", 1)
        self.write("bin/clang-tidy-19", slow)

        code, looked_at, printed = self.tidy("--seconds", "1")

        self.assertEqual(code, 0)
        self.assertLess(len(looked_at), count)
        self.assertIn(f"{count - len(looked_at)} files are left to ./dev lint", printed)


if __name__ == "__main__":
    if shutil.which("git") is None:
        raise SystemExit("git is needed")
    unittest.main()
