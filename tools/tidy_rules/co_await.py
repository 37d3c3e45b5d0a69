"""g++ 12 destroys some temporaries twice that stand in one statement with a co_await.

Tried with g++ 12.2; clang-19 does all of it right. Destroyed twice:
  co_await f(Aggregate{…}) and co_await f({…}), empty or not, by value or by reference, at any depth
  co_await f([held] { … }), where what is held has a destructor
  g(co_await f(), Aggregate{…}), in either order
  Aggregate it{held, co_await f()}; and co_return Aggregate{held, co_await f()};
  co_await Awaitable{…}, where what it holds has a destructor
  co_await f(a ? A(1) : A(2)), whatever class A is
Once, as it should be: classes with a constructor, by braces or not, and what has no destructor.

Text does not tell an aggregate from a class with a constructor, nor which has a destructor. So all braces in
those places are refused, but for the types in HARMLESS and AWAITABLES, and all lambdas that capture. A
conditional of a class type is not seen. A lambda's body has statements of its own, which are none of the
statement around it.
"""

from tidy_rules.tokens import OPENERS

PLACES = ("src/", "include/", "examples/", "tests/")

# Without a destructor; the last word of a qualified name.
HARMLESS = frozenset(
    "bool char double float int long short unsigned byte size_t ptrdiff_t "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
    "hours minutes seconds milliseconds microseconds nanoseconds Duration Instant "
    "string_view span".split())

# Awaited where they are made: they hold references and numbers.
AWAITABLES = frozenset(
    "FaultPointReached Pause Sleep CurrentCall Start suspend_always suspend_never".split())

LAMBDA = "g++ 12 destroys a capturing lambda beside co_await twice: name it in a variable before"
BRACES = "g++ 12 destroys a braced temporary beside co_await twice: name it in a variable before"
AROUND = "g++ 12 destroys what braces around a co_await hold twice: name the awaited value before"


def first_of_statement(tokens, index):
    """Where the statement, or the condition, begins that `index` stands in."""
    index -= 1
    while index >= 0 and tokens.word(index) != ";":
        word = tokens.word(index)
        if word in (")", "]", "}"):
            opener = tokens.partner.get(index, -1)
            if tokens.is_control(opener) or (word == "}" and tokens.opens_block(opener)):
                break
            index = opener
        elif tokens.is_control(index) or (word == "{" and tokens.opens_block(index)):
            break
        index -= 1
    return index + 1


class Statement:
    """Reads one statement from its first word on, and collects what is refused."""

    def __init__(self, tokens, first):
        self.tokens = tokens
        self.found = []
        self._read(first, is_argument=False, is_braced=False)

    def _read(self, index, is_argument, is_braced):
        """Up to what ends the statement, or the group that `index` stands in."""
        while index < len(self.tokens.words) and self.tokens.word(index) not in (";", ")", "]", "}"):
            word = self.tokens.word(index)
            if self.tokens.opens_lambda(index):
                index = self._past_lambda(index)
            elif word == "{":
                if not is_argument and self.tokens.opens_block(index):
                    return
                index = self._past_braces(index, is_argument)
            elif word in OPENERS:
                self._read(index + 1, True, is_braced)
                index = self.tokens.past(index)
            else:
                if word == "co_await" and is_braced:
                    self.found.append((index, AROUND))
                index += 1

    def _past_lambda(self, index):
        body = self.tokens.past(index)
        if body - index > 2:
            self.found.append((index, LAMBDA))
        while body < len(self.tokens.words) and self.tokens.word(body) not in ("{", ";"):
            body = self.tokens.past(body) if self.tokens.word(body) in OPENERS else body + 1
        return self.tokens.past(body)

    def _past_braces(self, index, is_argument):
        """What is refused as a whole is not looked into."""
        if self._is_refused(index, is_argument):
            self.found.append((index, BRACES))
        else:
            self._read(index + 1, True, True)
        return self.tokens.past(index)

    def _is_refused(self, brace, is_argument):
        first, last = self.tokens.type_before(brace) or (brace, "")
        if self.tokens.word(first - 1) == "co_await":
            return last not in AWAITABLES
        return is_argument and last not in HARMLESS


def no_temporaries_beside_co_await(source):
    if "co_await" not in source.text or not source.name.startswith(PLACES):
        return
    tokens = source.tokens
    firsts = {first_of_statement(tokens, index) for index, word in enumerate(tokens.words)
              if word == "co_await" and tokens.word(index - 1) != "operator"}
    for first in firsts:
        for index, message in Statement(tokens, first).found:
            yield source.line_at(tokens.positions[index]), message


RULES = (no_temporaries_beside_co_await,)
