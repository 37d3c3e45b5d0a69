#!/usr/bin/env python3
"""Adds the summaries of several runs up to one line, as ctest words it. Usage: total.py SUMMARY.json…

Exit code 1 where a summary is missing: its run did not come to an end.
"""

import json
import sys
from pathlib import Path


def main(files):
    missing = [name for name in files if not Path(name).is_file()]
    runs = [json.loads(Path(name).read_text(encoding="utf-8")) for name in files if name not in missing]
    ran, failed, skipped, unstable = (
        sum(run[count] if isinstance(run[count], int) else len(run[count]) for run in runs)
        for count in ("ran", "failed", "skipped", "unstable"))
    percent = 100 * (ran - failed) // ran if ran else 0
    titles = " + ".join(run["title"] for run in runs) or "nothing"
    for name in missing:
        print(f"{name} is missing: that run did not come to an end")
    print(f"{titles}: {skipped} skipped, {unstable} unstable")
    print(f"{percent}% tests passed, {failed} tests failed out of {ran}")
    return 1 if missing or failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
