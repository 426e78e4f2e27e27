"""`Store`: runs an application's statements on a design by name. SQL in, rows out.

::

    store = Store("design.yaml", MongoClient(uri)["shop"], workload="workload.sql")
    store.run("product_page", id=7)                      # rows as dicts, columns in SQL's order
    store.execute("DELETE FROM review WHERE id = :id", id=3).affected
    store.transaction(lambda t: (t.run("take", id=7), t.run("book", id=7)))   # both or neither

Statements are compiled once; a statement with a parameter in a place that needs a constant, as in `date_trunc(:unit, at)`, once
for each of its values. A parameter is a number, text, bytes, date, time, UUID, None or a list of these, never an operator; a
JSON column also takes a dict or list, an interval column a timedelta.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast, overload

from nestling.common.errors import GapError, InputError, Problem, unknown
from nestling.common.given import check_kind, wrong_kind
from nestling.common.recent import Recent
from nestling.executors.transaction_state import TransactionState
from nestling.ir.design import Design
from nestling.ir.programs.compiled import CompiledRead, NotCompiled, OutputColumn
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.quantity_words import counted
from nestling.ir.reading import Gap
from nestling.ir.types import TypeName
from nestling.ir.workload import Statement, Workload

if TYPE_CHECKING:
    from pymongo.asynchronous.client_session import AsyncClientSession
    from pymongo.asynchronous.database import AsyncDatabase
    from pymongo.client_session import ClientSession
    from pymongo.database import Database

    from nestling.executors.write_program import WriteResult

    SyncDriver: TypeAlias = Database[Any]
    AsyncDriver: TypeAlias = AsyncDatabase[Any]

DesignLike: TypeAlias = Proposal | Design | Path | str
WorkloadLike: TypeAlias = Workload | Path | str
ResultRow: TypeAlias = dict[str, object]
Given: TypeAlias = Mapping[str, object] | Sequence[object] | None
"""Parameters as drivers of SQL take them: by name, or in order."""
MICROSECONDS = ("error", "round")
MOST_KEPT = 500
"""Most compiled statements kept, apart from the workload's; the least recently used one is compiled again when needed."""
_Ready: TypeAlias = tuple[CompiledRead | CompiledWrite, dict[str, object]]
"""A statement and the values to run it with."""
Done = TypeVar("Done")
"""The result of work in a transaction."""
Driver = TypeVar("Driver")
"""The database of pymongo's client, or of its asyncio client."""


