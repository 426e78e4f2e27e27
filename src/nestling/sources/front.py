"""Which source an address means: a database, a DDL file, or a file nestling wrote; each kind is imported only when met."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nestling.common.errors import Problem, SourceError, unknown
from nestling.ir.reading import Reading
from nestling.ir.workload import Workload
from nestling.sources.text_file import text_of

if TYPE_CHECKING:
    from nestling.ir.model import Model
    from nestling.ir.rows import RowSink, RowSource
    from nestling.sources.checks import ReadCheck
    from nestling.sources.sql.statements import SqlStatements
    from nestling.sources.workload_file import WorkloadFile

_KNOWN = "sqlite:///file.db, postgresql://…, mysql://…, mongodb://…, a schema.sql, or a model.yaml"
_DATABASE_FILES = frozenset({".db", ".sqlite", ".sqlite3", ".db3"})


def read_source(
    address: Path | str,
    *,
    workload: Path | str | None = None,
    dialect: str = "",
    milliseconds: bool = False,
    progress: Callable[[str], None] | None = None,
    read_check: ReadCheck | None = None,
) -> Reading:
    """Read the source at `address`, and a workload over it. Raises a typed error if it cannot be reached or parsed.

    `milliseconds`: store timestamps that may be finer as dates with milliseconds. `read_check` parses CHECK conditions over
    rows; without it they are left to the application. Undeclared relationships that the workload joins along become part of the
    model, each with a note.
    """
    from nestling.ir.names_alike import alike_words
    from nestling.sources.remarks import moments, stored_otherwise, unique_as_read, unlike_keys
    from nestling.sources.workload_file import open_workload

    statements = open_workload(workload) if workload is not None else None
    found = _read(str(address), dialect, progress, statements, read_check)
    if milliseconds:
        from nestling.ir.milliseconds import with_milliseconds

        outdated = {*moments(found.model)}
        found = with_milliseconds(replace(found, notes=tuple(note for note in found.notes if note not in outdated)))
    notes = (
        *moments(found.model),
        *found.notes,
        *unique_as_read(found.model),
        *unlike_keys(found.model),
        *alike_words(found.model),
        *stored_otherwise(found.model),
    )
    found = replace(found, notes=tuple(dict.fromkeys(notes)))  # a file may have kept them
    return found if statements is None else statements.over(found)


def _read(
    address: str,
    dialect: str,
    progress: Callable[[str], None] | None,
    statements: WorkloadFile | None,
    read_check: ReadCheck | None,
) -> Reading:
    if (url := _database_url(address)) is not None:
        _require_known(url)
        return _read_database(url, progress, statements, read_check)
    path = _existing(address)
    if path.suffix == ".sql":
        from nestling.sources.ddl import read_ddl

        found = read_ddl(text_of(path), name=path.stem, dialect=dialect, origin=str(path), read_check=read_check)
        return _with_joined(found, statements)
    if path.suffix in (".yaml", ".yml"):
        from nestling.ir.text import read_file

        kept = read_file(path)
        if isinstance(kept, Reading):
            from nestling.sources.statements import with_footprints

            kept = replace(kept, dialect=kept.dialect or dialect)
            return with_footprints(kept) if statements is None else _with_joined(kept, statements)
        made = Reading(kept.design.model, Workload((), kept.requirements), kept.statistics, dialect=kept.dialect)
        return _with_joined(replace(made, origin=str(path)), statements)
    raise SourceError(Problem(what="not a kind of source nestling knows", where=address, next_move=f"name {_KNOWN}"))


def _read_database(
    url: str,
    progress: Callable[[str], None] | None,
    statements: WorkloadFile | None,
    read_check: ReadCheck | None,
) -> Reading:
    """A database also measures the relationships that are only joined along."""
    from nestling.sources.sql import open_database

    database = open_database(url)
    joined = None if statements is None else partial(_checked_and_joined, statements, database.dialect)
    return database.reading(progress=progress, joined=joined, read_check=read_check)


def _checked_and_joined(statements: WorkloadFile, dialect: str, model: Model) -> tuple[Model, tuple[str, ...]]:
    """The model with undeclared joins. Raises an error for mistakes in the file, before the tables are measured."""
    from nestling.sources.statements import with_joined

    statements.check(dialect, model)
    return with_joined(model, statements.statements(dialect))


def _with_joined(reading: Reading, statements: WorkloadFile | None) -> Reading:
    from nestling.sources.statements import with_joined

    if statements is None:
        return reading
    model, notes = with_joined(reading.model, statements.statements(reading.dialect))
    return replace(reading, model=model, notes=(*reading.notes, *notes))


def with_workload(reading: Reading, path: Path | str) -> Reading:
    """Replace the reading's statements and requirements by those of a workload file."""
    from nestling.sources.workload_file import open_workload

    return open_workload(path).over(reading)


