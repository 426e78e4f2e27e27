"""Whether a statement's query would read the copies of children in their parents; it is planned on a design that has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nestling.common.errors import NestlingError
from nestling.ir.candidate import Aggregate
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Relationship
from nestling.ir.paths.used_paths import mentioned_paths
from nestling.ir.primitives import Collection, Computed, Document, Holder, Reference
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.situation import Situation
from nestling.ir.statements.algebra import Query
from nestling.ir.workload import Statement
from nestling.planner.options.statements.translated import translated
from nestling.planner.reads import plan_read

_FIELD = "kept of children"
"""How the fields that keep them begin."""
_Kept = tuple[AggregateKind, str | None]


@dataclass
class Readable:
    """What the statements of a workload read of `aggregates`, the candidates by their relationship."""

    situation: Situation
    aggregates: Mapping[str, Sequence[tuple[str, Aggregate]]]
    _read: dict[str, frozenset[str] | None] = field(default_factory=dict, repr=False)

    def is_read(self, statement: Statement, link: Relationship, kept: Sequence[_Kept]) -> bool:
        """Whether all of these are read where the parents along the link keep them; so too if nobody can tell."""
        if statement.name not in self._read:
            self._read[statement.name] = self._paths(statement)
        paths = self._read[statement.name]
        return paths is None or all(self._fields[link.name, each] in paths for each in kept)

    def _paths(self, statement: Statement) -> frozenset[str] | None:
        """The fields the statement's plan speaks of; None where there is no plan."""
        query = translated(statement, self.situation.reading)
        try:
            return mentioned_paths(plan_read(query, self._keeping).step) if isinstance(query, Query) else None
        except NestlingError:
            return None

    @cached_property
    def _fields(self) -> dict[tuple[str, _Kept], str]:
        found = ((link, each) for link, candidates in self.aggregates.items() for _, each in candidates)
        kept = dict.fromkeys((link, (each.function, each.attribute)) for link, each in found)
        return {each: f"{_FIELD} {number}" for number, each in enumerate(kept)}

    @cached_property
    def _keeping(self) -> Design:
        """Everything in a collection of its own, and all aggregates kept in their parents."""
        model = self.situation.model
        computed: dict[str, list[Computed]] = {}
        for (link, (function, attribute)), name in self._fields.items():
            path = (Hop(link, up=False),)
            made = Computed(name, path, function, TRANSACTION, attribute)
            computed.setdefault(model.relationship(link).parent, []).append(made)
        held: dict[str, list[Reference]] = {}
        for each in model.relationships:
            held.setdefault(each.child, []).append(Reference(each.name, Holder.CHILD))
        bodies = (
            (
                entity,
                Document(
                    entity.name,
                    references=tuple(held.get(entity.name, ())),
                    computed=tuple(computed.get(entity.name, ())),
                ),
            )
            for entity in model.entities
        )
        return Design(model, tuple(Collection(f"of {entity.name}", body, entity.key) for entity, body in bodies))
