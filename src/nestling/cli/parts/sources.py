"""Reading the `SOURCE` of a command: a SQL source or a file, or a live MongoDB with the design it has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nestling.cli.parts import options

if TYPE_CHECKING:
    from nestling.ir.reading import Reading
    from nestling.pipeline import Watch
    from nestling.sources.mongo import LiveDatabase


def check_source(source: str, *, milliseconds: bool) -> None:
    """Raise `UsageError` for options that do not apply to this kind of source."""
    from nestling.pipeline import is_mongodb

    if is_mongodb(source):
        options.check_milliseconds(milliseconds=milliseconds)
    else:
        options.check_looking()


def read_source(
    source: str,
    workload: Path | None,
    dialect: str,
    *,
    milliseconds: bool,
    seconds: float,
    rest: float,
    watch: Watch | None,
) -> tuple[Reading, LiveDatabase | None]:
    """Read the source; for a live MongoDB also return what it holds. `seconds`, `rest`: the options of `looking`."""
    from nestling.pipeline import in_place, inspect, is_mongodb

    if is_mongodb(source):
        found = in_place(source, workload=workload, seconds=seconds, rest=rest, watch=watch)
        return found.reading, found
    return inspect(source, workload=workload, dialect=dialect, milliseconds=milliseconds, watch=watch), None


def nothing_to_design(source: str) -> str:
    """The error for a source in which no table or collection was found."""
    from nestling.pipeline import is_mongodb

    return f"there are no {'collections' if is_mongodb(source) else 'tables'}, so there is nothing to design"


def check_entities(reading: Reading, source: str) -> None:
    """Raise `InputError` if there is nothing to design, after the gaps that may tell why."""
    from nestling.cli.parts import text
    from nestling.common.errors import InputError, Problem
    from nestling.common.redaction import redact

    if not reading.model.entities:
        text.notices(reading.gaps, reading.notes)
        raise InputError(
            Problem(
                what=nothing_to_design(source),
                where=redact(source),
                next_move="check the name of the database, and its schema",
            )
        )
