"""A workload file cut into blocks: a header, then one block per `-- name: …` line.

A block is what stands between two name lines: comments, `-- params:`, `-- quantiles:`, `-- rate:` and the statement. Statements
before the first name line, and further ones in a block, are found too, so that none is lost. `rates` says whose a rate is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from nestling.common.errors import Problem
from nestling.ir.quantity_words import UNDER
from nestling.ir.rate import read_rate
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.ddl.statements import statements
from nestling.sources.statements.rates import (
    RateLine,
    RateOwner,
    is_unread_rate,
    line_at,
    rate_lines,
    rate_of,
    unread_rates,
    whose,
)

_NAME_LINE = re.compile(r"^[ \t]*--[ \t]*name[ \t]*:[ \t]*(?P<said>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_SAID = re.compile(
    r"^(?P<name>[^,;]*?)[ \t]*[,; \t][ \t]*rate[ \t]*:[ \t]*(?P<rate>.*)$|^(?P<bare>[^,;]*?)(?:[ \t]+:\w+)?[ \t]*(?:[,;].*)?$",
    re.IGNORECASE,
)
_PARAMETERS = re.compile(r"^[ \t]*--[ \t]*params[ \t]*:[ \t]*(?P<json>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_QUANTILES = re.compile(r"^[ \t]*--[ \t]*quantiles[ \t]*:[ \t]*(?P<json>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_MEASURED = re.compile(r"^[ \t]*--[ \t]*measured[ \t]*:[ \t]*(?P<said>[^\n]*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_ASKED = re.compile(r"^[ \t]*--[ \t]*asked[ \t]*:[ \t]*(?P<said>[^\n]*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_KEY = re.compile(r"^[ \t]*--[ \t]*(?P<key>[A-Za-z]+)[ \t]*:", re.MULTILINE)
KEYS = ("name", "rate", "params", "quantiles", "measured", "asked", "window")
"""Words that begin a comment line which says something of a statement, or of all."""
LEAST_LIKENESS = 0.8
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
    the problem of a rate that cannot be read, with its line as the place. `measured_seconds`, `asked_with` as in `Statement`.
    """

    name: str
    line: int
    sql: str
    offset: int
    rate_per_second: float | None = None
    samples: object = None
    quantiles: tuple[tuple[str, float], ...] = ()
    measured_seconds: float | None = None
    asked_with: str = ""
    mistakes: tuple[tuple[str, int], ...] = ()
    wrong_rate: Problem | None = None

    @property
    def is_called_by_its_line(self) -> bool:
        """Whether nobody gave it a name."""
        return f"{self.name}_".startswith(f"{_line_name(self.line)}_")


@dataclass(slots=True)
class _Span:
    """The text between two name lines: the `mark` of the one above, and the statements found, each with its offset.

    `rates` has the rates given for each statement, or for none; `wrong` is the problem of one that nobody can place.
    """

    mark: re.Match[str] | None
    start: int
    end: int
    found: tuple[tuple[str, int], ...]
    rates: list[list[RateLine]]
    wrong: Problem | None = None

    @property
    def tail(self) -> int:
        """Where the last statement ends: what stands behind it may be about the next one."""
        return self.found[-1][1] + len(self.found[-1][0]) if self.found else self.start

    @property
    def name(self) -> str:
        """What its name line calls it."""
        return _said_name(self.mark["said"]) if self.mark else ""


def blocks(text: str, dialect: str) -> Iterator[StatementBlock]:
    """The blocks in file order; a block without a statement has an empty `sql`."""
    spans = list(_spans(text, dialect))
    for span, following in pairwise(spans):
        _place_rates(text, span, following)
    for span in spans:
        yield from _unnamed(text, span) if span.mark is None else _named(text, span, span.mark)


def _spans(text: str, dialect: str) -> Iterator[_Span]:
    marks = [None, *_NAME_LINE.finditer(text)]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        start, end = mark.end() if mark else 0, following.start() if following else len(text)
        found = tuple(_statements(text, start, end, dialect))
        span = _Span(mark, start, end, found, [list(rate_lines(text, *part)) for part in _parts(start, end, found)])
        if mark is not None and (said := _SAID.match(mark["said"].strip())) and said["rate"] is not None:
            span.rates[0].insert(0, RateLine(said["rate"], line_at(text, mark.start()), mark.start(), mark.end()))
        yield span


