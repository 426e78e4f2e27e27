"""A live MongoDB as a source: what its facts say it holds, as a model, and its schema of today as a design of that model.

Nothing is invented: what has no single form becomes one value kept whole, and a gap says why; what looks like a reference and
may refer to several things is a gap that names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nestling.common.errors import Problem, SourceError
from nestling.ir.capture.coverage import Watched
from nestling.ir.design import Design
from nestling.ir.facts import Facts
from nestling.ir.proposal import IN_PLACE, Proposal
from nestling.ir.reading import Reading
from nestling.ir.workload import Workload
from nestling.sources.mongo.entities import entities
from nestling.sources.mongo.findings import gaps, notes
from nestling.sources.mongo.indexing import indexes
from nestling.sources.mongo.measured import statistics
from nestling.sources.mongo.placing import Placing
from nestling.sources.mongo.relations import add_listed, tables, typed, with_strict_types, without_parts_as_kinds
from nestling.sources.mongo.survey import survey
from nestling.sources.mongo.taken import DerivedField, FieldComparison, Fields, late, own_data
from nestling.sources.shape import shape

__all__ = ["DerivedField", "FieldComparison", "LiveDatabase", "live_database"]

NO_WORKLOAD = Workload()


@dataclass(frozen=True, slots=True)
class LiveDatabase:
    """What a database holds, and how it holds it today; `watched`: what its workload rests on, where none was given.

    `taken`: the fields that were taken to follow from others, by entity and path.
    """

    reading: Reading
    in_place: Proposal
    watched: Watched | None = None
    taken: Fields = field(default_factory=dict)

    @property
    def knows_reads(self) -> bool:
        """Whether the workload says what is read, so that what no statement reads may be called useless."""
        if self.watched is None:
            return True
        return self.watched.tells_reads and any(not each.kind.writes for each in self.reading.workload.statements)


def live_database(
    facts: Facts,
    *,
    name: str = "",
    origin: str = "",
    workload: Workload = NO_WORKLOAD,
    compared: Mapping[DerivedField, FieldComparison] | None = None,
) -> LiveDatabase:
    """The model, its numbers and the design in place, of facts with their `structure`; raises `SourceError` without any.

    `compared`: what was taken to follow from others when the facts were read before, and what all documents say of it.
    """
    if not any(facts.of_documents()):
        move = "name a database with collections: mongodb://host/database"
        raise SourceError(Problem("there are no collections to read", where=origin or name, next_move=move))
    compared = compared or {}
    seen = survey(facts, own_data(compared))
    found = entities(seen)
    add_listed(seen, found)
    model, unshaped, said = shape(tables(seen, found), name or "mongodb")
    model = with_strict_types(typed(without_parts_as_kinds(model, found)))
    known = statistics(model, seen, found)
    placing = Placing(model, seen, found)
    placed = placing.collections()
    indexed, unindexed = indexes(model, seen, placed)
    lacking = (*unshaped, *gaps(seen, found), *late(compared), *unindexed)
    told = (*notes(seen, found, compared), *said)
    reading = Reading(model, workload, known, lacking, told, origin)
    today = Proposal(IN_PLACE, Design(model, placed, indexed), (), known, gaps=lacking, notes=told)
    return LiveDatabase(reading, today, taken=placing.taken)
