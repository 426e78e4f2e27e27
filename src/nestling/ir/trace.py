"""What is run on every rival: the same executions with the same values in the same order.

Several clients share a block. For the rows to be the same in the end whichever of them is faster, an execution that changes
what another one needs comes after it (`Execution.after`); inserts of rows with keys of their own are in nobody's way.

For what statements write of their own accord to be the same as well, every execution has a moment, a millisecond after that of
the one before, and UUIDs of its own (`Execution.instead`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from nestling.ir.bindings import Bindings
from nestling.ir.model import Model
from nestling.ir.programs.replayed_values import StandIns
from nestling.ir.workload import Access, Statement, StatementKind, Workload

_MAY_MEET = re.compile(r"\b(conflict|ignore)\b", re.IGNORECASE)
"""What an INSERT says that may meet a row and leaves it as it is; where it is but a name, executions wait for others in vain."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution; `after` are the places in the block of those that have to be done before it.

    `instead`: what it has for the server's time and new UUIDs.
    """

    statement: str
    values: Mapping[str, object]
    instead: StandIns
    after: tuple[int, ...] = ()


Block = tuple[Execution, ...]


class Tracer:
    """Makes block after block of a workload: deterministic by seed and start, and no binding is used twice.

    `start`: the moment of the first execution.
    """

    def __init__(
        self, workload: Workload, model: Model, bindings: Mapping[str, Bindings], seed: int, start: datetime
    ) -> None:
        self._bindings = bindings
        self._seed, self._start = seed, start
        self._drawn: Counter[str] = Counter()
        self._tickets = tickets(workload, model)
        self._chance = Random(seed)  # noqa: S311 - an order of statements, not a secret

    def block(self, counts: Mapping[str, int]) -> Block:
        """Each statement as often as `counts` says, in random order."""
        names = [name for name, count in counts.items() for _ in range(count)]
        self._chance.shuffle(names)
        last: dict[str, int] = {}
        calls = []
        for place, name in enumerate(names):
            held = self._tickets.get(name, frozenset())
            after = tuple(sorted({last[entity] for entity in held if entity in last}))
            last.update(dict.fromkeys(held, place))
            calls.append(Execution(name, self._bindings[name].values(self._drawn[name]), self._instead(), after))
            self._drawn[name] += 1
        return tuple(calls)

    def _instead(self) -> StandIns:
        number = self._drawn.total()
        return StandIns(self._start + timedelta(milliseconds=number), f"{self._seed} {number}")

    def spent(self) -> tuple[str, ...]:
        """Statements that did something only the first time with each of their values, and have had them all."""
        return tuple(
            name
            for name, count in self._drawn.items()
            if self._bindings[name].once and count > len(self._bindings[name].draws)
        )

    def moments(self, count: int, rate_per_second: float) -> tuple[float, ...]:
        """When executions of independent users are due: seconds from the start, at random with that rate."""
        moments, now = [], 0.0
        for _ in range(count):
            now += self._chance.expovariate(rate_per_second)
            moments.append(now)
        return tuple(moments)


def mix(workload: Workload, size: int, *, least_reads: int = 2, least_writes: int = 1) -> dict[str, int]:
    """How often each statement is executed in a block of `size`: by its rate, and seldom ones a few times all the same.

    Without these few, the numbers add up to `size`: what rounding down leaves goes to the largest parts that it cut off.
    """
    total = sum(statement.rate_per_second for statement in workload.statements)
    shares = {each.name: size * each.rate_per_second / total for each in workload.statements}
    counts = {name: int(share) for name, share in shares.items()}
    by_rest = sorted(shares, key=lambda name: counts[name] - shares[name])
    for name in by_rest[: size - sum(counts.values())]:
        counts[name] += 1
    least = {each.name: least_writes if each.kind.writes else least_reads for each in workload.statements}
    return {name: max(count, least[name]) for name, count in counts.items()}


def tickets(workload: Workload, model: Model) -> dict[str, frozenset[str]]:
    """For each writing statement the entities it has to wait for others at.

    An entity matters when some statement changes or removes its rows; a parent, which only has to be there, when its rows may go.
    """
    writes = [statement for statement in workload.statements if statement.kind.writes]
    changed = {name for each in writes if not _adds_only(each, model) for name in _written(each, model)}
    going = {name for each in writes for name in _gone(each, model)}
    found = {}
    for each in writes:
        touched = _written(each, model) | {access.entity for access in each.accesses}
        parents = {link.parent for name in touched for link in model.parents_of(name)}
        found[each.name] = frozenset((touched & changed) | (parents & going))
    return found


def _adds_only(statement: Statement, model: Model) -> bool:
    """Whether it is an INSERT of rows whose keys it is given."""
    writes = [access.kind for access in statement.accesses if access.kind.writes]
    if any(kind is not StatementKind.INSERT for kind in writes) or _MAY_MEET.search(statement.sql):
        return False
    return all(
        set(model.entity(access.entity).key) <= set(access.attributes)
        for access in statement.accesses
        if access.kind is StatementKind.INSERT
    )


def _written(statement: Statement, model: Model) -> set[str]:
    own = {access.entity for access in statement.accesses if access.kind.writes}
    return own | _gone(statement, model)


def _gone(statement: Statement, model: Model) -> set[str]:
    """Entities whose rows may go, or get another key, with a statement: its own, and those that follow by foreign keys."""
    found: set[str] = set()
    waiting = [access.entity for access in statement.accesses if _removes(access, model)]
    while waiting:
        entity = waiting.pop()
        if entity not in found:
            found.add(entity)
            waiting += [link.child for link in model.children_of(entity)]
    return found


def _removes(access: Access, model: Model) -> bool:
    if access.kind is StatementKind.DELETE:
        return True
    keys = {name for link in model.children_of(access.entity) for name in link.parent_attributes}
    return access.kind is StatementKind.UPDATE and bool(keys & set(access.attributes))
