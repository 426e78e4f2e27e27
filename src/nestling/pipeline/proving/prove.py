"""Running a proof, from loading the rivals to the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from nestling.ir.bindings import Bindings
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proof import ADVISED, Proof, Setting, SourceComparison
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.trace import Tracer
from nestling.ir.watching import Watch
from nestling.ir.workload import Statement
from nestling.pipeline.proving.effort import FULL, Effort

if TYPE_CHECKING:
    from pymongo.database import Database

    from nestling.common.server import Server
    from nestling.executors.drive import AnswerShape
    from nestling.pipeline.proving.beside_source import SourceOpener
    from nestling.pipeline.proving.contender import Contender
    from nestling.pipeline.proving.loading import Rows
    from nestling.pipeline.proving.statements import CompiledByName

PREFIX = "nestling_prove"
"""Databases with this prefix may be named in a URI. All others belong to somebody."""

FEWEST_TOLD = 2
"""Fewest rounds from which a result is reported if the server is lost."""
OPEN_LOOP = "the open loop and the comparison of rows after it"
ROWS_AND_MORE = "the final comparison of rows and the open loop"
ROUNDS_AND_MORE = "the other rounds, the final comparison of rows and the open loop"


def prove(
    reading: Reading,
    rivals: Mapping[str, Proposal],
    rows: Rows,
    bindings: Mapping[str, Bindings],
    on: tuple[Server, Database[Any]],
    *,
    source: SourceOpener | str = "no source was given",
    effort: Effort = FULL,
    watch: Watch | None = None,
) -> Proof:
    """Load the rivals (`chosen` among them) from the same rows, run the workload on all of them, and return the measurements.

    Uses databases with names of its own and drops them. A rival is disqualified if it cannot be loaded, cannot answer a
    statement, answers wrongly or ends with different rows. A statement that all rivals answer wrongly in the same way is left
    out. If a server dies or its disk fills up after two rounds or more, the proof has `missing` set.

    `source` opens the SQL database that the rows come from, to compare answers; it may be a text that says why there is none.
    `on`: a server, and any database of it, which is left alone. Raises `InputError` (nothing to measure), `LoadError` (no room
    for the rows, or no design that can be loaded), `ConnectionFailed` and `DiskFull`.
    """
    began = perf_counter()
    unread = reading.workload.left_out
    asked = len(reading.workload.statements) + len(unread)
    reading, notes = _measurable(reading, bindings)
    server, beside = on
    _check_cache(server, effort)
    with ExitStack() as stack:
        race = _Race(reading, bindings, source, effort, watch, began)
        race.enter(stack, beside, rivals, rows)
        if effort.cache_ratio is not None:
            race.bound(effort.cache_ratio)
        race.run()
        left_out = asked - len(race.reading.workload.statements)
        setting = replace(race.setting(server, beside), seconds=perf_counter() - began, left_out=left_out)
        told = (f"left out, since they cannot be read: {', '.join(unread)}",) if unread else ()
        return race.proof(setting, (*told, *notes))


def _measurable(reading: Reading, bindings: Mapping[str, Bindings]) -> tuple[Reading, tuple[str, ...]]:
    """Restrict the reading to statements that can be run, with notes on those left out."""
    from nestling.common.errors import InputError, Problem

    statements = tuple(each for each in reading.workload.statements if each.name in bindings)
    if not statements:
        move = "give the application's statements with --workload FILE, each under `-- name: …, rate: 5/s`"
        raise InputError(Problem("there is no statement to run", where=reading.origin, next_move=move))
    left_out = [each.name for each in reading.workload.statements if each.name not in bindings]
    notes = (f"left out, since they cannot be translated: {', '.join(left_out)}",) if left_out else ()
    return replace(reading, workload=replace(reading.workload, statements=statements)), notes


@contextmanager
def measured_server(uri: str | None) -> Iterator[tuple[Server, Database[Any]]]:
    """The server to measure on, and a database of it that nobody else has; raises `InputError` when the URI names somebody's."""
    from nestling.common.connection import database_name
    from nestling.common.errors import InputError, Problem
    from nestling.pipeline.loading import opened

    with opened(uri, PREFIX) as (server, database):
        if not database_name(server.uri, PREFIX).startswith(PREFIX):
            move = "leave the database out of the URI (give the user's database as ?authSource=…); prove uses its own"
            what = f"`{database.name}` is not one of nestling's databases, and prove creates and drops only its own"
            raise InputError(Problem(what, where="--to", next_move=move))
        yield server, database


