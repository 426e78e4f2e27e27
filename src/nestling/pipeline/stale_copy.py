"""Makes a copy stale, finds it and repairs it: the demo's example of `nestling check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.executors.check import CheckReport
    from nestling.ir.design import Design
    from nestling.ir.proposal import Proposal

EDITED = "edited by hand"


@dataclass(frozen=True, slots=True)
class StaleCopy:
    """The edit as a shell command, what a check found, and what a repairing check did."""

    edit: str
    found: CheckReport
    repaired: CheckReport

    @property
    def is_right(self) -> bool:
        """Whether exactly the edit was found, and repaired."""
        return (len(self.found.findings), self.repaired.repaired, self.repaired.clean) == (1, 1, True)


def spoil_and_mend(proposal: Proposal, database: Database[Any]) -> StaleCopy | None:
    """Edit one copied text of the first document that has one, check, and repair. None if the design copies no text."""
    from nestling.pipeline.checking import check

    edit = next(_edits(proposal.design, database), None)
    if edit is None:
        return None
    collection, identity, path = edit
    database[collection].update_one({"_id": identity}, {"$set": {path: EDITED}}, bypass_document_validation=True)
    found = check(proposal, database)
    return StaleCopy(_shell(collection, identity, path), found, check(proposal, database, repair=True))


def _edits(design: Design, database: Database[Any]) -> Iterator[tuple[str, object, str]]:
    """Collection, `_id` and path of copied texts that stand in no array."""
    from nestling.ir.drift import DriftKind
    from nestling.ir.storage.names import join
    from nestling.planner.checks import checks_of

    for check in checks_of(design).checks:
        if check.kind is DriftKind.COPY and check.repair is not None and not any(step.told for step in check.place):
            path = join(*(step.field for step in check.place), check.values[0].path)
            found = database[check.collection].find_one({path: {"$exists": True}}, sort=[("_id", 1)]) or {}
            yield from ((check.collection, found["_id"], text) for text in _texts(found, path))


def _texts(document: Any, path: str) -> Iterator[str]:
    """Yield the paths of texts in the value at a path."""
    from nestling.ir.storage.names import value_at

    held = value_at(document, path)
    if isinstance(held, str):
        yield path
    elif isinstance(held, dict):
        yield from (f"{path}.{name}" for name, value in held.items() if isinstance(value, str))


def _shell(collection: str, identity: object, path: str) -> str:
    from nestling.ir.literals import shell, shell_line

    change = shell_line({"$set": {path: EDITED}})
    return f"db.{collection}.updateOne({{_id: {shell(identity)}}}, {change})"
