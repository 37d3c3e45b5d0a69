"""What a rule looks at: one file, and the project it stands in."""

import re
import subprocess
from functools import cached_property
from pathlib import Path

from tidy_rules.tokens import Tokens, spaces

# Where a rule would read its own words.
NOT_CHECKED = ("tools/tidy",)

# A number comes first: its separators are no quotes.
TO_BLANK = re.compile(
    r"(?<!\w)\d[\w'.]*"
    r"|//[^\n]*"
    r"|/\*.*?\*/"
    r'|R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL)


def _blanked(found):
    text = found.group(0)
    if text[0].isdigit():
        return text
    if text[0] == "/":
        return spaces(text)
    # The quotes stay: what was a string is still an operand.
    return '"' + spaces(text[1:-1]) + '"'


def code_of(text):
    """C++ as long as `text`, with spaces where comments are and where the insides of strings are."""
    return TO_BLANK.sub(_blanked, text)


class Project:
    """Files by their path from the root, with '/'. What is read more than once is kept."""

    def __init__(self, root):
        self.root = Path(root)
        self._listings = {}

    def names(self):
        try:
            listed = subprocess.run(
                ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                cwd=self.root, check=True, capture_output=True).stdout.decode().split("\0")
            names = {name for name in listed if name}
        except (OSError, subprocess.CalledProcessError):
            names = {path.relative_to(self.root).as_posix() for path in self.root.rglob("*")
                     if not {"build", ".git", "node_modules"} & set(path.relative_to(self.root).parts)}
        return sorted(name for name in names if self._is_ours(name))

    def _is_ours(self, name):
        path = self.root / name
        return path.is_file() and not path.is_symlink()

    def source(self, name):
        """None for data, and for what is not checked."""
        if name.startswith(NOT_CHECKED) or "/corpus/" in name:
            return None
        try:
            return Source(self, name, (self.root / name).read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            return None

    def words_of_listing(self, folder):
        """The words of a folder's CMakeLists.txt; None where it has none."""
        if folder not in self._listings:
            path = self.root / folder / "CMakeLists.txt"
            self._listings[folder] = (
                set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) if path.is_file() else None)
        return self._listings[folder]


class Source:
    def __init__(self, project, name, text):
        self.project = project
        self.name = name
        self.text = text

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @cached_property
    def code(self):
        return code_of(self.text)

    @cached_property
    def tokens(self):
        return Tokens(self.code)

    def find(self, pattern, words):
        """Lines and matches. `words`: without one of them there is no match, and no slow search."""
        return self._find(pattern, words, lambda: self.text)

    def find_in_code(self, pattern, words):
        """The same, past comments and strings."""
        return self._find(pattern, words, lambda: self.code)

    def _find(self, pattern, words, text):
        if any(word in self.text for word in words):
            for found in pattern.finditer(text()):
                yield self.line_at(found.start()), found.group(0)

    def line_at(self, position):
        return self.text.count("\n", 0, position) + 1