def _parts(start: int, end: int, found: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """For each statement, or for none, where the lines that say something of it are: before and in it; of the last all others."""
    for sql, offset in found[:-1]:
        yield start, offset + len(sql)
        start = offset + len(sql)
    yield start, end


def _place_rates(text: str, span: _Span, following: _Span) -> None:
    """Give the rates behind a span's last statement to the one under the next name line, where they are about that."""
    assert following.mark is not None
    behind = [each for each in span.rates[-1] if each.start >= span.tail]
    if not behind or (span.mark is not None and not span.found):
        return
    its = [each for each in span.rates[-1] if each not in behind]
    above_has = bool(its or (span.mark is not None and len(span.found) > 1 and span.rates[0]))
    above = span.tail if span.found else None
    below = following.mark.start()
    found = whose(text, behind, above, below, above_has=above_has, below_has=bool(following.rates[0]))
    if found is not RateOwner.ABOVE:
        span.rates[-1] = its
    if found is RateOwner.BELOW:
        following.rates[0] += behind
    elif found is RateOwner.EITHER:
        what = f"`rate: {behind[0].text.strip()}` may belong to this statement or `{following.name}`: neither has another rate"
        span.wrong = _not_placed(behind[0], what, following.name)
    elif found is RateOwner.NOBODY and (readable := next((each for each in behind if read_rate(each.text)), None)):
        what = f"`rate: {readable.text.strip()}` is separated from it and is not above another statement"
        following.wrong = _not_placed(readable, what, following.name)


def _not_placed(said: RateLine, what: str, name: str) -> Problem:
    return Problem(
        what, where=f"{said.line}", next_move=f"write it after the name: `-- name: {name}, rate: {said.text.strip()}`"
    )


def _line_name(line: int, number: int = 1) -> str:
    """What a statement is called that has no name; `number`: which it is of those on its line."""
    return f"line_{line}" if number == 1 else f"line_{line}_{number}"


def _unnamed(text: str, span: _Span) -> Iterator[StatementBlock]:
    """The statements above the first name line, each with the settings directly above it."""
    on_line = Counter[int]()
    parts = _parts(span.start, span.end, span.found)
    for (sql, offset), (start, end), rates in zip(span.found, parts, span.rates, strict=False):
        line = line_at(text, offset)
        on_line[line] += 1
        mistakes: list[tuple[str, int]] = []
        samples, quantiles = _samples(text, start, end, mistakes), _quantiles(text, start, end, mistakes)
        measured, beside = _measured(text, start, end, mistakes), _asked(text, start, end, mistakes)
        rate, wrong = rate_of(rates, mistakes)
        wrong = span.wrong if span.wrong is not None and offset == span.found[-1][1] else wrong
        name = _line_name(line, on_line[line])
        yield StatementBlock(
            name, line, sql, offset, rate, samples, quantiles, measured, beside, tuple(mistakes), wrong
        )


def _said_name(said: str) -> str:
    found = _SAID.match(said.strip())
    return (found["name"] or found["bare"]) if found else ""


def _named(text: str, span: _Span, mark: re.Match[str]) -> Iterator[StatementBlock]:
    line, start, end, found = line_at(text, mark.start()), span.start, span.end, span.found
    name = span.name or _line_name(line)
    mistakes: list[tuple[str, int]] = []
    samples = _samples(text, start, end, mistakes)
    quantiles = _quantiles(text, start, end, mistakes)
    measured, beside = _measured(text, start, end, mistakes), _asked(text, start, end, mistakes)
    if not found:
        mistakes.append(("no statement follows this name", line))
    mistakes += [(f"`{each}` after the name is not read; {_LINES}", line) for each in _further(mark["said"])]
    rate, wrong = rate_of(span.rates[0], mistakes)
    sql, offset = found[0] if found else ("", start)
    wrong = wrong or span.wrong
    yield StatementBlock(name, line, sql, offset, rate, samples, quantiles, measured, beside, tuple(mistakes), wrong)
    for number, ((more, at), own) in enumerate(zip(found[1:], span.rates[1:], strict=True), start=2):
        several = [
            (
                f"several statements stand under the name `{name}`; this one is called `{name}.{number}`",
                line_at(text, at),
            )
        ]
        its_rate, wrong = rate_of(own, several) if own else (rate, None)
        yield StatementBlock(
            f"{name}.{number}",
            line_at(text, at),
            more,
            at,
            its_rate,
            samples,
            quantiles,
            None,
            "",
            tuple(several),
            wrong,
        )


def _further(said: str) -> Iterator[str]:
    """What stands behind a name and its rate, and looks as if it said something."""
    rest = re.sub(r"^[^,;]*?[,; \t][ \t]*rate[ \t]*:[^,;]*", "", said, count=1, flags=re.IGNORECASE)
    found = _FURTHER.search(rest)
    if found is not None and not is_unread_rate(found["said"].strip()):
        yield found["said"].strip()


def unread_words(text: str, dialect: str) -> Iterator[Problem]:
    """Comments that were to say something of a statement and do not, as they are written otherwise; the place is a line."""
    yield from _nearly_keys(text)
    named = (
        mark for mark in _NAME_LINE.finditer(text) if (_SAID.match(mark["said"].strip()) or {"rate": None})["rate"]
    )
    read = [each.line for each in rate_lines(text, 0, len(text))]
    yield from unread_rates(text, dialect, [*read, *(line_at(text, mark.start()) for mark in named)])


def _nearly_keys(text: str) -> Iterator[Problem]:
    """Comment lines that begin with what is nearly one of the words for them; the place is a line."""
    for found in _KEY.finditer(text):
        key = found["key"].lower()
        near = [each for each in KEYS if sorted(each) == sorted(key)] or get_close_matches(
            key, KEYS, n=1, cutoff=LEAST_LIKENESS
        )
        if near and key.removesuffix("s") not in KEYS and key not in KEYS:  # `Rates: …` is prose
            move = f"write `-- {near[0]}: …`, or start the comment with another word"
            what = f"`{found['key']}` is not a setting of a statement; did you mean `{near[0]}`?"
            yield Problem(what, where=f"{line_at(text, found.start())}", next_move=move)


def _samples(text: str, start: int, end: int, mistakes: list[tuple[str, int]]) -> object:
    samples: dict[str, object] | list[object] | None = None
    for found in _PARAMETERS.finditer(text, start, end):
        try:
            read = json.loads(found["json"])
        except ValueError as problem:
            mistakes.append((f"params are not JSON: {problem}", line_at(text, found.start())))
            continue
        if isinstance(read, dict):
            samples = {**samples, **read} if isinstance(samples, dict) else read
        elif isinstance(read, list):
            samples = read
        else:
            mistakes.append(('params must be an object, such as {"id": 7}', line_at(text, found.start())))
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
    what = 'quantiles must be the share of values that are smaller, or match a pattern, such as {"since": 0.99}'
    mistakes.append((what, line_at(text, said.start())))
    return ()


def _measured(text: str, start: int, end: int, mistakes: list[tuple[str, int]]) -> float | None:
    """The seconds its command was measured to take each time."""
    said = _MEASURED.search(text, start, end)
    if said is None:
        return None
    if said["said"] == UNDER:
        return 0.0
    number = _MILLISECONDS.fullmatch(said["said"])
    if number is None:
        what = "`measured` must be milliseconds per execution, such as `-- measured: 23.5 ms`"
        mistakes.append((what, line_at(text, said.start())))
        return None
    return float(number[1]) / 1e3


def _asked(text: str, start: int, end: int, mistakes: list[tuple[str, int]]) -> str:
    """The first statement of the command that this one is a part of."""
    said = _ASKED.search(text, start, end)
    if said is None:
        return ""
    word, _, name = said["said"].partition(" ")
    if word.lower() == "with" and name.strip():
        return name.strip()
    what = "`asked` must name the first statement of the same command, such as `-- asked: with find_orders`"
    mistakes.append((what, line_at(text, said.start())))
    return ""


def _statements(text: str, start: int, end: int, dialect: str) -> Iterator[tuple[str, int]]:
    part = text[start:end]
    for statement in statements(part, dialect or SQLITE):
        first, last = statement.tokens[0], statement.tokens[-1]
        yield part[first.start : last.end], start + first.start
