#!/usr/bin/env python3
"""A compiler cache that one clone filled serves a clone in another folder: over 95 % hits.

Copies of the project in two folders of different depth, a cache of their own, and a folder of the library with its
tests, so that both precompiled headers are met.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGETS = "umavez_base base_test"


def copy_project(into):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, into / name)


def build(folder, cache):
    """As ./dev does; gives what ccache counted."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}
    environment.update(CCACHE_DIR=str(cache), CCACHE_CONFIGPATH=str(cache / "none.conf"))
    script = f"root=$PWD jobs=2; source tools/dev/build.sh; build release {TARGETS}"
    done = subprocess.run(["bash", "-eu", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise AssertionError(done.stdout)
    counted = subprocess.run(["ccache", "--print-stats"], env=environment, check=True, capture_output=True,
                             text=True).stdout
    subprocess.run(["ccache", "--zero-stats"], env=environment, check=True, capture_output=True)
    counts = {name: int(value) for name, value in (line.split("\t") for line in counted.splitlines())}
    hits = counts["direct_cache_hit"] + counts["preprocessed_cache_hit"]
    return hits, hits + counts["cache_miss"]


@unittest.skipIf(shutil.which("ccache") is None, "ccache is not installed")
class Cache(unittest.TestCase):
    def test_a_clone_elsewhere_compiles_nothing_again(self):
        with tempfile.TemporaryDirectory(prefix="umavez-cache-") as folder:
            first, second, cache = Path(folder, "one"), Path(folder, "a/deeper/two"), Path(folder, "cache")
            for path in (first, second, cache):
                path.mkdir(parents=True)
            for path in (first, second):
                copy_project(path)

            _, compiled = build(first, cache)
            hits, asked = build(second, cache)

        self.assertGreater(compiled, 20)
        self.assertEqual(asked, compiled)
        self.assertGreater(hits, 0.95 * asked)


if __name__ == "__main__":
    unittest.main()
