"""For HAVING that compares a sum of fractions: whether only the last digits of the sum decide which rows are in the answer.

A sum of fractions depends on the order of addition: 6.2 in one database is 6.199999999999999 in another. If HAVING compares
such a sum, an answer may have one row more or less. So the statement is run twice more, with its comparison slightly tighter
and slightly looser, by the difference at which two fractions still count as equal. Rows that are in both answers must be the
same. Each row that only one answer has must be in the looser result and not in the tighter one. Then only the last digits
decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nestling.executors.drive import AnswerShape, StatementAnswer, both_right, row_text
from nestling.executors.drive.answers import ABSOLUTE, RELATIVE
from nestling.ir.model import Model
from nestling.ir.rows import Row
from nestling.ir.statements import algebra as a
from nestling.pipeline.answer_choice import FRACTIONS, SUMS
from nestling.pipeline.source_answers import asked_text
from nestling.planner.reads.determined import ids
from nestling.planner.reads.traverse import mentioned

if TYPE_CHECKING:
    from sqlglot import exp

LAST_DIGITS = "HAVING compares a sum of fractions, and only its last digits decide which rows there are"


class Bounds(NamedTuple):
    """The statement with its comparisons a little tighter, and a little looser."""

    tighter: str
    looser: str


def bounds(sql: str, dialect: str) -> Bounds | None:
    """Return the tighter and the looser statement; None if HAVING compares no sum or a LIMIT would let other rows move up."""
    from sqlglot import exp

    from nestling.planner.sql.dialect import dialect_of
    from nestling.planner.sql.parse import parse

    known = dialect_of(dialect)
    tree = parse(sql, known).tree
    if not isinstance(tree, exp.Select) or any(tree.args.get(name) for name in ("limit", "offset", "fetch")):
        return None
    having = tree.args.get("having")
    whole = _conditions(_without_names(having.this, tree)) if having is not None else []
    if not any(map(_is_of_sum, whole)):
        return None
    made = []
    for is_looser in (False, True):
        conditions = [_moved(each, is_looser=is_looser) for each in whole]
        other = tree.copy()
        other.set("having", exp.Having(this=exp.and_(*conditions, copy=False)))
        made.append(asked_text(other, known.grammar))
    return Bounds(*made)


def last_digits_decide(
    one: StatementAnswer, other: StatementAnswer, shape: AnswerShape, tighter: Sequence[Row], looser: Sequence[Row]
) -> bool:
    """Whether two answers differ only in rows that the looser answer has and the tighter one lacks."""
    mine, theirs = _bag(one.rows), _bag(other.rows)
    surely, maybe = _bag(tighter), _bag(looser)
    if not (surely <= mine <= maybe and surely <= theirs <= maybe):
        return False
    both = mine & theirs
    return both_right(
        StatementAnswer(tuple(_those(one.rows, both))), StatementAnswer(tuple(_those(other.rows, both))), shape
    )


def _bag(rows: Sequence[Row]) -> Counter[str]:
    return Counter(map(row_text, rows))


def _those(rows: Sequence[Row], wanted: Counter[str]) -> Iterator[Row]:
    left = Counter(wanted)
    for row in rows:
        if left[row_text(row)] > 0:
            left[row_text(row)] -= 1
            yield row


def _without_names(condition: exp.Expr, select: exp.Select) -> exp.Expr:
    """The condition with the aggregates the select list gives names to in the place of these names."""
    from sqlglot import exp

    named = {
        each.alias: each.this for each in select.expressions if each.alias and each.find(exp.AggFunc, exp.Anonymous)
    }

    def spelt_out(node: exp.Expr) -> exp.Expr:
        is_name = isinstance(node, exp.Column) and not node.table and node.name in named
        return exp.paren(named[node.name]) if is_name else node

    return condition.transform(spelt_out)


def _conditions(condition: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    inner = condition.unnest()
    return [each for part in inner.flatten() for each in _conditions(part)] if isinstance(inner, exp.And) else [inner]


def _is_of_sum(condition: exp.Expr) -> bool:
    from sqlglot import exp

    if not isinstance(condition, exp.GT | exp.GTE | exp.LT | exp.LTE | exp.EQ | exp.NEQ | exp.Between):
        return False
    sums = condition.find(exp.Sum, exp.Avg) is not None
    return sums or any(each.name.upper() == "TOTAL" for each in condition.find_all(exp.Anonymous))


def _moved(condition: exp.Expr, *, is_looser: bool) -> exp.Expr:
    """Return the condition with its comparisons of sums made slightly tighter or looser."""
    from sqlglot import exp

    if not _is_of_sum(condition):
        return condition.copy()
    if isinstance(condition, exp.Between):
        value, low, high = condition.this, condition.args["low"], condition.args["high"]
        parts = [exp.GTE(this=value.copy(), expression=low.copy()), exp.LTE(this=value.copy(), expression=high.copy())]
        return exp.and_(*(_moved(each, is_looser=is_looser) for each in parts), copy=False)
    left, right = (exp.paren(each.copy(), copy=False) for each in (condition.this, condition.expression))
    apart, room = exp.paren(exp.Sub(this=left, expression=right)), _room(left, right)
    distance = exp.Abs(this=apart.copy())
    match condition:
        case exp.EQ():
            return exp.LTE(this=distance, expression=room) if is_looser else exp.LT(this=distance, expression=_zero())
        case exp.NEQ():
            return exp.GTE(this=distance, expression=_zero()) if is_looser else exp.GT(this=distance, expression=room)
        case exp.GT() | exp.GTE():
            return exp.GTE(this=apart, expression=exp.Neg(this=room) if is_looser else room)
        case _:
            return exp.LTE(this=apart, expression=room if is_looser else exp.Neg(this=room))


def _room(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return how far two values may be apart and still count as equal."""
    from sqlglot import exp

    sizes = exp.paren(exp.Add(this=exp.Abs(this=left.copy()), expression=exp.Abs(this=right.copy())))
    share = exp.Mul(this=sizes, expression=exp.Literal.number(f"{RELATIVE:.12f}"))
    return exp.paren(exp.Add(this=share, expression=exp.Literal.number(f"{ABSOLUTE:.12f}")))


def _zero() -> exp.Expr:
    from sqlglot import exp

    return exp.Literal.number(0)


def decided_by_last_digits(
    sql: str,
    model: Model,
    dialect: str,
    ask: Callable[[str], Sequence[Row]],
    answers: tuple[StatementAnswer, StatementAnswer],
    shape: AnswerShape,
) -> bool:
    """Whether two answers to a statement differ by the last digits of a sum only; `ask` gives the rows of a statement."""
    made = bounds(sql, dialect) if _compares_fractions(sql, model, dialect) else None
    return made is not None and last_digits_decide(*answers, shape, ask(made.tighter), ask(made.looser))


def _compares_fractions(sql: str, model: Model, dialect: str) -> bool:
    """Whether the sums HAVING compares are all of fractions: whole numbers have no last digits that differ."""
    from nestling.planner.sql import translate

    asked = translate(sql, model, dialect)
    node = asked.relation if isinstance(asked, a.Query) else None
    while isinstance(node, a.Project | a.Sort | a.Distinct | a.Window):
        node = node.input
    if not isinstance(node, a.Filter) or not isinstance(node.input, a.GroupBy):
        return False
    compared = ids(mentioned(node.predicate))
    sums = [
        each.aggregate
        for each in node.input.aggregates
        if each.aggregate.function in SUMS and (node.input.alias, each.name) in compared
    ]
    return bool(sums) and all(each.type.name in FRACTIONS for each in sums)
