"""PostgreSQL's intervals of several parts, such as `1 month - 1 day` and `2 days 03:00`.

The server adds the months first, of which years are twelve, then the days, then what is left: so are they here. A fraction of a
month or day, which it makes days and hours of, is left to a gap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from sqlglot import Token, TokenType, exp

_PART = re.compile(r"\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)
_CLOCK = re.compile(r"\s*([+-]?)\s*(\d{1,4}):(\d{2})(?::(\d{2}(?:\.\d{1,6})?))?(?![\w:])")
_WORDS = {
    **dict.fromkeys(("y", "yr", "year"), ("month", 12)),
    **dict.fromkeys(("mon", "month"), ("month", 1)),
    **dict.fromkeys(("w", "week"), ("day", 7)),
    **dict.fromkeys(("d", "day"), ("day", 1)),
    **dict.fromkeys(("h", "hr", "hour"), ("second", 3600)),
    **dict.fromkeys(("m", "min", "minute"), ("second", 60)),
    **dict.fromkeys(("s", "sec", "second"), ("second", 1)),
}
_ORDER = ("month", "day", "second")
_ONE = re.compile(r"\s*-?\d+(?:\.\d+)?\s*[a-z]+\s*", re.IGNORECASE)
NOTHING = " 0 s"
"""What is put behind a text of which sqlglot would keep the first part alone, as it knows no other: `2 days 03:00`."""
_FINEST = Decimal("0.001")
"""Seconds a BSON date tells apart."""


def keep_whole(tokens: Sequence[Token]) -> None:
    """Have intervals that are more than one number and unit read as the texts they are."""
    for word, said in pairwise(tokens):
        is_interval = word.token_type is TokenType.INTERVAL and said.token_type is TokenType.STRING
        if is_interval and len(exp.INTERVAL_STRING_RE.findall(said.text)) == 1 and _ONE.fullmatch(said.text) is None:
            said.text += NOTHING


def parts_of(text: str) -> tuple[tuple[str, Decimal], ...]:
    """The units (`month`, `day`, `second`) and how many of each, in the order they are added; none for what is not understood."""
    amounts, at = dict[str, Decimal](), 0
    while at < len(text.rstrip()):
        clock, part = _CLOCK.match(text, at), _PART.match(text, at)
        if clock is not None:
            seconds = int(clock[2]) * 3600 + int(clock[3]) * 60 + Decimal(clock[4] or 0)
            unit, amount, at = "second", -seconds if clock[1] == "-" else seconds, clock.end()
        elif part is not None and (
            said := _WORDS.get(part[3].casefold()) or _WORDS.get(part[3].casefold().removesuffix("s"))
        ):
            unit, amount = said[0], Decimal(part[1] + part[2]) * said[1]
            at = part.end()
        else:
            return ()
        amounts[unit] = amounts.get(unit, Decimal(0)) + amount
    whole = all(amounts.get(unit, 0) % 1 == 0 for unit in ("month", "day"))
    if not whole or amounts.get("second", Decimal(0)) % _FINEST:
        return ()
    return tuple((unit, amounts[unit]) for unit in _ORDER if unit in amounts)
