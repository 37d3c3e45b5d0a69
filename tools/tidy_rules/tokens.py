"""C++ as words and signs: enough to tell a block from a list of values, and a lambda from a subscript.

Nothing here knows names, so it holds for code that clang-format has seen and not for all that compiles.
"""

import re

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|::|->|&&|\S")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
OPENERS = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "for", "while", "switch", "constexpr", "catch"}
# After these an operand begins, though they are words.
BEFORE_OPERAND = {"return", "co_return", "co_await", "co_yield", "case", "else", "do", "throw"}
# After these a block begins.
BEFORE_BLOCK = {")", "]", ";", "{", "}", ":", "else", "do", "try", "consteval", "const", "noexcept",
                "override", "final", "mutable"}


def spaces(text):
    """As long as `text`, with its line ends."""
    return re.sub(r"[^\n]", " ", text) if "\n" in text else " " * len(text)


class Tokens:
    """The words and signs of one file, each bracket with its partner."""

    def __init__(self, code):
        found = list(TOKEN.finditer(DIRECTIVE.sub(lambda found: spaces(found.group(0)), code)))
        self.words = [one.group(0) for one in found]
        self.positions = [one.start() for one in found]
        self.partner = {}
        opened = []
        for index, word in enumerate(self.words):
            if word in OPENERS:
                opened.append(index)
            elif word in (")", "]", "}"):
                self._close(opened, index)

    def _close(self, opened, index):
        """Branches of the preprocessor may leave a bracket open: it is given up."""
        while opened:
            opener = opened.pop()
            if OPENERS[self.words[opener]] == self.words[index]:
                self.partner[opener] = index
                self.partner[index] = opener
                return

    def word(self, index):
        return self.words[index] if 0 <= index < len(self.words) else ""

    def is_name(self, index):
        word = self.word(index)
        return (word[:1].isalpha() or word[:1] == "_") and word not in BEFORE_OPERAND

    def past(self, opener):
        """Behind the partner of a bracket."""
        return self.partner.get(opener, len(self.words)) + 1

    def before_angles(self, index):
        """Before the '<' of a '>', or `index` where that is none."""
        if self.word(index) != ">":
            return index
        depth = 0
        while index >= 0 and self.word(index) not in (";", "{", "}"):
            depth += {">": 1, "<": -1}.get(self.word(index), 0)
            if depth == 0:
                return index - 1
            index = self.partner.get(index, index) - 1 if self.word(index) == ")" else index - 1
        return -1

    def type_before(self, index):
        """Of `a::Type<…>` that ends before `index`: where it begins and its last word; else None."""
        last = self.before_angles(index - 1)
        if not self.is_name(last):
            return None
        first = last
        while self.word(first - 1) == "::":
            outer = self.before_angles(first - 2)
            if not self.is_name(outer):
                return first - 1, self.word(last)
            first = outer
        return first, self.word(last)

    def opens_block(self, brace):
        """True for a body, false for a list of values."""
        if self.word(brace - 1) in BEFORE_BLOCK:
            return True
        # A result type: `) -> Type {`.
        index = brace - 1
        while index >= 0 and (self.is_name(index) or self.word(index) in ("::", "&", "&&", "*", ">")):
            index = self.before_angles(index) if self.word(index) == ">" else index - 1
        return self.word(index) == "->" and self.word(index - 1) in (")", "mutable", "noexcept")

    def is_control(self, opener):
        return self.word(opener) == "(" and self.word(opener - 1) in CONTROL

    def opens_lambda(self, index):
        """False for an attribute, a subscript and the names of a structured binding."""
        if self.word(index) != "[" or self.word(index + 1) == "[" or self.word(index - 1) == "[":
            return False
        before = index - 1
        while self.word(before) in ("&", "&&"):
            before -= 1
        if self.word(before) == "auto":
            return False
        return not (self.is_name(index - 1) or self.word(index - 1) in (")", "]", "}", '"'))
