"""What has changed: rows of one entity that were added, changed or removed, as a row set of the current write."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.paths.write_path import NEW, OLD
from nestling.ir.storage.names import stored_name


class ChangeKind(StrEnum):
    """What happened to the rows."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class RowChange:
    """The row set `rows` of `entity`, whose homes have changed already.

    Its columns are `old_<stored name>` of every attribute (UPDATE, DELETE) and `new_<stored name>` (INSERT, UPDATE), as stored,
    missing when NULL. `attributes` are those an UPDATE may have changed.
    """

    entity: str
    kind: ChangeKind
    rows: str
    attributes: frozenset[str] = frozenset()

    @property
    def has_old(self) -> bool:
        """Whether there are values before."""
        return self.kind is not ChangeKind.INSERT

    @property
    def has_new(self) -> bool:
        """Whether there are values after."""
        return self.kind is not ChangeKind.DELETE


def old(attribute: str) -> str:
    """The column of the value before."""
    return OLD + stored_name(attribute)


def new(attribute: str) -> str:
    """The column of the value after."""
    return NEW + stored_name(attribute)
