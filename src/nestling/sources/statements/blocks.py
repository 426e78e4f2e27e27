"""A workload file cut into blocks: a header, then one block per `-- name: …` line.

A block is what stands between two name lines: comments, `-- params:`, `-- quantiles:`, `-- rate:` and the statement. Statements
before the first name line, and further ones in a block, are found too, so that none is lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

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
_MILLISECONDS = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)[ \t]*ms")

DEFAULT_RATE_PER_SECOND = 1.0
"""Of a statement nobody gave a rate for."""


@dataclass(frozen=True, slots=True)
class StatementBlock:
    """One statement as written: its text and where that starts, its name and rate, sample parameters (or what is wrong).

    A `rate` of None is one that nobody gave; `mistakes` are sentences for gaps, each with its line. `wrong_rate` is the problem
    of a rate that cannot be read, with its line as the place. `measured_seconds` and `measured_with` as in `Statement`.
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


def blocks(text: str, dialect: str) -> Iterator[StatementBlock]:
    """The blocks in file order; a block without a statement has an empty `sql`."""
    marks = list(_NAME_LINE.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    for sql, offset in _statements(text, 0, marks[0].start() if marks else len(text), dialect):
        line = _line(text, offset)
        yield StatementBlock(f"line_{line}", line, sql, offset)
    for mark, end in zip(marks, ends, strict=True):
        yield from _named(text, mark, end, dialect)


def _named(text: str, mark: re.Match[str], end: int, dialect: str) -> Iterator[StatementBlock]:
    said = _SAID.match(mark["said"].strip())
    line = _line(text, mark.start())
    name = ((said["name"] or said["bare"]) if said else "") or f"line_{line}"
    mistakes: list[tuple[str, int]] = []
    rate, wrong = _rate(text, mark, end, said["rate"] if said else None)
    samples = _samples(text, mark.end(), end, mistakes)
    quantiles = _quantiles(text, mark.end(), end, mistakes)
    measured, beside = _measured(text, mark.end(), end, mistakes)
    found = list(_statements(text, mark.end(), end, dialect))
    if not found:
        mistakes.append(("there is no statement under this name", line))
    sql, offset = found[0] if found else ("", mark.end())
    yield StatementBlock(name, line, sql, offset, rate, samples, quantiles, measured, beside, tuple(mistakes), wrong)
    for number, (more, at) in enumerate(found[1:], start=2):
        several = (f"`{name}` holds several statements; this one is called `{name}.{number}`", _line(text, at))
        yield StatementBlock(
            f"{name}.{number}", _line(text, at), more, at, rate, samples, quantiles, None, "", (several,)
        )


def _rate(text: str, mark: re.Match[str], end: int, written: str | None) -> tuple[float | None, Problem | None]:
    """The rate behind the name or on a line of its own; the problem of one that cannot be read."""
    line = _line(text, mark.start())
    if written is None and (below := _RATE_LINE.search(text, mark.end(), end)) is not None:
        written, line = below["rate"], _line(text, below.start())
    rate = None if written is None else read_rate(written)
    if written is None or rate is not None:
        return rate, None
    return None, replace(no_rate(written), where=f"{line}")


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
