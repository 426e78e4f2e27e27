"""What structures cost the people who live with them: a small price for each, so that next to nothing is not worth one.

The price is a share of what the workload costs at least, whatever its rates, and stands in the costs as a statement of its own.
An index and an embedding cost nothing here: everybody knows them; and a parent that is dropped is one collection less. Where a
design is in place already, a change has a threshold besides: whatever the design lacks costs something too, as somebody has to
bring it about: most what is no index, and so does what goes that documents have. The threshold is a statement of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from nestling.ir.candidate import (
    HOMES,
    Absorbed,
    Aggregate,
    Archived,
    Bucketed,
    Candidate,
    Cold,
    CopiedAttribute,
    Indexed,
    IndexedAcross,
    Lineage,
    Mirror,
    Nested,
    Newest,
    Own,
    Paired,
)
from nestling.ir.options import CHANGE, Charge, Mode, Step

SIMPLICITY = "complexity"
"""The name the price stands under among the statements, and in explanations."""
SHARE = 3e-4
"""One unit of it, as a share of the workload's least cost: far below what any coefficient is known to."""
CHANGED = 100
"""Units of what changes all documents of a collection in use: three hundredths, far below what the model errs by."""


def simplicity(candidates: Iterable[Candidate]) -> Iterator[Charge]:
    """A charge for each structure that takes explaining; its statement runs at the least cost."""
    for candidate in candidates:
        if (weight := _weight(candidate)) > 0:
            yield Charge(SIMPLICITY, candidate.id, (candidate.id,), SHARE * weight)


def arrivals(candidates: Iterable[Candidate], today: frozenset[str]) -> Iterator[Charge]:
    """A charge for each structure that is not among `today`'s: somebody brings it about."""
    for candidate in candidates:
        if candidate.id not in today:
            weight = 1 if isinstance(candidate.part, Indexed | IndexedAcross) else CHANGED
            yield Charge(CHANGE, candidate.id, (candidate.id,), SHARE * weight)


def departures(candidates: Iterable[Candidate], today: frozenset[str]) -> Iterator[Step]:
    """A step for each structure that `today`'s documents have besides their rows: it stays, or somebody takes it away."""
    for candidate in candidates:
        if candidate.id in today and not isinstance(candidate.part, (*HOMES, Indexed, IndexedAcross)):
            stays = Mode("it stays", (candidate.id,), 0.0)
            yield Step(CHANGE, f"{candidate.id} goes", (stays, Mode("it goes", (), SHARE * CHANGED)))


def least_costs(steps: Iterable[Step], charges: Iterable[Charge]) -> Mapping[str, float]:
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
        case Own() | Indexed() | IndexedAcross() | Absorbed():
            return 0
        case Nested(overflow=overflow):
            return 0 if overflow is None else 2
        case CopiedAttribute():
            return 1
        case Newest() | Lineage() | Aggregate() | Mirror() | Paired():
            return 2
        case Bucketed() | Cold() | Archived():
            return 3
