"""Compares two answers: the same values in the order that the statement fixes, or the same change or refusal.

Values are compared first. Only if they differ does it matter whether SQL leaves a choice: ties under a LIMIT, a window over
tied rows, a column of any row of its group. Two such answers may both be right, but cannot be shown to be equal. The parts that
the statement does fix are compared anyway.

Fractions count as equal if they differ only in their last digits, because sums depend on the order of addition. So rows with
equal fractions in this sense may be in either order.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from hashlib import blake2b
from itertools import pairwise
from typing import TypeGuard
from unicodedata import combining, normalize

from nestling.ir.rows import Row

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""How far two fractions may be apart and count as equal: as a share of the larger one, and near 0."""


class Likeness(StrEnum):
    """The result of comparing two answers."""

    EQUAL = "equal"
    OPEN = "open"  # they differ, but SQL leaves a choice, and both may be right
    OTHER = "other"  # one of them is wrong


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    """Rows of a read, or how many rows a write changed; `refused`: the source's constraint that forbids
    it, `value` where one does not fit; `failed`: an error.

    `left`: the copies a write left to the background sync.
    """

    rows: tuple[Row, ...] = ()
    affected: int | None = None
    refused: str = ""
    failed: str = ""
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerShape:
    """How far a statement fixes its answer. `choice` says in words where SQL leaves a choice; empty if it leaves none.

    - Columns are given by position. `ordered_by`: the sort columns, up to the first that is not in the answer; `whole`: all are
      in the answer; `collated`: those whose texts are equal regardless of case.
    - `limited`: a LIMIT may exclude other rows, with an OFFSET also at the beginning (`skipped`). `any_rows`: there may be
      other rows, more or fewer. `inner_texts`: a window, or an inner LIMIT, depends on the order of texts.
    - `loose`: text columns in which any order and any spelling of letters is right; `open`: columns in which any of several
      values is.
    """

    ordered_by: tuple[int, ...] = ()
    whole: bool = True
    limited: bool = False
    skipped: bool = False
    collated: tuple[int, ...] = ()
    loose: tuple[int, ...] = ()
    open: tuple[int, ...] = ()
    any_rows: bool = False
    inner_texts: bool = False
    choice: str = ""


def likeness(one: StatementAnswer, other: StatementAnswer, shape: AnswerShape) -> Likeness:
    """Whether two answers are equal, may both be right, or cannot both be."""
    if one.failed or other.failed:
        return Likeness.OTHER
    if one.refused or other.refused:
        return Likeness.EQUAL if bool(one.refused) == bool(other.refused) else Likeness.OTHER
    if one.affected != other.affected:
        return Likeness.OTHER
    if _equal_rows(one.rows, other.rows, shape):
        return Likeness.EQUAL
    return Likeness.OPEN if shape.choice and _alike_where_fixed(one.rows, other.rows, shape) else Likeness.OTHER


def both_right(one: StatementAnswer, other: StatementAnswer, shape: AnswerShape) -> bool:
    """Whether both are right answers if one is."""
    return likeness(one, other, shape) is not Likeness.OTHER


def digest(answer: StatementAnswer, shape: AnswerShape) -> int:
    """A quick hash that is equal for answers that agree where the statement fixes them, ignoring the last digits of fractions."""
    if answer.failed or answer.refused or answer.affected is not None:
        return hash((answer.failed, bool(answer.refused), answer.affected))
    rows: Sequence[Row] = _fixed(answer.rows, shape)
    if shape.any_rows:
        rows = ()
    elif shape.limited:
        rows = [_key(row, shape) for row in rows] if shape.whole else [(len(rows),)]
    texts = sorted(map(row_text, rows))
    return int.from_bytes(blake2b("\n".join(texts).encode(errors="surrogatepass"), digest_size=8).digest())


def row_text(row: Row) -> str:
    """A row as a text that is the same for equal rows, ignoring the last digits of fractions."""
    return repr([_short(value) for value in row])


def _equal_rows(one: Sequence[Row], other: Sequence[Row], shape: AnswerShape) -> bool:
    return len(one) == len(other) and _same_order(one, other, shape) is not None and _same_bag(one, other)


def _alike_where_fixed(one: Sequence[Row], other: Sequence[Row], shape: AnswerShape) -> bool:
    """Whether all that the statement fixes is the same."""
    if shape.any_rows:
        return True
    if len(one) != len(other):
        return False
    one, other = _fixed(one, shape), _fixed(other, shape)
    runs = _same_order(one, other, shape)
    if runs is None or not shape.limited:
        return runs is not None and _same_bag(one, other)
    if not shape.whole or not shape.ordered_by:
        return True
    settled = runs[int(shape.skipped) : -1]
    places = slice(settled[0].start, settled[-1].stop) if settled else slice(0)
    return _same_bag(one[places], other[places])


