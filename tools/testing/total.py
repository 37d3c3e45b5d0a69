#!/usr/bin/env python3
"""Adds the summaries of several runs up to one line, as ctest words it. Usage: total.py SUMMARY.json…"""

import json
import sys
from pathlib import Path


def main(files):
    runs = [json.loads(Path(name).read_text(encoding="utf-8")) for name in files]
    ran = sum(run["ran"] for run in runs)
    failed = sum(run["failed"] for run in runs)
    percent = 100 * (ran - failed) // ran if ran else 0
    titles = " + ".join(run["title"] for run in runs) or "nothing"
    print(f"\n{titles}: {percent}% tests passed, {failed} tests failed out of {ran}")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
