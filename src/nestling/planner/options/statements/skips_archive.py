"""Whether a statement asks for no row of an archive: all it asks for are at least as late as those that are not old."""

from __future__ import annotations

from nestling.ir.candidate import Archived
from nestling.ir.distribution import as_kind
from nestling.ir.situation import Situation
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import Compare, Expression
from nestling.ir.statements.operands import bare, conjuncts
from nestling.ir.value_forms.written_values import written_bound
from nestling.ir.workload import Statement
from nestling.planner.known.ranges import SampleValues, value_of
from nestling.planner.options.statements.relations import relations_within, rows_asked
from nestling.planner.options.statements.translated import translated
from nestling.planner.reads.rewrites.archived import bounded_below


def asks_for_later(statement: Statement, archived: Archived, situation: Situation) -> bool:
    """By its literals and samples, wherever it mentions the entity; not where it cannot be translated."""
    query = translated(statement, situation.reading)
    if query is None:
        return False
    relations = list(relations_within(rows_asked(query)))
    kind = situation.model.entity(archived.entity).attribute(archived.rows.attribute).type
    bound, values = written_bound(kind, archived.rows.value), statement.known_values
    asked = [each for every in relations if isinstance(every, a.Filter) for each in conjuncts(every.predicate)]
    later = {
        column.alias
        for each in asked
        if (column := bounded_below(each)) is not None
        and column.name == archived.rows.attribute
        and (least := as_kind(_least(each, values), bound)) is not None
        and least >= bound
    }
    mentions = {each.alias for each in relations if isinstance(each, a.Scan) and each.entity == archived.entity}
    return mentions <= later


def _least(predicate: Expression, values: SampleValues) -> object:
    """What a lower bound compares with, as far as it is known."""
    assert isinstance(predicate, Compare)
    is_left = bare(predicate.left) == bounded_below(predicate)
    return value_of(predicate.right if is_left else predicate.left, values)