@dataclass(frozen=True, slots=True)
class Result(Sequence[ResultRow]):
    """The result of a statement: a sequence of rows, each a dict in the order of `columns`.

    A column with a name that another one has too is named after its field in the result documents. For a write the rows are
    those of RETURNING, `affected` is the number of rows changed, and `left` names what the background sync will update; for a
    read these are None and empty.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[ResultRow, ...] = ()
    affected: int | None = None
    left: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> ResultRow: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ResultRow, ...]: ...

    def __getitem__(self, index: int | slice) -> ResultRow | tuple[ResultRow, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ResultRow]:
        return iter(self.rows)

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import result_html

        return result_html(self.columns, self.rows, self.affected, self.left)


class _Statements(Generic[Driver]):
    """Statements compiled for a design, each once, and the database they are for."""

    def __init__(
        self,
        design: DesignLike,
        database: Driver,
        *,
        workload: WorkloadLike | None = None,
        dialect: str = "",
        microseconds: Literal["error", "round"] = "error",
    ) -> None:
        """Take a design (or its file), a database of pymongo's client, and a workload (or its file).

        `dialect`: of the statements; by default that of the design's source. `microseconds`: whether a write refuses or rounds
        a datetime with microseconds where the design stores dates, which have milliseconds.
        """
        from nestling.ir.digest import stored_digest
        from nestling.ir.statements.sql_dialects import DIALECTS, NAMES
        from nestling.ir.values import Policy
        from nestling.pipeline import read_proposal, statements_of

        check_kind(design, Proposal | Design | Path | str, "a design or its file", "give its path, such as design.yaml")
        self._check_database(database)
        check_kind(
            workload, Workload | Path | str | None, "a workload or its file", "give its path, such as workload.sql"
        )
        if dialect and dialect.lower() not in NAMES:
            raise InputError(unknown("dialect", dialect, DIALECTS))
        if microseconds not in MICROSECONDS:
            raise InputError(unknown("value of microseconds", microseconds, MICROSECONDS))
        if isinstance(design, Path | str):
            design = read_proposal(design)
        self._proposal = design if isinstance(design, Proposal) else Proposal("", design)
        self._database = database
        self._dialect = dialect
        self._rounds = microseconds == "round"
        self._gaps: tuple[Gap, ...] = ()
        if isinstance(workload, Path | str):
            workload, self._gaps = statements_of(self._proposal, workload, dialect)
        self._workload = workload or Workload()
        most = MOST_KEPT + len(self._workload.statements)
        self._made = Recent[tuple[str, ...], CompiledRead | CompiledWrite](most)
        self._constants = Recent[tuple[str, str], tuple[str, ...]](most)  # parameters that are, by the statement
        self._numbered = Recent[tuple[str, str], Mapping[str, bool]](most)  # parameters for numbers, likewise
        self._digest = stored_digest(self._proposal.design, Policy())
        self._there: object = None  # which collections there were
        self._looked_until = 0.0  # the design in use was looked up, and is not looked up again before

    @staticmethod
    def _check_database(database: object) -> None:
        """Raise `InputError` if it is not a database of the client that runs the statements."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The text for a shell: the model, the database, and the number of named statements."""
        known = counted(len(self._workload.statements), "statement")
        database = cast("SyncDriver | AsyncDriver", self._database)
        return f"<{type(self).__name__} of {self._proposal.design.model.name!r} in {database.name!r}: {known}>"

    def _repr_html_(self) -> str:
        from nestling.ir.words.notebook import block, table

        statements = ((each.name, each.sql) for each in self._workload.statements)
        title = f"Statements on {self._proposal.design.model.name}"
        return block(
            table(title, ("name", "SQL"), statements), table("Gaps", ("gap",), ((str(g),) for g in self._gaps))
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names `run` knows, in the workload's order."""
        return tuple(statement.name for statement in self._workload.statements)

    def _spoken(self) -> str:
        """The dialect of statements that say no other."""
        from nestling.ir.statements.sql_dialects import NAMES

        spoken = self._dialect or self._proposal.dialect
        return NAMES.get(spoken.lower(), spoken)

    def _found(self, name: str) -> Statement:
        """A statement of the workload. Raises `InputError` that lists them if there is none with that name."""
        from nestling.sources.statements.read import is_mistake_in

        check_kind(name, str, "the name of a statement", "`names` lists them")
        found = self._workload.statement(name)
        if found is None:
            gaps = [gap for gap in self._gaps if is_mistake_in(gap, name)]
            raise InputError(
                Problem(f"statement `{name}` cannot be understood: {gaps[0]}")
                if gaps
                else unknown("statement", name, self.names)
            )
        return found

    def statement(self, name: str) -> CompiledRead | CompiledWrite:
        """A statement of the workload. Raises `InputError` that lists them if there is none with that name.

        Also raises `WorkloadError` for a mistake in it, and `GapError` for what cannot be compiled.
        """
        found = self._found(name)
        return self._compiled(found.sql, {}, name, found.dialect)[0]

    def _named(self, name: str, parameters: Mapping[str, object]) -> _Ready:
        found = self._found(name)
        return self._compiled(found.sql, parameters, name, found.dialect)

    def _compiled(self, sql: str, parameters: Mapping[str, object], name: str = "", dialect: str = "") -> _Ready:
        """A compiled statement, and the values to run it with.

        Values in places that need a constant are part of the statement, so it is cached together with them. Raises
        `WorkloadError` for mistakes, and `GapError` for what cannot be compiled.
        """
        from nestling.pipeline.converting import numbers_asked, values_bound

        check_kind(sql, str, "a statement", "give SQL as a string")
        parameters = values_bound(self._proposal, parameters, self._dialect or dialect)
        numbers = tuple(numbers_asked(parameters, lambda: self._numbered_in(sql, parameters, name, dialect)))
        constants = (*(self._constants.get((name, sql)) or ()), *numbers)
        known = self._made.get(_key(name, sql, constants, parameters))
        if known is None:
            known, constants = self._convert(sql, parameters, name, dialect, numbers)
        return known, {each: value for each, value in parameters.items() if each not in constants}

    def _numbered_in(
        self, sql: str, parameters: Mapping[str, object], name: str, dialect: str
    ) -> Mapping[str, bool] | None:
        """The parameters of a statement in whose place a number may be made; None if these values do not make it translatable."""
        from nestling.pipeline.converting import numbered_parameters

        numbered = self._numbered.get((name, sql))
        if numbered is None:
            numbered = numbered_parameters(self._proposal, sql, parameters, dialect=self._dialect or dialect)
            if numbered is not None:
                self._numbered.keep((name, sql), numbered)
        return numbered

    def _convert(
        self, sql: str, parameters: Mapping[str, object], name: str, dialect: str, numbers: Sequence[str]
    ) -> tuple[CompiledRead | CompiledWrite, tuple[str, ...]]:
        from nestling.pipeline.converting import convert_for

        dialect = self._dialect or dialect
        made, constants = convert_for(self._proposal, sql, parameters, name=name, dialect=dialect, rounds=self._rounds)
        if isinstance(made, NotCompiled):
            raise GapError(Problem(made.gap.sentence, where=made.gap.where or name, next_move=made.gap.next_move))
        key = _key(name, sql, constants, parameters)
        if constants:
            self._constants.keep((name, sql), tuple(each for each in constants if each not in numbers))
        self._made.keep(key, made)
        return made, constants


def _check_work(work: object) -> None:
    """Raise `InputError` if the work for a transaction is not callable."""
    if not callable(work):
        raise wrong_kind(work, "a function that takes the transaction", "write transaction(lambda t: t.run(…))")


def _key(name: str, sql: str, constants: Sequence[str], parameters: Mapping[str, object]) -> tuple[str, ...]:
    """The cache key of a compiled statement: its text, and the values that are constants in it."""
    return (name, sql, *(f"{each}={parameters.get(each)!r}" for each in constants))


def _values(given: Given, named: Mapping[str, object]) -> Mapping[str, object]:
    """The values of parameters by name; those in a list or tuple are `p1`, `p2` and so on."""
    if given is None:
        return named
    if named:
        what = "parameters are given both as one value and by name"
        raise InputError(Problem(what, next_move="give all of them in a dict, or all of them by name"))
    if isinstance(given, list | tuple):
        return {f"p{place}": value for place, value in enumerate(given, 1)}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        found = "a dict whose keys are not names" if isinstance(given, Mapping) else type(given).__name__
        what = f"parameters must be a dict by name, or a list or tuple in order, not {found}"
        raise InputError(Problem(what, next_move="give `id=1` for `:id`, `[1]` or `p1=1` for `?` and `%s`"))
    return given


def _result(columns: Sequence[OutputColumn], rows: Sequence[tuple[object, ...]]) -> Result:
    names = [column.name for column in columns]
    shown = tuple(c.name if names.count(c.name) == 1 else c.field for c in columns)
    texts = [name for name, column in zip(shown, columns, strict=True) if column.type.name is TypeName.JSON]
    found = tuple(dict(zip(shown, row, strict=True)) for row in rows)
    for row in found if texts else ():
        row.update((name, _json_value(row[name])) for name in texts)
    return Result(shown, found)


def _json_value(value: object) -> object:
    """A JSON text as SQL drivers convert it; strings and null stay as they are."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


@contextmanager
def _typed_errors(database: SyncDriver | AsyncDriver) -> Iterator[None]:
    """The driver's errors as ours. In a transaction they stay the driver's until it has tried again in vain."""
    from pymongo.errors import PyMongoError

    from nestling.common.connection import address, typed_errors

    try:
        yield
    except PyMongoError:
        with typed_errors(address(database)):
            raise


def _in_transaction(statement: CompiledRead | CompiledWrite) -> CompiledRead | CompiledWrite:
    from nestling.emitters.mql.unions import without_unions

    return without_unions(statement) if isinstance(statement, CompiledRead) else statement


def _written(write: CompiledWrite, done: WriteResult) -> Result:
    answered = _result(write.answer.columns if write.answer is not None else (), done.rows)
    return replace(answered, affected=done.affected, left=done.left)


class Store(_Statements["SyncDriver"]):
    """Runs statements on a database that was loaded by a design: a workload's by name, others as SQL."""

    @staticmethod
    def _check_database(database: object) -> None:
        from pymongo.asynchronous.database import AsyncDatabase
        from pymongo.database import Database

        other = "use `AsyncStore` for this one, or " if isinstance(database, AsyncDatabase) else ""
        check_kind(database, Database, "a pymongo database", f'{other}get one with MongoClient(uri)["shop"]')

    def run(self, name: str, given: Given = None, /, **parameters: object) -> Result:
        """Run a statement of the workload. Parameters are given by name, or as `given`: a dict, or a list for `?`, `%s` and `$1`.

        Raises `InputError` (no such name), `WorkloadError` (parameters that do not fit), `GapError`, `WriteError`,
        `ConnectionFailed`; the first statement also `VerifyError` if the database does not have this design.
        """
        return self._typed(*self._named(name, _values(given, parameters)))

    def execute(self, sql: str, given: Given = None, /, **parameters: object) -> Result:
        """Run one SQL statement; errors as of `run`."""
        return self._typed(*self._compiled(sql, _values(given, parameters)))

    def _typed(self, statement: CompiledRead | CompiledWrite, parameters: Mapping[str, object]) -> Result:
        with _typed_errors(self._database):
            return self._answer(statement, parameters)

    def transaction(self, work: Callable[[Transaction], Done]) -> Done:
        """Let `work` run statements in one transaction, and return its result. If it raises, nothing of the transaction stays.

        If another transaction conflicts, `work` is called again from its beginning, for two minutes at most: its other effects
        may happen more than once. Raises the errors of `run`. A statement that fails ends the transaction: if `work` catches
        its error, the next statement, or the end, raises `TransactionFailed`.
        """
        from nestling.executors.attempts import in_transaction

        _check_work(work)
        with _typed_errors(self._database), self._database.client.start_session() as session:
            self._look()

            def once(inner: ClientSession) -> Done:
                begun = Transaction(self, inner, TransactionState(self._spoken()))
                with begun._state.until_end():
                    return work(begun)

            return in_transaction(session, once)

    def _look(self) -> None:
        from nestling.executors.design_match import look
        from nestling.executors.migrate import TRUSTED_SECONDS
        from nestling.pipeline.checking import looks

        if time.monotonic() < self._looked_until:
            return
        asked = time.monotonic()
        asks = looks(self._proposal, self._database.name, self._digest, self._there)
        self._there, is_sure = look(self._database, asks)
        self._looked_until = asked + TRUSTED_SECONDS if is_sure else 0.0

    def _answer(
        self,
        statement: CompiledRead | CompiledWrite,
        parameters: Mapping[str, object],
        session: ClientSession | None = None,
    ) -> Result:
        from nestling.executors.errors.transient import no_server_is_final
        from nestling.executors.run import run_read
        from nestling.executors.write import run_write

        self._look()
        if isinstance(statement, CompiledRead):
            with no_server_is_final(self._database):
                rows = list(run_read(self._database, statement, parameters, session=session))
            return _result(statement.columns, rows)
        design = self._proposal.design
        done = run_write(self._database, statement, parameters, session=session, design=design, before=self._look)
        return _written(statement, done)


@dataclass(frozen=True, slots=True)
class Transaction:
    """The statements of a store, run in one transaction that has begun."""

    _store: Store
    _session: ClientSession
    _state: TransactionState

    def run(self, name: str, given: Given = None, /, **parameters: object) -> Result:
        """Run a statement of the workload; it sees what earlier ones wrote."""
        statement, given = self._store._named(name, _values(given, parameters))
        with self._state.statement():
            return self._store._answer(_in_transaction(statement), given, self._session)

    def execute(self, sql: str, given: Given = None, /, **parameters: object) -> Result:
        """Run one SQL statement; it sees what earlier ones wrote."""
        statement, given = self._store._compiled(sql, _values(given, parameters))
        with self._state.statement():
            return self._store._answer(_in_transaction(statement), given, self._session)


class AsyncStore(_Statements["AsyncDriver"]):
    """The statements of an application on a design, as `Store` runs them, for asyncio.

    Its database is one of pymongo's `AsyncMongoClient`.
    """

    @staticmethod
    def _check_database(database: object) -> None:
        from pymongo.asynchronous.database import AsyncDatabase
        from pymongo.database import Database

        other = "use `Store` for this one, or " if isinstance(database, Database) else ""
        move = f'{other}get one with AsyncMongoClient(uri)["shop"]'
        check_kind(database, AsyncDatabase, "an asyncio pymongo database", move)

    async def run(self, name: str, given: Given = None, /, **parameters: object) -> Result:
        """Run a statement of the workload; errors as of `Store.run`."""
        return await self._typed(*self._named(name, _values(given, parameters)))

    async def execute(self, sql: str, given: Given = None, /, **parameters: object) -> Result:
        """Run one SQL statement; errors as of `Store.run`."""
        return await self._typed(*self._compiled(sql, _values(given, parameters)))

    async def _typed(self, statement: CompiledRead | CompiledWrite, parameters: Mapping[str, object]) -> Result:
        with _typed_errors(self._database):
            return await self._answer(statement, parameters)

    async def transaction(self, work: Callable[[AsyncTransaction], Coroutine[Any, Any, Done]]) -> Done:
        """Have `work` run statements in one transaction, as of `Store.transaction`."""
        from nestling.executors.attempts import in_transaction_async

        _check_work(work)
        with _typed_errors(self._database):
            await self._look()
            async with self._database.client.start_session() as session:

                async def once(inner: AsyncClientSession) -> Done:
                    begun = AsyncTransaction(self, inner, TransactionState(self._spoken()))
                    with begun._state.until_end():
                        return await work(begun)

                return await in_transaction_async(session, once)

    async def _look(self) -> None:
        from nestling.executors.asynchronous import look_async
        from nestling.executors.migrate import TRUSTED_SECONDS
        from nestling.pipeline.checking import looks

        if time.monotonic() < self._looked_until:
            return
        asked = time.monotonic()
        asks = looks(self._proposal, self._database.name, self._digest, self._there)
        self._there, is_sure = await look_async(self._database, asks)
        self._looked_until = asked + TRUSTED_SECONDS if is_sure else 0.0

    async def _answer(
        self,
        statement: CompiledRead | CompiledWrite,
        parameters: Mapping[str, object],
        session: AsyncClientSession | None = None,
    ) -> Result:
        from nestling.executors.asynchronous import run_read_async, run_write_async
        from nestling.executors.errors.transient import no_server_is_final

        await self._look()
        if isinstance(statement, CompiledRead):
            with no_server_is_final(self._database):
                rows = await run_read_async(self._database, statement, parameters, session=session)
            return _result(statement.columns, rows)
        design = self._proposal.design
        done = await run_write_async(
            self._database, statement, parameters, session=session, design=design, before=self._look
        )
        return _written(statement, done)


@dataclass(frozen=True, slots=True)
class AsyncTransaction:
    """The statements of an `AsyncStore`, run in one transaction that has begun."""

    _store: AsyncStore
    _session: AsyncClientSession
    _state: TransactionState

    async def run(self, name: str, given: Given = None, /, **parameters: object) -> Result:
        """Run a statement of the workload; it sees what earlier ones wrote."""
        statement, given = self._store._named(name, _values(given, parameters))
        with self._state.statement():
            return await self._store._answer(_in_transaction(statement), given, self._session)

    async def execute(self, sql: str, given: Given = None, /, **parameters: object) -> Result:
        """Run one SQL statement; it sees what earlier ones wrote."""
        statement, given = self._store._compiled(sql, _values(given, parameters))
        with self._state.statement():
            return await self._store._answer(_in_transaction(statement), given, self._session)
