"""Application joins said as joins: a find, and the finds that ask for what it found, are one statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nestling.common.errors import name_list
from nestling.ir.capture import Capture, CommandOperation, CommandShape, Follow, ShapeTotals
from nestling.ir.design import Design
from nestling.sources.capture.sql.documents import FOLLOWED
from nestling.sources.capture.sql.prefilters import Stage
from nestling.sources.capture.sql.reads import pipeline_of

LEAST_SHARE = 0.5
"""A statement that follows another one less often than this is one of its own."""
REST = 0.05
"""What is left of a statement's rate beside its joins counts from this share on."""


@dataclass(frozen=True, slots=True)
class JoinedStatement:
    """A captured statement as SQL: its rate per second, the joins added to it as stages, and notes about it."""

    seen: ShapeTotals
    rate: float
    stages: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = ()


def joined(capture: Capture, design: Design, is_said: Callable[[JoinedStatement], bool]) -> Iterator[JoinedStatement]:
    """The statements of a capture, those that make up an application join together where SQL says (`is_said`) the join."""
    rates = {seen.shape: capture.rate(seen) for seen in capture.seen}
    follows = [each for each in map(_Link(design).known, _best(capture)) if each is not None]
    taken: dict[CommandShape, float] = {}
    for seen in capture.seen:
        mine = [each for each in follows if each.first == seen.shape and each.second in rates]
        mine = [each for each in mine if each.second not in {other.first for other in follows if other is not each}]
        mine = [each for each in mine if is_said(_join(seen, rates, [each]))]
        if len(mine) > 1 and not is_said(_join(seen, rates, mine)):
            mine = mine[:1]
        if not mine:
            continue
        join = _join(seen, rates, mine)
        yield join
        rate = join.rate
        taken[seen.shape] = taken.get(seen.shape, 0.0) + rate
        for each in mine:
            taken[each.second] = taken.get(each.second, 0.0) + rates[each.second] * each.share
    for seen in capture.seen:
        rest = rates[seen.shape] - taken.get(seen.shape, 0.0)
        if rates[seen.shape] and rest > REST * rates[seen.shape]:
            yield JoinedStatement(seen, rest)


def _join(seen: ShapeTotals, rates: Mapping[CommandShape, float], follows: Sequence[Follow]) -> JoinedStatement:
    """A statement with those that follow it as its joins."""
    rate = min([rates[seen.shape], *(rates[each.second] * each.share for each in follows)])
    stages = tuple(_lookup(each, number) for number, each in enumerate(follows))
    names = name_list(each.second.collection for each in follows)
    return JoinedStatement(seen, rate, stages, (f"the application joins {names} itself",))


def _best(capture: Capture) -> Iterator[Follow]:
    """For each statement the one it follows most often, when it does so often enough."""
    best: dict[CommandShape, Follow] = {}
    for each in capture.follows:
        plain = each.second.operation is CommandOperation.FIND and each.first.operation in (
            CommandOperation.FIND,
            CommandOperation.AGGREGATE,
        )
        known = best.get(each.second)
        if (
            plain
            and each.first != each.second
            and each.share >= LEAST_SHARE
            and (known is None or each.times > known.times)
        ):
            best[each.second] = each
    yield from best.values()


@dataclass(frozen=True, slots=True)
class _Link:
    """Finds which field of the first statement's documents the second one asks for, where the capture does not say."""

    design: Design

    def known(self, follow: Follow) -> Follow | None:
        """The join with its path; None when it cannot be told."""
        if follow.path:
            return follow
        paths = self._paths(follow)
        if len(paths) != 1:
            return None
        return replace(follow, path=paths[0])

    def _paths(self, follow: Follow) -> list[str]:
        stores = {store.name: store for store in self.design.stores}
        first, second = stores.get(follow.first.collection), stores.get(follow.second.collection)
        if first is None or second is None or len(first.roots) != 1 or len(second.roots) != 1:
            return []
        one, other = first.roots[0], second.roots[0]
        asked = next((each.attribute for each in other.stored if each.path == follow.field), None)
        found = []
        for link in self.design.model.relationships:
            pairs = list(zip(link.child_attributes, link.parent_attributes, strict=True))
            if len(pairs) != 1:
                continue
            child, parent = pairs[0]
            if (link.child, link.parent, parent) == (one.entity, other.entity, asked):
                found.append(one.path_of(child))
            if (link.parent, link.child, child) == (one.entity, other.entity, asked):
                found.append(one.path_of(parent))
        return [path for path in dict.fromkeys(found) if path]


def _lookup(follow: Follow, number: int) -> Stage:
    """The join as a `$lookup` of what the second statement asks for besides."""
    clauses = follow.second.clauses
    tests = {path: test for path, test in clauses.get("filter", {}).items() if path != follow.field}
    plain = [stage for stage in pipeline_of(follow.second) if not set(stage) & {"$match", "$limit", "$skip"}]
    return {
        "$lookup": {
            "from": follow.second.collection,
            "localField": follow.path,
            "foreignField": follow.field,
            "pipeline": [*([{"$match": tests}] if tests else []), *plain],
            "as": f"{FOLLOWED}_{number}",
        }
    }
