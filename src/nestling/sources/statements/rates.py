"""The statement that each rate of a workload file belongs to, and rates in places where none is read.

A line `-- rate: 900/s` belongs to the statement below it. After the last statement under a name it belongs to that one, unless
it stands right above the next name line and that statement has no other rate. A rate that could belong to either is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from nestling.common.errors import Problem
from nestling.ir.rate import no_rate, read_rate
from nestling.ir.statements.sql_dialects import SQLITE
from nestling.sources.ddl.tokens import tokens

_RATE_LINE = re.compile(r"^[ \t]*--[ \t]*rate[ \t]*:[ \t]*(?P<rate>[^\n]*)$", re.IGNORECASE | re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_COMMENT = re.compile(
    r"(?:^|--|\#|/\*)[ \t*!]*(?P<said>(?:name|rates?)\b[^\n]*?)[ \t]*(?:\*/|$)", re.IGNORECASE | re.MULTILINE
)
_SAYS_RATE = re.compile(
    r"(?:name[ \t]*[:=]?[ \t]*(?P<name>[^,;]*?)[ \t]*[,; \t](?:.*[,;])?[ \t]*)?\brates?[ \t]*[:=]?[ \t]*(?P<rate>\S[^,;]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RateLine:
    """A rate as it is written, the line it is in, and where that begins and ends."""

    text: str
    line: int
    start: int
    end: int


class RateOwner(Enum):
    """Which statement a rate between two of them is about."""

    ABOVE = "the one above"
    BELOW = "the one below"
    EITHER = "one of them"
    NOBODY = "none: it stands alone"


def rate_lines(text: str, start: int, end: int) -> Iterator[RateLine]:
    """The rates that have a line of their own."""
    for found in _RATE_LINE.finditer(text, start, end):
        yield RateLine(found["rate"], line_at(text, found.start()), found.start(), found.end())


def line_at(text: str, offset: int) -> int:
    """The line of an offset, from 1."""
    return text.count("\n", 0, offset) + 1


def whose(
    text: str, between: Sequence[RateLine], above: int | None, below: int, *, above_has: bool, below_has: bool
) -> RateOwner:
    """Which statement the rates between two are about: `above` is where the first ends, if there is one, `below` a name line.

    Whether these have another rate decides, and blank lines where that does not.
    """
    is_apart = _BLANK_LINE.search(text, between[-1].end, below) is not None
    if above is None:
        return RateOwner.NOBODY if is_apart else RateOwner.BELOW
    is_below = _BLANK_LINE.search(text, above, between[0].start) is not None
    if below_has or (is_apart and not is_below):
        return RateOwner.ABOVE
    return RateOwner.BELOW if above_has or (is_below and not is_apart) else RateOwner.EITHER


def rate_of(said: Sequence[RateLine], mistakes: list[tuple[str, int]]) -> tuple[float | None, Problem | None]:
    """The first rate; the problem of one that cannot be read. A further one is a mistake."""
    mistakes += [(f"it already has a rate: `{more.text.strip()}` is not read", more.line) for more in said[1:]]
    if not said:
        return None, None
    rate = read_rate(said[0].text)
    return rate, None if rate is not None else replace(no_rate(said[0].text), where=f"{said[0].line}")


def is_unread_rate(said: str) -> bool:
    """Whether a text gives a rate in another form than the one that is read."""
    found = _SAYS_RATE.match(said)
    return found is not None and read_rate(found["rate"]) is not None


def unread_rates(text: str, dialect: str, read: Sequence[int]) -> Iterator[Problem]:
    """Rates in comments that begin with `name` or `rate`, but in another form than is read; the place is a line.

    `read`: lines whose rate is read, or reported elsewhere.
    """
    found = [
        (line_at(text, each.start("said")), each) for each in _COMMENT.finditer(text) if is_unread_rate(each["said"])
    ]
    found = [(line, each) for line, each in found if line not in read]
    code = [(token.start, token.end) for token in tokens(text, dialect or SQLITE)] if found else []
    for line, each in found:
        if any(start <= each.start("said") < end for start, end in code):
            continue
        says = _SAYS_RATE.match(each["said"])
        assert says is not None
        rate = says["rate"].strip()
        move = f"write `-- name: {says['name']}, rate: {rate}`" if says["name"] else f"write `-- rate: {rate}`"
        what = f"the rate in `{each['said']}` is not read"
        yield Problem(what, where=f"{line}", next_move=f"{move} on a line of its own above the statement")
