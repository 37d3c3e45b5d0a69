"""The cases of a build folder, as ctest lists them: names, labels, limits, and their numbers."""

import difflib
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# ctest's own, where a test has none.
LIMIT_SECONDS = 1500


class CannotRun(Exception):
    """Nothing was run, and why."""


@dataclass
class Case:
    number: int  # what `ctest -N` shows and `ctest -I` takes
    name: str
    command: list
    properties: dict = field(default_factory=dict)
    seconds: float = 0.0  # of earlier runs, or the cost that CMake names

    @property
    def labels(self):
        return self.properties.get("LABELS", [])

    @property
    def limit(self):
        return self.properties.get("TIMEOUT") or LIMIT_SECONDS

    @property
    def is_disabled(self):
        return bool(self.properties.get("DISABLED"))


@dataclass
class Suite:
    """A folder that ctest can run in, and its cases in ctest's order."""
    folder: Path
    cases: list


def list_cases(folder):
    """Asks ctest once, which asks the programs of gtest for their cases."""
    asked = subprocess.run(
        ["ctest", "--test-dir", str(folder), "--show-only=json-v1"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    begin = re.search(r"^\{", asked.stdout, re.MULTILINE)
    if asked.returncode != 0 or not begin:
        said = asked.stdout[-2000:] + asked.stderr[-4000:]
        raise CannotRun(f"ctest cannot list the tests of {folder}:\n{said}")
    listed = json.loads(asked.stdout[begin.start():])["tests"]
    cases = [Case(number, each["name"], each.get("command", []),
                  {one["name"]: one["value"] for one in each.get("properties", [])})
             for number, each in enumerate(listed, 1)]
    refuse_same_names(cases)
    known = read_costs(folder)
    for case in cases:
        case.seconds = known.get(case.name) or case.properties.get("COST") or 0.0
    return Suite(Path(folder), cases)


def refuse_same_names(cases):
    seen = set()
    for case in cases:
        if case.name in seen:
            raise CannotRun(f"two tests are named {case.name}: one of them needs another name")
        seen.add(case.name)


def read_costs(folder):
    """The seconds that ctest remembers of cases that have passed."""
    costs = {}
    try:
        text = (Path(folder) / "Testing/Temporary/CTestCostData.txt").read_text(errors="replace")
    except OSError:
        return costs
    for line in text.splitlines():
        if line == "---":
            break
        name, runs, seconds = line.rsplit(" ", 2)
        if int(runs) > 0:
            costs[name] = float(seconds)
    return costs


def choose(suite, labels=(), excluded_labels=(), name=None):
    """Those with a label that one of `labels` matches, none that one of `excluded_labels` does."""
    chosen = [case for case in suite.cases
              if (not labels or has_label(case, labels)) and not has_label(case, excluded_labels)]
    if not chosen:
        there_are = sorted({label for case in suite.cases for label in case.labels})
        raise CannotRun(f"no test of {suite.folder} has these labels; there are: "
                        + " ".join(there_are))
    return choose_by_name(chosen, name) if name else chosen


def has_label(case, patterns):
    return any(re.search(pattern, label) for pattern in patterns for label in case.labels)


def choose_by_name(cases, text):
    """By a part of the name, or else by a regular expression; neither minds case."""
    found = [case for case in cases if text.lower() in case.name.lower()]
    if not found:
        try:
            found = [case for case in cases if re.search(text, case.name, re.IGNORECASE)]
        except re.error:
            pass
    if not found:
        near = ", ".join(names_near(text, cases))
        raise CannotRun(f"no test is named like {text!r}" + (f"; near it: {near}" if near else ""))
    return found


def names_near(text, cases):
    words = {}
    for case in cases:
        bare = re.sub(r"\s+# .*", "", case.name)
        for word in (bare, bare.split(".", 1)[-1], *re.split(r"[./]", bare)):
            words.setdefault(word.lower(), case.name)
    near = difflib.get_close_matches(text.lower(), words, n=5, cutoff=0.55)
    return list(dict.fromkeys(words[word] for word in near))


def numbers(suite, cases):
    """The argument of `ctest -I` that chooses them; none if they are all."""
    if len(cases) == len(suite.cases):
        return []
    return ["-I", ",".join(["0", "0", "0", *(str(case.number) for case in cases)])]


def with_longer_limits(cases, factor, folder):
    """The same cases in a folder of their own, limits `factor` times as long; longest first.

    `ctest --timeout` does not override a test's own limit. What ctest lists of a test is all that
    it knows of it, so nothing need be configured anew.
    """
    folder.mkdir(parents=True, exist_ok=True)
    copies = []
    for number, case in enumerate(sorted(cases, key=lambda case: -case.seconds), 1):
        properties = {**case.properties, "TIMEOUT": case.limit * factor, "COST": case.seconds}
        copies.append(Case(number, case.name, case.command, properties, case.seconds))
    (folder / "CTestTestfile.cmake").write_text("".join(map(as_cmake, copies)))
    return Suite(folder, copies)


def as_cmake(case):
    # One that is not built has no command, and fails as it does in the build folder.
    command = " ".join(map(quoted, case.command or [case.name]))
    properties = " ".join(f"{name} {quoted(as_value(value))}"
                          for name, value in case.properties.items())
    name = quoted(case.name)
    return f"add_test({name} {command})\nset_tests_properties({name} PROPERTIES {properties})\n"


def as_value(value):
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list):
        return ";".join(str(part).replace(";", "\\;") for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def quoted(text):
    """A bracket argument, in which nothing is special but its own end."""
    end = "]=]"
    while (text + end).index(end) != len(text):
        end = end.replace("]=", "]==", 1)
    # A line end at the beginning would be dropped.
    return f"[{end[1:-1]}[" + ("\n" if text.startswith("\n") else "") + text + end