def open_rows(address: Path | str, model: Model) -> RowSource:
    """Stream the rows behind `address` under the names and types of `model`; raises when it lacks one of its tables."""
    from nestling.sources.sql import open_database
    from nestling.sources.sql.presence import check_presence

    database = open_database(_required_url(address), model=model)
    check_presence(database, model)
    return database


def left_out(source: RowSource) -> tuple[str, ...]:
    """The tables and columns of a source of rows that its model does not name."""
    from nestling.sources.sql import presence
    from nestling.sources.sql.row_source import SqlDatabase

    return presence.left_out(source, source.model) if isinstance(source, SqlDatabase) else ()


def rows_to_load(address: Path | str | None, model: Model) -> RowSource:
    """The rows for a load; none for a model file, a DDL file or None. A database must have the model's entities."""
    from nestling.sources.no_rows import NoRows

    if address is not None and has_rows(address):
        return open_rows(address, model)
    if address is not None:
        known = [entity.name for entity in read_source(address).model.entities]
        lacking = [entity.name for entity in model.entities if entity.name not in known]
        if lacking:
            problem = unknown("entity", lacking[0], known)
            move = "name the source the design was made for, or leave out --from to load no rows"
            raise SourceError(replace(problem, where=str(address), next_move=move))
    return NoRows(model)


def ask_statements(address: Path | str, model: Model) -> AbstractContextManager[SqlStatements]:
    """Ask the database behind `address` statements of the application, read-only and of one state of its data."""
    from nestling.sources.sql import open_database
    from nestling.sources.sql.statements import statements_of_one_state

    return statements_of_one_state(open_database(_required_url(address), model=model))


def has_rows(address: Path | str) -> bool:
    """Whether it names a database; a model or a schema holds no rows."""
    return _database_url(str(address)) is not None


def file_of(address: Path | str) -> Path | None:
    """The file that an address names: a SQLite database, a schema or a model; None for a server's database."""
    url = _database_url(str(address))
    if url is None:
        return Path(address)
    from nestling.sources.sql.address import parse_address

    try:
        found = parse_address(url)
    except SourceError:
        return None
    return found.path if found.dialect == "sqlite" else None


def open_target(address: Path | str) -> RowSink:
    """A database to write rebuilt rows into."""
    from nestling.sources.sql import open_sink

    return open_sink(_required_url(address))


def _database_url(address: str) -> str | None:
    if "://" in address:
        return address
    return f"sqlite:///{address}" if Path(address).suffix.lower() in _DATABASE_FILES else None


def _require_known(url: str) -> None:
    """Raise `SourceError` for an address of an unknown kind; addresses of MongoDB and SQL are checked elsewhere."""
    from nestling.common.redaction import redact
    from nestling.sources.sql import is_sql_address

    if not is_sql_address(url) and not url.lower().startswith("mongo"):
        raise SourceError(Problem("not a kind of source nestling knows", where=redact(url), next_move=f"name {_KNOWN}"))


def _required_url(address: Path | str) -> str:
    url = _database_url(str(address))
    if url is None:
        raise SourceError(
            Problem(what="holds no rows", where=str(address), next_move="name a database: sqlite:///file.db, …")
        )
    return url


def _existing(address: str) -> Path:
    path = Path(address)
    if not address.strip():
        raise SourceError(Problem(what="no source is named", next_move=f"name {_KNOWN}"))
    if not path.is_file():
        what = (
            "this is a directory"
            if path.is_dir()
            else "this is not a regular file"
            if path.exists()
            else "no such file"
        )
        raise SourceError(Problem(what=what, where=address, next_move=f"name {_KNOWN}"))
    return path
