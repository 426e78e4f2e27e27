"""When two designs gave the same answer: the same rows, in the order the statement fixes, or the same change or refusal.

SQL leaves a choice where an ORDER BY has ties. Under a LIMIT the tied rows at the end may then be others, so only their values of
the ordered columns count. Sums of fractions depend on the order they are added in, from about the fifteenth digit on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import blake2b
from unicodedata import combining, normalize

Row = tuple[object, ...]
RELATIVE = 1e-9
"""How far two fractions may be apart and count as equal."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows of a read, or how many rows a write changed; `refused`: the source's constraint that forbids
    it; `failed`: an error.

    `left`: the copies a write left to the background sync.
    """

    rows: tuple[Row, ...] = ()
    affected: int | None = None
    refused: str = ""
    failed: str = ""
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """How far a statement fixes its answer: the places of the columns it is ordered by, all of those it is ordered by are among
    them (`whole`), and whether a LIMIT may leave rows out, those before an OFFSET too (`skipped`).

    `loose`: the columns of texts of which any order and any spelling of the letters is right. `chosen_inside`: a LIMIT in a
    subquery may choose among ties.
    """

    ordered_by: tuple[int, ...] = ()
    whole: bool = True
    limited: bool = False
    skipped: bool = False
    loose: tuple[int, ...] = ()
    chosen_inside: bool = False


def same(one: Answer, other: Answer, shape: Shape) -> bool:
    """Whether both are right answers if one is."""
    if one.failed or other.failed:
        return False
    if one.refused or other.refused:
        return bool(one.refused) == bool(other.refused)
    if one.affected != other.affected or len(one.rows) != len(other.rows):
        return False
    one, other = _loosened(one, shape), _loosened(other, shape)
    if shape.ordered_by and shape.whole and not all(map(_alike, _keys(one, shape), _keys(other, shape))):
        return False
    if not shape.limited:
        return _same_bag(one.rows, other.rows)
    if not shape.ordered_by or not shape.whole:
        return True
    return _same_bag(_settled(one, shape), _settled(other, shape))


def digest(answer: Answer, shape: Shape) -> int:
    """A number that is the same for the same answers, but for the last digits of fractions; for use in a hurry."""
    if answer.failed or answer.refused or answer.affected is not None:
        return hash((answer.failed, bool(answer.refused), answer.affected))
    answer = _loosened(answer, shape)
    rows = answer.rows
    if shape.limited:
        rows = _keys(answer, shape) if shape.whole else ((len(rows),),)
    texts = sorted(map(row_text, rows))
    return int.from_bytes(blake2b("\n".join(texts).encode(errors="surrogatepass"), digest_size=8).digest())


def _keys(answer: Answer, shape: Shape) -> tuple[Row, ...]:
    return tuple(tuple(row[place] for place in shape.ordered_by) for row in answer.rows)


def _settled(answer: Answer, shape: Shape) -> Sequence[Row]:
    """The rows before the ties at the end; those after the ties at the beginning, where an OFFSET left some out."""
    keys = _keys(answer, shape)
    open_keys = (keys[-1:], keys[:1])[: 1 + shape.skipped]
    return [row for row, key in zip(answer.rows, keys, strict=True) if (key,) not in open_keys]


def _loosened(answer: Answer, shape: Shape) -> Answer:
    """The letters of loose columns in one order and spelling."""
    if not shape.loose:
        return answer
    rows = (
        tuple(_letters(value) if place in shape.loose else value for place, value in enumerate(row))
        for row in answer.rows
    )
    return replace(answer, rows=tuple(rows))


def _letters(value: object) -> object:
    if not isinstance(value, str):
        return value
    plain = (letter for letter in normalize("NFKD", value.casefold()) if not combining(letter))
    return "".join(sorted(plain))


def _same_bag(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """The same rows as often; fractions may differ in their last digits."""
    if Counter(map(repr, one)) == Counter(map(repr, other)):
        return True
    left, right = (sorted(rows, key=row_text) for rows in (one, other))
    return all(map(_alike, left, right))


def _alike(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(map(_equal, one, other))


def _equal(one: object, other: object) -> bool:
    if isinstance(one, float | Decimal) or isinstance(other, float | Decimal):
        if isinstance(one, int | float | Decimal) and isinstance(other, int | float | Decimal):
            left, right = float(one), float(other)
            return math.isclose(left, right, rel_tol=RELATIVE, abs_tol=1e-12) or (left != left and right != right)
        return one == other
    return one == other and isinstance(one, str) == isinstance(other, str)


def row_text(row: Row) -> str:
    """A row as a text that is the same for equal rows, but for the last digits of fractions."""
    return repr([_short(value) for value in row])


def _short(value: object) -> object:
    """Numbers by their first nine digits, whatever they are stored as."""
    return f"{float(value):.9g}" if isinstance(value, int | float | Decimal) else value
