"""The latest child of each parent: found by a subquery for the greatest value, or read from what the parent keeps of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nestling.ir.design_problem import Mode
from nestling.ir.model import Relationship
from nestling.ir.paths import work_of
from nestling.ir.paths.work import Work
from nestling.ir.rows import EXTREME_IS_LAST
from nestling.ir.situation import Situation
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Column, Compare, ScalarSubquery
from nestling.ir.statements.operands import conjuncts
from nestling.ir.statements.operators import Comparison
from nestling.ir.workload import Access, AttributeFilter, Operator, Statement
from nestling.planner.options.modes import Modes
from nestling.planner.options.statements.relations import relations_within, rows_asked
from nestling.planner.options.statements.translated import translated
from nestling.planner.options.statements.visits import Visit


@dataclass(frozen=True, slots=True)
class Latest:
    """The access to one child of each parent, that to all of them for the greatest (or least) value, and of which attribute."""

    one: Access
    all: Access
    link: Relationship
    attribute: str
    descending: bool


def latest(statement: Statement, situation: Situation) -> Latest | None:
    """Where a statement joins parents with the child whose value is the greatest of all of that parent's."""
    reads = [each for each in statement.accesses if not each.kind.writes]
    together = [each for each in reads if len(each.aggregates) == 1 and not each.filters]
    if len(reads) != 3 or len(together) != 1 or together[0].via is None or statement.is_flat:
        return None
    (every,) = together
    ((function, attribute),) = every.aggregates
    link = situation.model.relationship(every.via or "")
    one = next(
        (each for each in reads if each is not every and (each.entity, each.via) == (every.entity, every.via)), None
    )
    if one is None or attribute is None or function not in EXTREME_IS_LAST or every.entity != link.child:
        return None
    is_one = situation.model.entity(link.child).is_superkey({*link.child_attributes, attribute})
    asked = [*one.filters] == [AttributeFilter(attribute, Operator.EACH)]
    if not is_one or not asked or not _is_compared(statement, attribute, situation):
        return None
    return Latest(one, every, link, attribute, EXTREME_IS_LAST[function])


def _is_compared(statement: Statement, attribute: str, situation: Situation) -> bool:
    """Whether a condition says that the attribute equals what a subquery gives."""
    query = translated(statement, situation.reading)
    if query is None:
        return False
    found = relations_within(rows_asked(query))
    conditions = (
        each.predicate if isinstance(each, a.Filter) else each.condition
        for each in found
        if isinstance(each, a.Filter | a.Join)
    )
    return any(
        isinstance(each, Compare)
        and each.operator is Comparison.EQUAL
        and {type(each.left), type(each.right)} == {Column, ScalarSubquery}
        and attribute in {side.name for side in (each.left, each.right) if isinstance(side, Column)}
        for condition in conditions
        for each in conjuncts(condition)
    )


def from_copies(modes: Modes, visit: Visit, told: Latest) -> Iterator[Mode]:
    """The latest child from what its parent keeps."""
    for name in _holding(modes, told):
        yield modes.mode(name, (name,), work_of.unwind(visit.outer))


def among_rows(modes: Modes, visit: Visit, told: Latest) -> Iterator[Mode]:
    """The greatest value as a window over the rows that are joined: all children, or those that are kept."""
    names = tuple(_holding(modes, told))
    yield modes.mode("a window over all of them", (), window(visit.reached), without=names)
    yield from (modes.mode(f"a window over {name}", (name,), window(visit.outer)) for name in names)


def _holding(modes: Modes, told: Latest) -> Iterator[str]:
    """The structures that hold the latest child, with all that is shown of it."""
    for name, few in modes.places.first_children[told.link.name]:
        first = [(each.attribute, each.descending) for each in few.order[:1]]
        shown = set(told.one.attributes) <= {*few.attributes, *told.link.child_attributes}
        if shown and few.limit is not None and first == [(told.attribute, told.descending)]:
            yield name


def window(rows: float) -> Work:
    """The work of a value computed over parts of so many rows, and tested on each."""
    return (
        Work(stages=1 + work_of.light(1))
        + work_of.sort(rows)
        + work_of.group(rows, 1.0)
        + work_of.pass_on(2 * rows)
        + work_of.ask(rows)
    )
