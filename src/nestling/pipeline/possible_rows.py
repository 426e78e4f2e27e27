"""Where SQL leaves a choice: whether the rows of an answer are among those that the source may choose from.

The source is asked the statement again without the clause that omits rows: without LIMIT, where any rows will do, or without
GROUP BY, where a column may come from any row of its group. The result is every row that an answer may have, as far as columns
without aggregates show.
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

MOST_COMPARED_ROWS = 100_000
"""Most rows fetched for the comparison. If there may be more, nothing is concluded."""


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
    """The statement that returns every row an answer may have.

    `places`: the columns of the answer that it returns; None means all. `computed`: those whose fractions may differ in their
    last digits. `each_once`: the answer repeats no row more often than this statement does.
    """

    sql: str
    places: tuple[int, ...] | None
    computed: frozenset[int]
    each_once: bool


def _possible(sql: str, dialect: str, shape: AnswerShape) -> _Possible | None:
    """Return that statement, or None if the choice is made further inside or the columns cannot be matched."""
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
    tree.set("limit", exp.Limit(expression=exp.Literal.number(MOST_COMPARED_ROWS + 1)))
    return _Possible(asked_text(tree, known.grammar), places, computed, each_once=not grouped)


def _has_another(answer: StatementAnswer, may_be: Sequence[Row], found: _Possible, shape: AnswerShape) -> bool:
    """Whether the answer has a row that is not possible. `may_be`: possible rows, with only the columns in `places`."""
    if len(may_be) > MOST_COMPARED_ROWS or not answer.rows:
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
    """Whether a column is computed from one row, and uses nothing of the select list or of a group."""
    from sqlglot import exp

    return output.find(exp.AggFunc, exp.Window, exp.Anonymous, exp.Star, exp.Query) is None
