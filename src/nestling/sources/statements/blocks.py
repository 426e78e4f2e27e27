"""A workload file cut into blocks: a header, then one block per `-- name: …` line.

A block is what stands between two name lines: comments, `-- params:`, `-- quantiles:`, `-- rate:` and the statement. Statements
before the first name line, and further ones in a block, are found too, so that none is lost. A rate that stands between two
statements is the second one's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from nestling.common.errors import Problem
from nestling.ir.rate import no_rate, read_rate
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.ddl.statements import statements

_NAME_LINE = re.compile(r"^[ \t]*--[ \t]*name[ \t]*:[ \t]*(?P<said>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_SAID = re.compile(
    r"^(?P<name>[^,;]*?)[ \t]*[,; \t][ \t]*rate[ \t]*:[ \t]*(?P<rate>.*)$|^(?P<bare>[^,;]*?)(?:[ \t]+:\w+)?[ \t]*(?:[,;].*)?$",
    re.IGNORECASE,
)
_RATE_LINE = re.compile(r"^[ \t]*--[ \t]*rate[ \t]*:[ \t]*(?P<rate>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_PARAMETERS = re.compile(r"^[ \t]*--[ \t]*params[ \t]*:[ \t]*(?P<json>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_QUANTILES = re.compile(r"^[ \t]*--[ \t]*quantiles[ \t]*:[ \t]*(?P<json>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_MEASURED = re.compile(r"^[ \t]*--[ \t]*measured[ \t]*:[ \t]*(?P<said>[^\n]*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_KEY = re.compile(r"^[ \t]*--[ \t]*(?P<key>[A-Za-z]+)[ \t]*:", re.MULTILINE)
KEYS = ("name", "rate", "params", "quantiles", "measured", "window")
"""Words that begin a comment line which says something of a statement, or of all."""
ALIKE = 0.8
"""How alike a word is to one of these to be taken for a mistake in writing it, of 1."""
_FURTHER = re.compile(r"[,;\s][ \t]*(?P<said>\w+[ \t]*:.*)$")
_MILLISECONDS = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)[ \t]*ms")

_LINES = "write it on a line of its own, such as `-- params: {…}`"

DEFAULT_RATE_PER_SECOND = 1.0
"""Of a statement nobody gave a rate for."""


@dataclass(frozen=True, slots=True)
class StatementBlock:
    """One statement as written: its text and where that starts, its name and rate, sample parameters (or what is wrong).

    A `rate_per_second` of None is one that nobody gave; `mistakes` are sentences for gaps, each with its line. `wrong_rate` is
    the problem of a rate that cannot be read, with its line as the place. `measured_seconds`, `measured_with` as in `Statement`.
    """

    name: str
    line: int
    sql: str
    offset: int
    rate_per_second: float | None = None
    samples: object = None
    quantiles: tuple[tuple[str, float], ...] = ()
    measured_seconds: float | None = None
    measured_with: str = ""
    mistakes: tuple[tuple[str, int], ...] = ()
    wrong_rate: Problem | None = None

    @property
    def is_called_by_its_line(self) -> bool:
        """Whether nobody gave it a name."""
        return f"{self.name}_".startswith(f"{_line_name(self.line)}_")


def blocks(text: str, dialect: str) -> Iterator[StatementBlock]:
    """The blocks in file order; a block without a statement has an empty `sql`."""
    marks = list(_NAME_LINE.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    on_line = Counter[int]()
    for sql, offset in _statements(text, 0, marks[0].start() if marks else len(text), dialect):
        line = _line(text, offset)
        on_line[line] += 1
        yield StatementBlock(_line_name(line, on_line[line]), line, sql, offset)
    for mark, end in zip(marks, ends, strict=True):
        yield from _named(text, mark, end, dialect)


def _line_name(line: int, number: int = 1) -> str:
    """What a statement is called that has no name; `number`: which it is of those on its line."""
    return f"line_{line}" if number == 1 else f"line_{line}_{number}"


def _named(text: str, mark: re.Match[str], end: int, dialect: str) -> Iterator[StatementBlock]:
    said = _SAID.match(mark["said"].strip())
    line = _line(text, mark.start())
    name = ((said["name"] or said["bare"]) if said else "") or _line_name(line)
    mistakes: list[tuple[str, int]] = []
    samples = _samples(text, mark.end(), end, mistakes)
    quantiles = _quantiles(text, mark.end(), end, mistakes)
    measured, beside = _measured(text, mark.end(), end, mistakes)
    found = list(_statements(text, mark.end(), end, dialect))
    if not found:
        mistakes.append(("there is no statement under this name", line))
    mistakes += [(f"`{each}` behind the name is not read; {_LINES}", line) for each in _further(mark["said"])]
    rates = [list(_rate_lines(text, start, stop)) for start, stop in _headers(mark.end(), end, found)]
    if said is not None and said["rate"] is not None:
        rates[0].insert(0, (said["rate"], line))
    rate, wrong = _rate(rates[0], mistakes)
    sql, offset = found[0] if found else ("", mark.end())
    yield StatementBlock(name, line, sql, offset, rate, samples, quantiles, measured, beside, tuple(mistakes), wrong)
    for number, ((more, at), own) in enumerate(zip(found[1:], rates[1:], strict=True), start=2):
        several = [(f"`{name}` holds several statements; this one is called `{name}.{number}`", _line(text, at))]
        its_rate, wrong = _rate(own, several) if own else (rate, None)
        yield StatementBlock(
            f"{name}.{number}", _line(text, at), more, at, its_rate, samples, quantiles, None, "", tuple(several), wrong
        )


def _headers(start: int, end: int, found: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """For each statement, or for none, where the lines that say something of it are: before it; of the last behind it, too."""
    for number in range(max(len(found), 1)):
        is_last = number + 1 >= len(found)
        yield start, end if is_last else found[number][1]
        start = end if is_last else found[number][1] + len(found[number][0])


def _further(said: str) -> Iterator[str]:
    """What stands behind a name and its rate, and looks as if it said something."""
    rest = re.sub(r"^[^,;]*?[,; \t][ \t]*rate[ \t]*:[^,;]*", "", said, count=1, flags=re.IGNORECASE)
    found = _FURTHER.search(rest)
    if found is not None:
        yield found["said"].strip()


def _rate_lines(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    return ((found["rate"], _line(text, found.start())) for found in _RATE_LINE.finditer(text, start, end))


def _rate(said: Sequence[tuple[str, int]], mistakes: list[tuple[str, int]]) -> tuple[float | None, Problem | None]:
    """The first rate; the problem of one that cannot be read. A further one is a mistake."""
    mistakes += [(f"it has a rate already: `{more.strip()}` is not read", line) for more, line in said[1:]]
    if not said:
        return None, None
    written, line = said[0]
    rate = read_rate(written)
    return rate, None if rate is not None else replace(no_rate(written), where=f"{line}")


def nearly_keys(text: str) -> Iterator[Problem]:
    """Comment lines that begin with what is nearly one of the words for them; the place is a line."""
    for found in _KEY.finditer(text):
        key = found["key"].lower()
        near = [each for each in KEYS if sorted(each) == sorted(key)] or get_close_matches(key, KEYS, n=1, cutoff=ALIKE)
        if near and key.removesuffix("s") not in KEYS and key not in KEYS:  # `Rates: …` is prose
            move = f"write `-- {near[0]}: …`; a comment begins with another word"
            what = f"`{found['key']}` says nothing of a statement; did you mean `{near[0]}`?"
            yield Problem(what, where=f"{_line(text, found.start())}", next_move=move)


def _samples(text: str, start: int, end: int, mistakes: list[tuple[str, int]]) -> object:
    samples: dict[str, object] | list[object] | None = None
    for found in _PARAMETERS.finditer(text, start, end):
        try:
            read = json.loads(found["json"])
        except ValueError as problem:
            mistakes.append((f"params are not JSON: {problem}", _line(text, found.start())))
            continue
        if isinstance(read, dict):
            samples = {**samples, **read} if isinstance(samples, dict) else read
        elif isinstance(read, list):
            samples = read
        else:
            mistakes.append(('params must be an object, such as {"id": 7}', _line(text, found.start())))
    return samples


def _quantiles(text: str, start: int, end: int, mistakes: list[tuple[str, int]]) -> tuple[tuple[str, float], ...]:
    said = _QUANTILES.search(text, start, end)
    if said is None:
        return ()
    try:
        read = json.loads(said["json"])
        found = tuple((str(name), float(share)) for name, share in read.items())
        if all(0 <= share <= 1 for _, share in found):
            return found
    except (ValueError, TypeError, AttributeError):
        pass
    what = 'quantiles must be shares of the values that are smaller, such as {"since": 0.99}'
    mistakes.append((what, _line(text, said.start())))
    return ()


def _measured(text: str, start: int, end: int, mistakes: list[tuple[str, int]]) -> tuple[float | None, str]:
    """The seconds measured, or the statement that has them."""
    said = _MEASURED.search(text, start, end)
    if said is None:
        return None, ""
    word, _, name = said["said"].partition(" ")
    if word == "with" and name.strip():
        return None, name.strip()
    number = _MILLISECONDS.fullmatch(said["said"])
    if number is None:
        what = "`measured` must be milliseconds each time, such as `-- measured: 23.5 ms`, or `-- measured: with` a statement"
        mistakes.append((what, _line(text, said.start())))
        return None, ""
    return float(number[1]) / 1e3, ""


def _statements(text: str, start: int, end: int, dialect: str) -> Iterator[tuple[str, int]]:
    part = text[start:end]
    for statement in statements(part, dialect or SQLITE):
        first, last = statement.tokens[0], statement.tokens[-1]
        yield part[first.start : last.end], start + first.start


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