def _check_cache(server: Server, effort: Effort) -> None:
    from nestling.common.errors import InputError, Problem

    if effort.cache_ratio is not None and server.data_directory is None:
        what = "the cache can be limited only on nestling's own server"
        raise InputError(Problem(what, where="--cache-ratio", next_move="leave out --to or --cache-ratio"))


class _Race:
    """The contenders, and the steps in order."""

    def __init__(
        self,
        reading: Reading,
        bindings: Mapping[str, Bindings],
        source: SourceOpener | str,
        effort: Effort,
        watch: Watch | None,
        began: float,
    ) -> None:
        from nestling.pipeline.proving.statements import shapes

        self.reading, self.effort, self.watch, self.began = reading, effort, watch, began
        self.tracer = Tracer(reading.workload, reading.model, bindings, effort.seed, datetime.now(UTC))
        self.shapes: Mapping[str, AnswerShape] = shapes(reading)
        self.source = source
        self.compared = SourceComparison(why_not="the server was lost before that")
        self.contenders: list[Contender] = []
        self.rounds = self.rows = 0
        self.left = ROUNDS_AND_MORE
        self.notes: list[str] = []
        self.missing = ""

    def enter(self, stack: ExitStack, beside: Database[Any], rivals: Mapping[str, Proposal], rows: Rows) -> None:
        """Load all rivals and the twin."""
        from nestling.executors.scratch import scratch_databases
        from nestling.pipeline.proving.contender import TWIN, Contender, in_race
        from nestling.pipeline.proving.loading import check_disk, make_ready, predict
        from nestling.pipeline.proving.statements import compiled

        self.rows_of, first = rows, rows(self.reading.model)
        counts = {entity.name: first.count(entity.name) for entity in self.reading.model.entities}
        self.rows = sum(counts.values())
        every = {**rivals, TWIN: rivals[ADVISED]}
        check_disk(beside, self.reading, counts, len(every))
        labels = [str(number) for number in range(len(every))]
        databases = stack.enter_context(scratch_databases(beside, labels))
        made = [compiled(proposal, self.reading) for proposal in every.values()]
        self._leave_out(_gaps_everywhere([statements for statements, _ in made]))
        for (name, proposal), database, one in zip(every.items(), databases, made, strict=True):
            each = Contender(name, proposal, database)
            self.contenders.append(each)
            make_ready(each, one, self.reading, rows, self.watch)
        self._any_left()
        predict(in_race(self.contenders), self.reading)

    def _any_left(self) -> None:
        """Raise `LoadError` with every reason if there is no design to go on with."""
        from nestling.common.errors import LoadError, Problem
        from nestling.pipeline.proving.contender import in_race

        if not in_race(self.contenders):
            raise LoadError(*(Problem(each.disqualified or each.left_out, where=each.name) for each in self.contenders))

    def _leave_out(self, statements: Mapping[str, str]) -> None:
        """Continue without statements that no design can answer. Raises `InputError` if none is left."""
        from nestling.common.errors import InputError, Problem

        if all(each.name in statements for each in self.reading.workload.statements):
            raise InputError(
                *(Problem(f"no design can answer it: {why}", where=f"`{name}`") for name, why in statements.items())
            )
        self._keep(lambda each: each.name not in statements)
        self.notes += [
            f"`{name}` is left out, since no design can answer it: {why}" for name, why in statements.items()
        ]

    def _keep(self, wanted: Callable[[Statement], bool]) -> None:
        kept = tuple(filter(wanted, self.reading.workload.statements))
        self.reading = replace(self.reading, workload=replace(self.reading.workload, statements=kept))

    def bound(self, ratio: float) -> None:
        """Give the server a cache so much smaller than the chosen design's data."""
        from nestling.executors.drive import bound_cache
        from nestling.executors.drive.space import memory_bytes
        from nestling.ir.quantity_words import size

        advised = self.contenders[0].database
        bytes_in_memory = memory_bytes(advised)
        given = bound_cache(advised, int(bytes_in_memory / ratio))
        if given > 1.1 * bytes_in_memory / ratio:
            self.notes.append(
                f"the server allows no cache below {size(given)}, so the ratio of data to cache "
                f"is {bytes_in_memory / given:.2g} instead of {ratio:g}; use more data (--scale)"
            )

    def run(self) -> None:
        """Check, measure, compare, open; a server that dies, or has no room left, ends it early."""
        from nestling.common.connection import address, typed_errors
        from nestling.common.errors import ConnectionFailed, DiskFull

        try:
            with typed_errors(address(self.contenders[0].database)):
                self._steps()
        except (ConnectionFailed, DiskFull) as error:
            if self.rounds < FEWEST_TOLD:
                raise
            rounds = f"after {self.rounds} of {self.effort.rounds} rounds"
            self.missing = (
                f"{error.problems[0].what}, {rounds}; the results shown were measured before that, without {self.left}"
            )

    def _steps(self) -> None:
        from nestling.executors.drive import cached_bytes
        from nestling.pipeline.proving.beside_source import beside_source
        from nestling.pipeline.proving.contender import in_race
        from nestling.pipeline.proving.equality import compare_homes
        from nestling.pipeline.proving.opening import open_loop
        from nestling.pipeline.proving.rounds import Rounds
        from nestling.pipeline.proving.side_by_side import check_side_by_side

        if self.watch is not None:
            self.watch("comparing answers", 0, None)
        found = beside_source(
            self.contenders, self.reading, self.tracer, self.shapes, self.effort, self.source, self.rows_of
        )
        self.compared, self.shapes = found.comparison, found.shapes
        self._keep(lambda each: each.name not in found.left_out)
        if not in_race(self.contenders) or not self.reading.workload.statements:
            return
        until = perf_counter() + self.effort.patience_seconds
        for number in range(self.effort.checks):
            if number and (perf_counter() > until or not in_race(self.contenders)):
                break  # the rounds compare answers again
            block = self.tracer.block({statement.name: 1 for statement in self.reading.workload.statements})
            self._leave_out(check_side_by_side(self.contenders, block, self.shapes, self.effort.patience_seconds))
        self.notes += [f"{each.name} was not measured: {each.left_out}" for each in self.contenders if each.left_out]
        workload = self.reading.workload
        rounds = Rounds(self.contenders, workload, self.tracer, self.shapes, self.effort, self.watch, began=self.began)
        try:
            rounds.run()
        finally:
            self.rounds = rounds.done
        self.left = ROWS_AND_MORE
        for each in in_race(self.contenders):
            each.cached_bytes = cached_bytes(each.database)
        compare_homes(in_race(self.contenders), self.watch)
        self.left = OPEN_LOOP
        self.notes += [
            f"`{name}` ran out of rows: its later executions changed nothing" for name in self.tracer.spent()
        ]
        self.notes += open_loop(self.contenders, self.reading, self.tracer, self.shapes, self.effort, self.watch)
        compare_homes([each for each in in_race(self.contenders) if each.opened is not None], self.watch)

    def setting(self, server: Server, beside: Database[Any]) -> Setting:
        """How it was measured."""
        from nestling.executors.server_facts import ServerDescription, server_facts

        facts = ServerDescription(server.version, "", 0.0, "")
        with suppress(Exception):  # of a server that was lost, what is known
            facts = server_facts(beside)
        stated = sum(each.rate_per_second for each in self.reading.workload.statements)
        return Setting(
            server=f"MongoDB {facts.version}, {facts.hardware or 'hardware unknown'}",
            cache_bytes=int(facts.cache_bytes),
            rows=self.rows,
            clients=self.effort.clients,
            rounds=self.rounds,
            seed=self.effort.seed,
            seconds=0.0,
            asked_per_second=stated,
            reading=self.reading.model.name,
        )

    def proof(self, setting: Setting, notes: tuple[str, ...]) -> Proof:
        """Return the proof."""
        from nestling.pipeline.proving.measured_proof import summary

        return summary(
            self.contenders, self.reading.workload, setting, self.compared, (*notes, *self.notes), self.missing
        )


def _gaps_everywhere(made: Sequence[CompiledByName]) -> dict[str, str]:
    """Statements that are compiled for no design, with the gap of the first."""
    return {
        name: str(first.gap)
        for name, first in made[0].items()
        if isinstance(first, NotCompiled) and all(isinstance(one[name], NotCompiled) for one in made)
    }
