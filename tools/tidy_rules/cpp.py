"""Rules for C++: what may stand in a file, how long it is, how a header opens."""

import re
from pathlib import PurePosixPath

LINES_MAX = 800
COLUMNS_MAX = 110

# Where a program, not the library, speaks to people.
MAY_PRINT = ("src/main.cpp", "src/app/", "src/base/assert.cpp", "bench/", "examples/", "tests/")

# (words without which there is nothing to find, pattern, places that may, what to do instead)
CALLS = (
    (("system_clock",), re.compile(r"\bsystem_clock::now\b"),
     ("src/base/time.cpp", "bench/"), "take an umavez::Clock instead"),
    (("sleep",), re.compile(r"\bsleep_(for|until)\b|\b(u|nano)sleep\s*\("),
     (), "wait for an event with a deadline instead"),
    (("cout", "cerr", "clog", "print", "puts"),
     re.compile(r"\bstd::(cout|cerr|clog)\b|\b(f|v)?printf\s*\(|\bfmt::print\b|\bputs\s*\("),
     MAY_PRINT, "library code writes to no stream: return a Result or use telemetry/log.hpp"),
    (("rand(", "rand ("), re.compile(r"\b(rand|srand) ?\("), (), "take an umavez::Random instead"),
)
SILENT_CATCH = re.compile(r"catch\s*\(\s*\.\.\.\s*\)\s*\{\s*\}")


def lines_are_few(source):
    count = len(source.lines)
    if count > LINES_MAX:
        yield LINES_MAX, f"{count} lines: split the file by idea, {LINES_MAX} are the limit"


def lines_are_short(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns: break the line, {COLUMNS_MAX} are the limit"


def no_forbidden_calls(source):
    for words, pattern, may, cure in CALLS:
        if not source.name.startswith(may):
            for line, found in source.find_in_code(pattern, words):
                yield line, f"{found.strip()}: {cure}"


def no_silent_catch(source):
    for line, _ in source.find_in_code(SILENT_CATCH, ("catch",)):
        yield line, "an exception vanishes here: translate it into an Error, or log and count it"


def header_opens_with_a_paragraph(source):
    if not source.name.endswith(".hpp"):
        return
    if source.lines[:1] != ["#pragma once"]:
        yield 1, "a header begins with #pragma once"
    elif len(source.lines) < 3 or not source.lines[2].startswith("// "):
        yield 3, "a header opens with a paragraph: what it is, why, and the thread rule"


def file_is_in_a_target(source):
    """By its name, or by its stem in a foreach; in its folder's listing or one above."""
    if not source.name.endswith(".cpp") or source.name.startswith("tests/consumer/"):
        return
    path = PurePosixPath(source.name)
    wanted = set(re.findall(r"\w+", path.stem))
    for folder in path.parents:
        if wanted <= (source.project.words_of_listing(folder) or set()):
            return
    yield 1, "a file in no target: add it to a CMakeLists.txt or remove it"


RULES = (
    lines_are_few,
    lines_are_short,
    no_forbidden_calls,
    no_silent_catch,
    header_opens_with_a_paragraph,
    file_is_in_a_target,
)
