"""A live MongoDB as a source: what its facts say it holds, as a model, and its schema of today as a design of that model.

Nothing is invented: what has no single form becomes one value kept whole, and a gap says why; what looks like a reference and
may refer to several things is a gap that names them.
"""

from __future__ import annotations

from dataclasses import dataclass

from nestling.common.errors import Problem, SourceError
from nestling.ir.capture.watched import Watched
from nestling.ir.design import Design
from nestling.ir.facts import Facts
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.workload import Workload
from nestling.sources.mongo.entities import entities
from nestling.sources.mongo.findings import gaps, notes
from nestling.sources.mongo.indexing import indexes
from nestling.sources.mongo.measured import statistics
from nestling.sources.mongo.placing import Placing
from nestling.sources.mongo.relations import add_listed, tables, typed
from nestling.sources.mongo.survey import survey
from nestling.sources.shape import shape

__all__ = ["IN_PLACE", "Found", "read"]

EMPTY = Workload()
IN_PLACE = "in place"
"""What the design that is there today is called where a strategy's name stands."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a database holds, and how it holds it today; `watched`: what its workload rests on, where none was given."""

    reading: Reading
    in_place: Proposal
    watched: Watched | None = None

    @property
    def knows_reads(self) -> bool:
        """Whether the workload says what is read, so that what no statement reads may be called useless."""
        if self.watched is None:
            return True
        return self.watched.tells_reads and any(not each.kind.writes for each in self.reading.workload.statements)


def read(facts: Facts, *, name: str = "", origin: str = "", workload: Workload = EMPTY) -> Found:
    """The model, its numbers and the design in place, of facts with their `structure`; raises `SourceError` without any."""
    if not any(facts.of_documents()):
        move = "name a database with collections: mongodb://host/database"
        raise SourceError(Problem("there are no collections to read", where=origin or name, next_move=move))
    seen = survey(facts)
    found = entities(seen)
    add_listed(seen, found)
    model, unshaped, said = shape(tables(seen, found), name or "mongodb")
    model = typed(model)
    known = statistics(model, seen, found)
    placed = Placing(model, seen, found).collections()
    indexed, unindexed = indexes(model, seen, placed)
    lacking = (*unshaped, *gaps(seen, found), *unindexed)
    told = (*notes(seen, found), *said)
    reading = Reading(model, workload, known, lacking, told, origin)
    return Found(reading, Proposal(IN_PLACE, Design(model, placed, indexed), (), known, gaps=lacking, notes=told))
