"""The condition of a CHECK from the text that `nestling.ir.constraints.condition_text` writes, or a person writes like it.

`end_date IS NULL OR end_date > start_date`, `net + tax <= 100`, `status IN ('open', 'shut')`: names are quoted by double quotes,
texts by single ones, and case counts in names alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from nestling.common.errors import InputError, Problem
from nestling.ir.constraints.condition_text import RESERVED_WORDS
from nestling.ir.constraints.row_check import constant, plain_condition
from nestling.ir.statements.expression import (
    ANY,
    And,
    Arithmetic,
    Column,
    Compare,
    Expression,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from nestling.ir.statements.operators import ArithmeticOperator, Comparison

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<name>[^\W\d]\w*|"(?:[^"]|"")*")|(?P<text>'(?:[^']|'')*')"""
    r"""|(?P<sign><=|>=|<>|!=|[-+*()=<>,]))"""
)
_COMPARISONS = {each.value: each for each in Comparison} | {"!=": Comparison.NOT_EQUAL}
_DEEPEST = 100
_KNOWN = "write comparisons of columns, numbers and texts, IS NULL, IN (…), AND, OR, NOT, +, - and *"


def read_condition(text: str) -> Expression:
    """The condition; raises `InputError` when it cannot be read."""
    reading = _Reading(text, _tokens(text))
    found = reading.either()
    if reading.left:
        raise reading.problem()
    plain = plain_condition(found)
    if plain is None:
        raise InputError(Problem(f"`{text}` is not a condition", next_move=_KNOWN))
    return plain


def _tokens(text: str) -> list[tuple[str, str]]:
    """Kinds and texts, words in small letters."""
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise InputError(Problem(f"`{text}` cannot be read at `{text[at:].strip()[:20]}`", next_move=_KNOWN))
        kind, word = match.lastgroup, match[match.lastgroup]
        is_word = kind == "name" and word.casefold() in RESERVED_WORDS
        found.append(("word", word.casefold()) if is_word else (kind, word))
        at = match.end()
    return found


@dataclass(slots=True)
class _Reading:
    """What is still to be read, and how deep in brackets."""

    text: str
    left: list[tuple[str, str]]
    depth: int = field(default=0)

    def problem(self) -> InputError:
        at = f"at `{self.left[0][1]}`" if self.left else "at its end"
        return InputError(Problem(f"`{self.text}` cannot be read {at}", next_move=_KNOWN))

    def next(self) -> tuple[str, str]:
        if not self.left:
            raise self.problem()
        return self.left.pop(0)

    def takes(self, *words: str) -> bool:
        """Whether these words and signs come next; they are read then."""
        ahead = [word for kind, word in self.left[: len(words)] if kind in ("word", "sign")]
        if ahead != list(words):
            return False
        del self.left[: len(words)]
        return True

    def wants(self, sign: str) -> None:
        if not self.takes(sign):
            raise self.problem()

    def either(self) -> Expression:
        return self._joined("or", Or, self.both)

    def both(self) -> Expression:
        return self._joined("and", And, self.negated)

    def _joined(self, word: str, kind: type[And | Or], part: Callable[[], Expression]) -> Expression:
        parts = [part()]
        while self.takes(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def negated(self) -> Expression:
        if not self.takes("not"):
            return self.compared()
        return Not(self._deeper(self.negated))

    def _deeper(self, part: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(
                Problem(f"a condition is more than {_DEEPEST} brackets deep", next_move="write it shorter")
            )
        found = part()
        self.depth -= 1
        return found

    def compared(self) -> Expression:
        left = self.sum()
        if self.takes("is", "null"):
            return IsNull(left)
        if self.takes("is", "not", "null"):
            return Not(IsNull(left))
        if self.takes("in"):
            return self._listed(left)
        if self.takes("not", "in"):
            return Not(self._listed(left))
        if self.left and self.left[0][1] in _COMPARISONS and self.left[0][0] == "sign":
            return Compare(_COMPARISONS[self.next()[1]], left, self.sum())
        return left

    def _listed(self, operand: Expression) -> Expression:
        self.wants("(")
        items = [self.factor()]
        while self.takes(","):
            items.append(self.factor())
        self.wants(")")
        return InList(operand, tuple(items))

    def sum(self) -> Expression:
        return self._arithmetic((ArithmeticOperator.ADD, ArithmeticOperator.SUBTRACT), self.product)

    def product(self) -> Expression:
        return self._arithmetic((ArithmeticOperator.MULTIPLY,), self.factor)

    def _arithmetic(self, operators: Sequence[ArithmeticOperator], part: Callable[[], Expression]) -> Expression:
        found = part()
        while operator := next((each for each in operators if self.takes(each.value)), None):
            found = Arithmetic(operator, found, part(), ANY)
        return found

    def factor(self) -> Expression:
        if self.takes("("):
            found = self._deeper(self.either)
            self.wants(")")
            return found
        sign = -1 if self.takes("-") else 1
        kind, word = self.next()
        match kind, word:
            case "number", _:
                return _number(word, sign)
            case ("name", _) if sign > 0:
                return Column("", word[1:-1].replace('""', '"') if word.startswith('"') else word, ANY)
            case ("text", _) if sign > 0:
                return constant(word[1:-1].replace("''", "'"))
            case "word", "true" | "false" if sign > 0:
                return constant(word == "true")
            case _:
                self.left.insert(0, (kind, word))
                raise self.problem()


def _number(word: str, sign: int) -> Literal:
    if word.isdecimal():
        return constant(sign * int(word))
    return constant(sign * (float(word) if "e" in word.casefold() else Decimal(word)))
