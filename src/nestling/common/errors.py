"""Every error nestling raises on purpose, and the problems it carries.

::

    NestlingError                 the root, so that a caller can catch everything nestling raises
    ├── InputError                a file people edit (model, workload, design) is wrong
    ├── SourceError               a database or DDL file cannot be read, or contains what cannot be carried over
    │   └── RowRefused            a target does not accept a row, or would return a different one
    ├── WorkloadError             a statement cannot be understood over the model
    ├── DesignError               a design breaks one of its invariants
    ├── ServerError               the embedded MongoDB cannot be started
    │   ├── ServerNotFound        there is no mongod to start
    │   ├── LibraryMissing        the system lacks a shared library that mongod needs
    │   └── DataDirectoryInUse    another live mongod works in that data directory
    ├── ConnectionFailed          a database cannot be reached
    │   └── AuthenticationFailed  it is reached, but refuses the user or password
    ├── PermissionDenied          the user is known but may not do this
    ├── DiskFull                  the server has no room for what is to be written
    ├── LoadError                 loading stopped; what is loaded stays, and can be resumed
    ├── RebuildError              stored rows cannot be rebuilt from their homes
    ├── VerifyError               the loaded data cannot be compared with its source
    ├── SearchError               the search for the best design ended without one to rely on
    │   ├── InfeasibleError       no design meets all requirements
    │   └── CheckError            a solution is not what its problem says it is
    ├── ReadError                 a read was not answered
    │   ├── ValueNotComputable    it cannot compute with a value of some document
    │   └── ResultTooLarge        it needs more than a document, or a stage in memory, can hold
    ├── WriteError                a write was not done; nothing of it stays
    │   ├── DataError             a value that it makes does not fit its column, or cannot be computed
    │   ├── ConstraintError       it violates a constraint of the source: `violation` says which kind, `attributes` where
    │   ├── TransactionFailed     an earlier statement of its transaction failed, and its error was caught
    │   ├── NoTransactions        it needs a transaction, which this server does not offer
    │   └── WriteConflict         its transaction was retried and always conflicted
    ├── ChangesError              writes of others to a database cannot be followed
    │   ├── NoChangeStreams       the server is standalone
    │   └── HistoryLost           the server no longer has the changes after the resume point
    ├── SyncError                 copies cannot be kept right in the background
    ├── LeaseLost                 another process has taken over a sync or a migration
    ├── MigrationError            moving to another design stopped; the old design is intact
    └── GapError                  a statement, type or shape nestling, this server or MongoDB cannot handle

An error carries one or more `Problem` values: whoever checks an input collects all its problems and raises them
together.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN_NAMES = 8
"""How many of the known names a message lists before it says "and 12 more"; a message should stay one or two lines."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, with what a person needs to fix it."""

    what: str
    """What is wrong: "no attribute `titel` in `movie`"."""
    where: str = ""
    """The place in words: "model.yaml:12:7", "table orders"."""
    path: tuple[str | int, ...] = ()
    """The place inside a nested document; a reader that knows the text turns it into a line and a column."""
    known: str = ""
    """What exists instead: "it has `title`, `year`"."""
    next_move: str = ""
    """What to do, in the imperative: "rename it, or declare it under `attributes`"."""

    def text(self) -> str:
        """Say the problem in one line, and the next move in a second, indented one when there is any."""
        return f"{self.line()}\n  → {self.next_move}" if self.next_move else self.line()

    def line(self) -> str:
        """Say the problem without the next move."""
        place = self.where or path_text(self.path)
        line = ": ".join(part for part in (place, self.what) if part)
        return "; ".join(part for part in (line, self.known) if part)


class NestlingError(Exception):
    """The root of the tree: carries problems, and prints all of them, one paragraph each."""

    problems: tuple[Problem, ...]

    def __init__(self, *problems: Problem) -> None:
        """Take at least one problem: an error that cannot say what is wrong is itself a mistake."""
        if not problems:
            raise ValueError(f"{type(self).__name__} needs at least one problem")
        super().__init__(*problems)  # as `args`, so that the error survives pickling between processes
        self.problems = problems

    def __str__(self) -> str:
        """Print every problem, those that follow each other with the same next move in one paragraph."""
        paragraphs: list[str] = []
        for move, alike in groupby(self.problems, key=lambda problem: problem.next_move):
            *before, last = alike
            lines = [*(problem.line() for problem in before), last.text()]
            paragraphs += ["\n".join(lines)] if move else lines
        return "\n\n".join(paragraphs)


class InputError(NestlingError):
    """A file people edit is wrong: broken YAML, unknown keys, names that do not exist."""


class SourceError(NestlingError):
    """A source cannot be read, or holds something that cannot be carried over as asked."""


class RowRefused(SourceError):
    """A target does not take a row, or would give back another: `row`, of `entity`, for its `attribute` (empty: as a whole)."""

    def __init__(self, *problems: Problem, entity: str = "", row: tuple[object, ...] = (), attribute: str = "") -> None:
        super().__init__(*problems)
        self.entity, self.row, self.attribute = entity, row, attribute

    def __reduce__(self) -> tuple[object, ...]:
        return _row_refused, (self.problems, self.entity, self.row, self.attribute)


def _row_refused(problems: tuple[Problem, ...], entity: str, row: tuple[object, ...], attribute: str) -> RowRefused:
    return RowRefused(*problems, entity=entity, row=row, attribute=attribute)


class WorkloadError(NestlingError):
    """A statement of the workload cannot be understood over the model."""


