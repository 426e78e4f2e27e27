"""The derived structures a write triggers, before there is a design: by the triggers a design's upkeeps have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from nestling.ir.candidate import Aggregate, Candidate, CopiedAttribute, FirstChildren, Lineage, Mirror, Part
from nestling.ir.model import Model
from nestling.ir.primitives import Holder, Reference
from nestling.ir.upkeep import Derived, Trigger
from nestling.ir.workload import Access, StatementKind
from nestling.planner.upkeep import ChangeKind, RowChange, fired_triggers, triggers_of

Kept = TypeVar("Kept", bound=Part)


class Triggered:
    """Candidates for what follows from something else, by the entities whose changes make it differ."""

    def __init__(self, model: Model, candidates: Iterable[Candidate]) -> None:
        self._model = model
        self._by_entity: dict[str, list[tuple[str, Part, Derived, Trigger]]] = defaultdict(list)
        for each in candidates:
            what = derived(model, each.part)
            if what is None:
                continue
            for trigger in triggers_of(model, what):
                self._by_entity[trigger.entity].append((each.id, each.part, what, trigger))

    def own(self, access: Access, kind: type[Kept]) -> Mapping[str, Kept]:
        """By id: what the rows that are written hold of others."""
        return self._fired(access, kind, lambda trigger: not trigger.back)

    def others(self, access: Access, kind: type[Kept]) -> Mapping[str, Kept]:
        """By id: what other rows hold of those that are written."""
        return self._fired(access, kind, lambda trigger: bool(trigger.back))

    def of_children(self, access: Access, kind: type[Kept]) -> Mapping[str, Kept]:
        """By structure, what parents keep of their children; a new parent keeps nothing yet."""
        is_new = access.kind is StatementKind.INSERT
        return self._fired(access, kind, lambda trigger: bool(trigger.back) or not is_new)

    def all(self, access: Access, kind: type[Kept]) -> Mapping[str, Kept]:
        """By id: what the rows that are written hold, and what others hold of them."""
        return self._fired(access, kind, lambda _: True)

    def _fired(self, access: Access, kind: type[Kept], wanted: Callable[[Trigger], bool]) -> Mapping[str, Kept]:
        if not access.kind.writes:
            return {}
        change = change_by(access)
        return {
            name: part
            for name, part, what, trigger in self._by_entity[access.entity]
            if isinstance(part, kind)
            and wanted(trigger)
            and fired_triggers(self._model, what.freshness, (trigger,), change)
        }


def change_by(access: Access) -> RowChange:
    """The change of rows that a write is."""
    return RowChange(access.entity, ChangeKind(access.kind.value), "", frozenset(access.attributes))


def derived(model: Model, part: Part) -> Derived | None:
    """The derived value that a structure becomes in a design; None for a structure that does not follow from something else."""
    match part:
        case CopiedAttribute():
            return part.copy("copied")
        case FirstChildren() | Lineage():
            return part.copy(model, "copied")
        case Aggregate():
            return part.computed(model, "computed")
        case Mirror(_, side):
            return Reference(side, Holder.PARENT)
        case _:
            return None
