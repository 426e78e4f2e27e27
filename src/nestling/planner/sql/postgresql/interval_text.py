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

from nestling.ir.value_forms.time_text import interval_parts

_ONE = re.compile(r"\s*-?\d+(?:\.\d+)?\s*[a-z]+\s*", re.IGNORECASE)
_NOTHING = " 0 s"
"""What is put behind a text of which sqlglot would keep the first part alone, as it knows no other: `2 days 03:00`."""
_FINEST = Decimal("0.001")
"""Seconds a BSON date tells apart."""


def keep_whole(tokens: Sequence[Token]) -> None:
    """Have intervals that are more than one number and unit read as the texts they are."""
    for word, said in pairwise(tokens):
        is_interval = word.token_type is TokenType.INTERVAL and said.token_type is TokenType.STRING
        if is_interval and len(exp.INTERVAL_STRING_RE.findall(said.text)) == 1 and _ONE.fullmatch(said.text) is None:
            said.text += _NOTHING


def as_written(tree: exp.Expr) -> exp.Expr:
    """The tree of which `keep_whole` has changed the tokens, with the texts as they were."""
    for interval in tree.find_all(exp.Interval):
        if isinstance(interval.this, exp.Literal) and interval.this.name.endswith(_NOTHING):
            interval.this.set("this", interval.this.name.removesuffix(_NOTHING))
    return tree


def parts_of(text: str) -> tuple[tuple[str, Decimal], ...]:
    """The units (`month`, `day`, `second`) and how many of each, in the order they are added; none for what is not understood."""
    try:
        months, days, seconds = interval_parts(text)
    except ValueError:
        return ()
    named = (("month", months), ("day", days), ("second", seconds))
    return () if seconds % _FINEST else tuple(each for each in named if each[1]) or named[-1:]
