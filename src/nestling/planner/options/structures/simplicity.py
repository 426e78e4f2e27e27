"""A small price for each structure, because people must maintain it: a structure must gain more than that.

The price is a share of the least cost of the workload, and stands in the costs as a statement of its own. An embedding has no
price here, and an index next to none, because everybody knows them; nor has a parent that is dropped, because that is one
collection less. Where a design is in use already, each change has a second price, because somebody must carry it out: little
for an index, more for what changes documents. That price, too, is a statement of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from nestling.ir.candidate import (
    HOMES,
    INDEXES,
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    FirstChildren,
    Indexed,
    IndexedAcross,
    IndexedAnyCase,
    Lineage,
    Mirror,
    Nested,
    Own,
    Paired,
)
from nestling.ir.design_problem import CHANGE, Charge, Mode, StatementStep

SIMPLICITY = "complexity"
"""The name the price stands under among the statements, and in explanations."""
COMPLEXITY_SHARE = 1.5e-3
"""One unit of it, as a share of the workload's least cost. A judgement, far below what any coefficient is known to."""
INDEX_SHARE = 1e-6
"""What a new index has to save, as such a share: with less nobody builds one beside another that serves nearly as well."""
INDEX_CHANGED, DOCUMENTS_CHANGED = 3e-4, 0.03
"""What a change to a collection in use has to save, as such a share: an index, and what changes all documents. A judgement: an
index is built while the application writes, a rebuilt collection takes a migration."""


def simplicity(candidates: Iterable[Candidate], new_indexes: Collection[str]) -> Iterator[Charge]:
    """A charge for each structure that takes explaining, and for these indexes; its statement runs at the least cost."""
    for candidate in candidates:
        if candidate.id in new_indexes:
            yield Charge(SIMPLICITY, candidate.id, (candidate.id,), INDEX_SHARE)
        elif (weight := _weight(candidate)) > 0:
            yield Charge(SIMPLICITY, candidate.id, (candidate.id,), COMPLEXITY_SHARE * weight)


def arrivals(candidates: Iterable[Candidate], today: frozenset[str]) -> Iterator[Charge]:
    """A charge for each structure that is not among `today`'s: somebody brings it about."""
    for candidate in candidates:
        if candidate.id not in today:
            share = INDEX_CHANGED if isinstance(candidate.part, INDEXES) else DOCUMENTS_CHANGED
            yield Charge(CHANGE, candidate.id, (candidate.id,), share)


def departures(candidates: Iterable[Candidate], today: frozenset[str]) -> Iterator[StatementStep]:
    """A step for each structure that `today`'s documents have besides their rows: it stays, or somebody takes it away."""
    for candidate in candidates:
        if candidate.id in today and not isinstance(candidate.part, (*HOMES, *INDEXES)):
            stays = Mode("it stays", (candidate.id,), 0.0)
            yield StatementStep(CHANGE, f"{candidate.id} goes", (stays, Mode("it goes", (), DOCUMENTS_CHANGED)))


def least_costs(steps: Iterable[StatementStep], charges: Iterable[Charge]) -> Mapping[str, float]:
    """What an execution of each statement costs at least, in seconds."""
    found: dict[str, float] = defaultdict(float)
    for step in steps:
        found[step.statement] += min((mode.cost for mode in step.modes), default=0.0)
    for charge in charges:
        found[charge.statement] += charge.cost if not charge.when else 0.0
    return found


def _weight(candidate: Candidate) -> int:
    """How much explaining a structure takes."""
    match candidate.part:
        case Own() | Indexed() | IndexedAcross() | IndexedAnyCase() | Absorbed():
            return 0
        case Nested(overflow=overflow):
            return 0 if overflow is None else 2
        case CopiedAttribute():
            return 1
        case FirstChildren() | Lineage() | Aggregate() | Mirror() | Paired():
            return 2
        case Bucketed() | Cold() | Archived():
            return 3