class DesignError(NestlingError):
    """A design breaks one of its invariants."""


class ServerError(NestlingError):
    """The embedded MongoDB cannot be started or did not stay up."""


class ServerNotFound(ServerError):
    """No MongoDB is named and there is no mongod to start."""


class LibraryMissing(ServerError):
    """The system lacks a shared library that mongod wants."""


class DataDirectoryInUse(ServerError):
    """Another live mongod works in the data directory."""


class ConnectionFailed(NestlingError):
    """A database cannot be reached."""


class AuthenticationFailed(ConnectionFailed):
    """A database refuses the user or the password."""


class PermissionDenied(NestlingError):
    """The user is known to the database but may not do what is needed."""


class DiskFull(NestlingError):
    """The server has no room on its disk for what is to be written; what was done before stays."""


class LoadError(NestlingError):
    """Loading stopped; what is loaded is intact."""


class RebuildError(NestlingError):
    """Conceptual rows cannot be rebuilt from what is stored."""


class VerifyError(NestlingError):
    """The loaded data cannot be compared with its source."""


class SearchError(NestlingError):
    """The search for the best design ended without one to rely on."""


class InfeasibleError(SearchError):
    """No design meets all requirements; the problems name those that cannot hold together."""


class CheckError(SearchError):
    """A solution breaks a rule of its problem, or costs something else than it says."""


class ReadError(NestlingError):
    """A read was not answered: the server refused or gave up."""


class ValueNotComputable(ReadError):
    """A value in some document is one with which a read cannot compute."""


class ResultTooLarge(ReadError):
    """A read needs a document over 16 MiB, or a stage more memory than the server gives it."""


class WriteError(NestlingError):
    """A write was not done; nothing of it stays."""


class DataError(WriteError):
    """A value that a write makes does not fit its column, or cannot be computed: the source would refuse it, too."""


class ConstraintError(WriteError):
    """A constraint of the source refuses a write; `violation` says which: `key`, `unique`, `check`, `parent` and others.

    `attributes`: what it is about, each `entity.attribute`, as far as that is known.
    """

    def __init__(self, *problems: Problem, violation: str = "", attributes: tuple[str, ...] = ()) -> None:
        super().__init__(*problems)
        self.violation = violation
        self.attributes = attributes

    def __reduce__(self) -> tuple[object, ...]:
        return _constraint_error, (self.problems, self.violation, self.attributes)


def _constraint_error(problems: tuple[Problem, ...], violation: str, attributes: tuple[str, ...]) -> ConstraintError:
    return ConstraintError(*problems, violation=violation, attributes=attributes)


class TransactionFailed(WriteError):
    """A statement of a transaction failed before, which took all of it along."""


class NoTransactions(WriteError):
    """A write changes several documents at once, and the server has no transactions: it is not part of a replica set."""


class WriteConflict(WriteError):
    """A transaction did not go through, however often it was tried: others write the same documents, or it is too large."""


class ChangesError(NestlingError):
    """What others write to a database cannot be followed."""


class NoChangeStreams(ChangesError):
    """The server is standalone: only replica sets and sharded clusters tell of changes."""


class HistoryLost(ChangesError):
    """The server no longer has the changes after the resume point."""


class SyncError(NestlingError):
    """Copies cannot be kept right in the background."""


class LeaseLost(NestlingError):
    """Another process has taken over a sync or a migration."""


class MigrationError(NestlingError):
    """Moving to another design stopped; the old design is whole, and the migration can go on or be aborted."""


class GapError(NestlingError):
    """Something nestling, this server version or MongoDB itself cannot handle."""


def path_text(path: tuple[str | int, ...]) -> str:
    """Write a path the way people do: `("copies", 2, "of")` is `copies[2].of`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def name_list(names: Iterable[str], between: str = ", ") -> str:
    """Names in a sentence: "`title`, `year`"."""
    return between.join(f"`{name}`" for name in names)


def suggest(name: str, known_names: Iterable[str]) -> str:
    """Say which names exist, those closest to the mistaken `name` first: "it has `title`, `year`".

    The remaining names keep the order they came in; a set is sorted, so that messages are the same on every run.
    """
    names = sorted(known_names) if isinstance(known_names, set | frozenset) else list(dict.fromkeys(known_names))
    if not names:
        return "it has none"
    folded = {known.casefold(): known for known in reversed(names)}
    close = [folded[match] for match in get_close_matches(name.casefold(), list(folded), n=3)]
    ordered = [*close, *(known for known in names if known not in close)]
    shown = name_list(ordered[:SHOWN_NAMES])
    rest = len(ordered) - SHOWN_NAMES
    return f"it has {shown} and {rest} more" if rest > 0 else f"it has {shown}"


def unknown(
    kind: str, name: str, known_names: Iterable[str], *, of: str = "", path: tuple[str | int, ...] = ()
) -> Problem:
    """The problem of a name that does not exist: "no attribute `titel` in `movie`; it has `title`, `year`"."""
    what = f"no {kind} `{name}` in `{of}`" if of else f"no {kind} `{name}`"
    names = [*known_names]
    known = suggest(name, frozenset(names) if isinstance(known_names, set | frozenset) else names)
    parts = [part.strip() for part in name.split(",")]
    move = f"write a list: `[{', '.join(parts)}]`" if parts[1:] and {*parts} <= {*names} else ""
    return Problem(what=what, path=path, known=known if of else known.replace("it has", "there is", 1), next_move=move)
