"""Drift: what a design keeps somewhere and what its source implies are not the same any more.

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

ID = "id"
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
    """A part of the way to a value: a field, and (name, column) of what tells the element where it is an array."""

    field: str
    told: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A value: its path below the check's place, the columns of what must be there and of what is; a missing column: nothing.

    `order`: the fields (dotted paths) of a sub-document, `several`: of each of an array. In whatever order they are, it is equal.
    `null_or_missing`: it may be either where it must be one of them, as SQL has one NULL for both.
    """

    path: str
    expected: str
    found: str
    order: tuple[str, ...] = ()
    several: bool = False
    null_or_missing: bool = False


SCREEN_KEY = "link"
"""The column of a screen's rows that holds what links holders to their sources: a document of its parts, by number."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A faster look at whether anything differs at all. `read` begins as the check's does, and yields a row for every
    `SCREEN_KEY` whose holders have to be looked at closely; `paths` are those of its parts in the documents, None for what is
    no plain field.
    """

    read: ReadPlan
    paths: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is kept in the documents of a collection.

    `read` yields a row for every place where it differs: `ID`, the columns that tell array elements, and those of `values`. It
    begins with the documents of `collection`, so that it can be asked of some of them. `repair` changes such a row's document,
    and only while it holds what was found; None: people have to decide, `next_move` says what. `inexact`: sums that may differ
    in their last digits. `is_walked`: the collection can be walked in the order of `_id`. `source`: of a copy, the check that
    tells whether the reference it is made along leads to a row; `is_loose`: there is such a reference, and no check of it.
    `is_needed`: no document does without that copy, so where its source is gone, the row that has it is an orphan. `is_unread`:
    no home is read from the documents it finds. Of a dangling reference of documents of their own: `clears` are the fields
    without which they refer to nothing, where they may lack these; else they can be deleted, and `inside` and `referring` are the
    entities whose rows are in them, and refer to them.
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
        """What no other check of the design is called."""
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class Checks:
    """All that there is to compare in a design, and what nobody knows how to."""

    checks: tuple[Check, ...]
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class CompiledCheck:
    """A check as what the server is asked, the command that repairs a row of it, its screen, and the check of its source."""

    check: Check
    read: CompiledRead
    repair: WriteCommand | None = None
    screen: CompiledRead | None = None
    source: CompiledCheck | None = None


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """A field that follows from others, checked by itself.

    `holder` is the entity in whose documents it is, `field` where in them; `path` leads there in documents of the check's
    collection (`lines[].name`: in elements of an array). `check` has one value; a gap where no read is known for it.
    """

    holder: str
    field: str
    path: str
    check: Check | Gap


@dataclass(frozen=True, slots=True)
class Drift:
    """One value that differs. `expected` and `found` are as stored, `MISSING` where nothing is (to be).

    `next_move`: what to do about it, where it is not repaired. `compared` is False where the server cannot reckon what is to be.
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