def _same_order(one: Sequence[Row], other: Sequence[Row], shape: AnswerShape) -> list[range] | None:
    """The ranges of tied rows, equal in both answers; None if the orders differ.

    Rows whose fractions cannot be distinguished are tied, whatever the following keys.
    """
    mine, theirs = ([_key(row, shape) for row in rows] for rows in (one, other))
    leading = _leading((*mine, *theirs), len(shape.ordered_by))
    heads = [[key[:leading] for key in keys] for keys in (mine, theirs)]
    if not all(map(_alike, *heads)):
        return None
    starts = [place for place in range(len(mine)) if not place or not any(_tied(head, place) for head in heads)]
    runs = [range(start, stop) for start, stop in pairwise([*starts, len(mine)])]
    inner = runs if leading < len(shape.ordered_by) else []
    if shape.limited:
        inner = inner[int(shape.skipped) : -1]
    fits = (_same_inside(mine[run.start : run.stop], theirs[run.start : run.stop], leading) for run in inner)
    return runs if all(fits) else None


def _leading(keys: Iterable[Row], places: int) -> int:
    """The number of keys up to the first fraction."""
    fractions = (place for key in keys for place, value in enumerate(key) if isinstance(value, float | Decimal))
    return min(min(fractions, default=places) + 1, places)


def _tied(keys: Sequence[Row], place: int) -> bool:
    return _alike(keys[place - 1], keys[place])


def _same_inside(mine: Sequence[Row], theirs: Sequence[Row], leading: int) -> bool:
    """Whether rows that have exactly the same fractions in both answers are in the order of the keys after these."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for number, key in enumerate(theirs):
        waiting[_key_text(key[leading:])].append(number)
    pairs: list[tuple[int, int]] = []
    for number, key in enumerate(mine):
        if not (found := waiting[_key_text(key[leading:])]):
            return False
        pairs.append((number, found.popleft()))
    groups: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for own, their in pairs:
        groups[repr((mine[own][:leading], theirs[their][:leading]))].append((own, their))
    return all([their for _, their in group] == sorted(their for _, their in group) for group in groups.values())


def _key_text(key: Row) -> str:
    """Keys as a text in which equal whole numbers are equal, however they are stored."""
    return repr([int(value) if _is_whole(value) else _short(value) for value in key])


def _is_whole(value: object) -> TypeGuard[int | float | Decimal]:
    return isinstance(value, int | float | Decimal) and math.isfinite(value) and value == int(value)


def _key(row: Row, shape: AnswerShape) -> Row:
    return tuple(_folded(row[place]) if place in shape.collated else row[place] for place in shape.ordered_by)


def _fixed(rows: Sequence[Row], shape: AnswerShape) -> Sequence[Row]:
    """Rows without the values of open columns, and with the letters of loose ones in one order and spelling."""
    if not shape.open and not shape.loose:
        return rows
    return [tuple(_fixed_values(row, shape)) for row in rows]


def _fixed_values(row: Row, shape: AnswerShape) -> Iterator[object]:
    for place, value in enumerate(row):
        if place in shape.open:
            yield None
        elif place in shape.loose and isinstance(folded := _folded(value), str):
            yield "".join(sorted(folded))
        else:
            yield value


def _folded(value: object) -> object:
    """A text without case and accents."""
    if not isinstance(value, str):
        return value
    return "".join(letter for letter in normalize("NFKD", value.casefold()) if not combining(letter))


def _same_bag(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """Whether both have the same rows equally often; fractions may differ in their last digits."""
    if len(one) != len(other):
        return False
    if Counter(map(repr, one)) == Counter(map(repr, other)):
        return True
    left, right = (sorted(rows, key=_place_in_bag) for rows in (one, other))
    return all(map(_alike, left, right))


def _place_in_bag(row: Row) -> tuple[str, str]:
    return row_text(row), repr([value for value in row if isinstance(value, int)])


def _alike(one: Row, other: Row) -> bool:
    return len(one) == len(other) and all(map(_equal, one, other))


def _equal(one: object, other: object) -> bool:
    if isinstance(one, float | Decimal) or isinstance(other, float | Decimal):
        if isinstance(one, int | float | Decimal) and isinstance(other, int | float | Decimal):
            left, right = float(one), float(other)
            return math.isclose(left, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (left != left and right != right)
        return one == other
    return one == other and isinstance(one, str) == isinstance(other, str)


def _short(value: object) -> object:
    """Numbers rounded to nine digits, however they are stored."""
    return f"{float(value):.9g}" if isinstance(value, int | float | Decimal) else value
