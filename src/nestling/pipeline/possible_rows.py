"""Where SQL leaves a choice: whether the rows of an answer are among those the source may choose from.

The source is asked the statement again without what leaves rows out: without its LIMIT, where it takes any of the rows; without
its GROUP BY, where a column is of any row of its group. There are then all rows an answer may have, as far as columns show no
aggregate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from nestling.executors.drive import AnswerShape, StatementAnswer, row_text
from nestling.ir.rows import Row
from nestling.pipeline.source_answers import asked_text

if TYPE_CHECKING:
    from sqlglot import exp

MOST = 100_000
"""Rows that are fetched for this; where there may be more, nothing is known."""


def is_impossible(
    sql: str,
    dialect: str,
    ask: Callable[[str, Sequence[int] | None], Sequence[Row]],
    answer: StatementAnswer,
    shape: AnswerShape,
) -> bool:
    """Whether an answer that differs where SQL leaves a choice cannot be right. `ask` gives the rows of a statement that shows so
    many of the answer's columns.
    """
    found = _possible(sql, dialect, shape)
    return found is not None and _has_another(answer, ask(found.sql, found.places), found, shape)


class _Possible(NamedTuple):
    """The statement that has all rows an answer may have; `places`: the columns of the answer that it shows, all where None;
    `computed`: those of which fractions may differ in their last digits. `each_once`: no more rows are alike in an answer than
    in these.
    """

    sql: str
    places: tuple[int, ...] | None
    computed: frozenset[int]
    each_once: bool


def _possible(sql: str, dialect: str, shape: AnswerShape) -> _Possible | None:
    """It; None where a choice is made further inside the statement, or which column is which is not to be told."""
    from sqlglot import exp

    from nestling.planner.sql.dialect import dialect_of
    from nestling.planner.sql.parse import parse

    known = dialect_of(dialect)
    tree = parse(sql, known).tree
    if shape.any_rows or not isinstance(tree, exp.Query) or not (shape.open or shape.limited):
        return None
    if (distinct := tree.args.get("distinct")) is not None and distinct.args.get("on") is not None:
        return None
    computed = frozenset(place for place, each in enumerate(tree.selects) if not isinstance(each.unalias(), exp.Column))
    places: tuple[int, ...] | None = None
    if grouped := bool(shape.open):
        if not isinstance(tree, exp.Select) or tree.args.get("group") is None:
            return None
        if not tree.is_star:
            places = tuple(place for place, each in enumerate(tree.selects) if _is_of_one_row(each))
            if not set(shape.open) <= set(places):
                return None
            tree.set("expressions", [tree.selects[place] for place in places])
    for part in ("order", "offset", "fetch", *(("group", "having", "distinct") if grouped else ())):
        tree.set(part, None)
    tree.set("limit", exp.Limit(expression=exp.Literal.number(MOST + 1)))
    return _Possible(asked_text(tree, known.grammar), places, computed, each_once=not grouped)


def _has_another(answer: StatementAnswer, may_be: Sequence[Row], found: _Possible, shape: AnswerShape) -> bool:
    """Whether a row of the answer is none of those there may be; `may_be`: rows of the places alone."""
    if len(may_be) > MOST or not answer.rows:
        return False
    places = found.places if found.places is not None else range(len(answer.rows[0]))

    def text(values: Iterable[object]) -> str:
        pairs = zip(places, values, strict=True)
        return row_text(
            tuple(
                None if place in found.computed and isinstance(value, float | Decimal) else value
                for place, value in pairs
                if place not in shape.loose
            )
        )

    there = Counter(map(text, may_be))
    ours = Counter(text(row[place] for place in places) for row in answer.rows)
    return not (ours <= there if found.each_once else ours.keys() <= there.keys())


def _is_of_one_row(output: exp.Expr) -> bool:
    """Whether a column of the answer is reckoned from one row, and from nothing the select list or a group has."""
    from sqlglot import exp

    return output.find(exp.AggFunc, exp.Window, exp.Anonymous, exp.Star, exp.Query) is None
