"""Drift: something that a design stores no longer equals what its source implies.

A `Check` is one thing to compare, a `Drift` one place where it differs. Both are plain values: the planner derives the checks,
the executor runs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from nestling.ir.freshness import Freshness
from nestling.ir.paths.write_path import UpdateDocuments
from nestling.ir.programs.compiled import CompiledRead, ReadPlan
from nestling.ir.programs.program import MISSING, WriteCommand
from nestling.ir.reading import Gap

ID_COLUMN = "id"
"""The column of a check's rows that holds the document's `_id`."""


class DriftKind(StrEnum):
    """What differs."""

    COPY = "copy"
    COMPUTED = "computed"
    REFERENCE = "reference"  # ids the parent holds, which follow from its children
    SUMMARY = "summary"  # of a bucket
    OVERFLOW = "overflow"  # the flag that tells of further pages
    DISCRIMINATOR = "discriminator"
    HEADER = "header"  # whose rows a bucket or page holds, its window and number
    MISPLACED = "misplaced"  # a row that lies where no statement looks for it
    DANGLING = "dangling"  # a reference to a row that does not exist
    DUPLICATE = "duplicate"  # a key or a unique group that several rows share


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step on the way to a value: a field and, for an array, (name, column) pairs that identify the element."""

    field: str
    told: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A compared value: its path below the check's place, and the columns of the expected and the found value.

    A missing column means no value. `order`: the fields (dotted paths) of a sub-document, or with `several` of each one in an
    array; the order of fields does not matter. `null_or_missing`: null and missing count as equal here, as SQL has one NULL for
    both.
    """

    path: str
    expected: str
    found: str
    order: tuple[str, ...] = ()
    several: bool = False
    null_or_missing: bool = False


SCREEN_KEY = "link"
"""The column of a screen's rows with the link from holders to their sources: a document of its parts, by number."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A faster check whether anything differs at all.

    `read` begins like the check's read, and yields a row for every `SCREEN_KEY` whose holders have to be compared one by one.
    `paths` are those of its parts in the documents, None for a part that is not a plain field.
    """

    read: ReadPlan
    paths: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is kept in the documents of a collection.

    - `read` yields a row for every place where it differs: `ID`, the columns that identify array elements, and those of
      `values`. It begins with the documents of `collection`, so that it can be restricted to some of them.
    - `repair` changes the document of such a row, if it still holds what was found. None: people have to decide, as `next_move`
      says.
    - `inexact`: sums that may differ in their last digits.
    - `is_walked`: the collection can be read in the order of `_id`.
    - `source`: for a copy, the check whether the reference it follows leads to a row. `is_loose`: nobody checks that reference.
    - `is_needed`: every document must have the copy, so if its source is gone, the row that has it is an orphan.
    - `is_unread`: no home is read from the documents that it finds.
    - For a dangling reference of whole documents: `clears` are the fields to remove so that the document refers to nothing, if
      they are optional. Otherwise the documents can be deleted; `inside` are the entities with rows in them, `referring` those
      that refer to them.
    """

    id: str
    kind: DriftKind
    collection: str
    read: ReadPlan
    values: tuple[ComparedValue, ...]
    place: tuple[PathStep, ...] = ()
    repair: UpdateDocuments | None = None
    next_move: str = ""
    freshness: Freshness | None = None
    inexact: bool = False
    screen: Screen | None = None
    is_walked: bool = True
    source: Check | None = None
    is_loose: bool = False
    is_needed: bool = False
    is_unread: bool = False
    clears: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    referring: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A name that is unique among the design's checks."""
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class Checks:
    """Everything there is to compare in a design, and gaps for what cannot be compared."""

    checks: tuple[Check, ...]
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class CompiledCheck:
    """A compiled check: its query, the command that repairs a row, its screen, and the check of its source."""

    check: Check
    read: CompiledRead
    repair: WriteCommand | None = None
    screen: CompiledRead | None = None
    source: CompiledCheck | None = None


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """The check of a single field that follows from others.

    `holder` is the entity whose documents have it, `field` its path there; `path` is its path in documents of the check's
    collection (`lines[].name`: in elements of an array). `check` has one value; it is a gap if no read is known for it.
    """

    holder: str
    field: str
    path: str
    check: Check | Gap


@dataclass(frozen=True, slots=True)
class Drift:
    """One value that differs. `expected` and `found` are as stored, or `MISSING` for no value.

    `next_move`: what to do if it is not repaired. `compared` is False if the server cannot compute the expected value.
    """

    check: str
    kind: DriftKind
    collection: str
    id: object
    path: str
    expected: object = MISSING
    found: object = MISSING
    freshness: Freshness | None = None
    repaired: bool = False
    next_move: str = ""
    compared: bool = True
