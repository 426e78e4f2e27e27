"""Where the ends of a captured range lie among a field's values, and how many a pattern lets through.

Both are counted by the rows that the server returned; no value is kept.
"""

from __future__ import annotations

from typing import Any

from nestling.ir.capture import CommandOperation, CommandShape, ShapeTotals
from nestling.ir.capture.clauses import BEGINS
from nestling.ir.capture.masks import NULL_SHAPE
from nestling.ir.statistics import EntityStatistics
from nestling.sources.capture.sql.documents import StatementDraft
from nestling.sources.capture.sql.reads import pipeline_of
from nestling.sources.capture.sql.scalar_tests import ANY_BOUND, ENDS_OF_BEGINNING
from nestling.sources.capture.sql.words import Asked

FIRST_BATCH = 101
"""Documents in the server's first answer: how many come after them, its notes do not say."""
_LOWER, _UPPER = frozenset({"$gt", "$gte"}), frozenset({"$lt", "$lte"})
_ROW_BY_ROW = frozenset({"$lookup", "$project", "$set", "$addFields", "$unset", "$sort", "$limit"})


def quantiles_of(seen: ShapeTotals, said: StatementDraft, known: EntityStatistics) -> tuple[tuple[str, float], ...]:
    """For each parameter of the only range, the share of rows with a smaller value; for that of the only pattern, the share that
    matches. Nothing where that was not counted.

    `known`: the entity whose documents are asked.
    """
    returned, tests = _matched(seen), _conditions(seen.shape)
    if returned is None or known.count is None or not tests:
        return ()
    left = max(known.count.value, 1.0)
    ranges: list[Asked] = []
    for each in said.parameters.asked:
        if (each.path, each.operator) not in tests:
            return ()
        if each.operator != "$eq":
            ranges.append(each)
        elif (distinct := known.attribute(each.attribute).distinct) is not None:
            left /= max(distinct.value, 1.0)
        else:
            return ()
    if len(ranges) != len(tests) - sum(operator == "$eq" for _, operator in tests):
        return ()
    return _ends(ranges, min(1.0, returned / max(left, 1.0)))


def _ends(ranges: list[Asked], share: float) -> tuple[tuple[str, float], ...]:
    lower = [each.parameter for each in ranges if each.operator in _LOWER]
    upper = [each.parameter for each in ranges if each.operator in _UPPER]
    patterns = [each.parameter for each in ranges if each.operator == "$regex"]
    if len({each.path for each in ranges}) != 1 or max(len(lower), len(upper)) > 1 or (patterns and len(ranges) > 1):
        return ()
    if patterns:
        return ((patterns[0], _rounded(share)),)
    if lower and upper:  # where between, nobody saw
        return (lower[0], _rounded((1 - share) / 2)), (upper[0], _rounded((1 + share) / 2))
    return ((lower[0], _rounded(1 - share)),) if lower else ((upper[0], _rounded(share)),)


def _rounded(share: float) -> float:
    return round(share, 7)


def _matched(seen: ShapeTotals) -> float | None:
    """How many documents met the first condition on average, where those returned are these.

    Only averages are known: of an average above half of a limit, or of a first answer, some executions may have reached it.
    """
    if not seen.count or seen.shape.operation not in (CommandOperation.FIND, CommandOperation.AGGREGATE):
        return None
    returned, stages = seen.returned / seen.count, pipeline_of(seen.shape)[1:]
    names = {name for stage in stages for name in stage}
    limits = [stage["$limit"] for stage in stages if "$limit" in stage]
    if not names <= _ROW_BY_ROW or any(not isinstance(each, int) or returned > each / 2 for each in limits):
        return None
    return returned if returned < FIRST_BATCH / 2 else None


def _conditions(shape: CommandShape) -> set[tuple[str, str]]:
    """The paths and operators of a condition that is nothing but comparisons with values."""
    first: Any = pipeline_of(shape)[:1]
    asked = first[0].get("$match") if first else None
    if not isinstance(asked, dict) or not all(isinstance(tests, dict) for tests in asked.values()):
        return set()
    found = {
        (path, way): word
        for path, tests in asked.items()
        for name, word in tests.items()
        for way in (ENDS_OF_BEGINNING if (name, word) == ("$regex", BEGINS) else (name,))
    }
    plain = all(
        name in _LOWER | _UPPER | {"$eq", "$regex"}
        and isinstance(word, str)
        and word not in (NULL_SHAPE, ANY_BOUND)
        and not path.startswith("$")
        for (path, name), word in found.items()
    )
    return set(found) if plain and any(name != "$eq" for _, name in found) else set()
