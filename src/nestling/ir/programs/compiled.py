"""A statement compiled: what the server is asked, as plain data, with places for the parameters' values."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol, cast

from nestling.common.errors import Problem, WorkloadError, unknown
from nestling.ir.paths.access_path import Step
from nestling.ir.reading import Gap
from nestling.ir.statements.operators import Collation
from nestling.ir.storage.collations import collation_option
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.nans import nan_as_null

Mql = dict[str, object]


class Operation(StrEnum):
    """The two reads of MongoDB."""

    FIND = "find"
    AGGREGATE = "aggregate"


SPELLINGS = "spellings"
"""What stands for a text that a collation finds others by; the support of programs has a function of that name."""


class Placeholder(ABC):
    """Where the value of the parameter `name` belongs."""

    __slots__ = ()
    name: str

    @abstractmethod
    def bind(self, value: object) -> object:
        """The BSON value for a parameter's value; raises `WorkloadError` when the statement cannot take it."""

    def of_row(self, value: object) -> object:
        """The BSON value for one that a row of the database has."""
        return value

    @property
    def legend(self) -> str:
        """A description of what the placeholder stands for."""
        return ""

    @property
    def stands_for(self) -> str:
        """What belongs here instead of the value: `after` (the first moment after it), `regex` (the regular expression of the
        pattern it is), or `start_regex`, `end_regex`, `within_regex` where other text of the pattern follows, precedes, or both;
        `spellings`, where it is what a collation finds texts by; `minute`, `hour`, `day` or `month` (the beginning of the one it
        lies in), with `after_` before it where that is the one the first moment after it lies in.
        """
        return ""


class ServerTime(str):
    """The server's time in an expression, distinguished from a text that looks like it."""

    __slots__ = ()


SERVER_TIME = ServerTime("$$NOW")


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the answer: the name SQL gives it, the field of a result document it is in, and its type.

    `mixed`: some values may be of another type; `typed`: all numbers are shown as numbers of the type.
    """

    name: str
    field: str
    type: Type
    mixed: bool = False
    typed: bool = False

    @property
    def number(self) -> TypeName | None:
        """The kind of number that every number of the column is shown as, or each element; None where each is shown as it is."""
        kind = (self.type.element or self.type).name
        return kind if self.typed and not self.mixed and kind in (TypeName.DECIMAL, TypeName.FLOAT) else None


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """What the planner found for a query: its steps, whose documents have the columns' fields in order."""

    step: Step
    columns: tuple[OutputColumn, ...]
    collation: Collation = Collation.BINARY  # of every comparison of texts in it


@dataclass(frozen=True, slots=True)
class CompiledRead:
    """One read. `collection` is None for an aggregation over the database.

    FIND has `filter`, `projection`, `sort`, `skip` and `limit`, AGGREGATE has `pipeline`; `path` are its steps, `access_path`
    says them in words. Where a parameter belongs stands a `Placeholder`. `notes`: where the answer may not be the source's,
    or a join reads a whole collection for each row. `nan_is_null`: a NaN that is given is NULL, as SQLite's drivers bind it.
    `unused`: parameters of the SQL whose values nothing depends on, as in `EXISTS (SELECT :one …)`; they may be given.
    """

    name: str
    sql: str
    columns: tuple[OutputColumn, ...] = ()
    parameters: tuple[str, ...] = ()
    collection: str | None = None
    operation: Operation = Operation.AGGREGATE
    filter: Mql | None = None
    projection: Mql | None = None
    sort: tuple[tuple[str, int], ...] = ()
    skip: object = None
    limit: object = None
    pipeline: tuple[Mql, ...] = ()
    path: Step | None = None
    access_path: str = ""
    collation: Collation = Collation.BINARY  # of the whole operation
    notes: tuple[str, ...] = ()
    nan_is_null: bool = False
    unused: tuple[str, ...] = ()

    @property
    def collation_option(self) -> Mql | None:
        """The operation's `collation` option; None when it needs none."""
        return collation_option(self.collation)


@dataclass(frozen=True, slots=True)
class NotCompiled:
    """A statement that has no query on this design, and why."""

    name: str
    sql: str
    gap: Gap


def bind(read: CompiledRead, values: Mapping[str, object] | None = None) -> CompiledRead:
    """The read with values in place of its parameters.

    Raises `WorkloadError` naming parameters that are missing or unknown, and values a parameter cannot take: a document or
    list is never one, so that no value can become an operator.
    """
    given = given_values(read, values)

    def put(value: object) -> object:
        return _bound(value, given)

    return replace(
        read,
        parameters=(),
        filter=cast("Mql | None", put(read.filter)),
        projection=cast("Mql | None", put(read.projection)),
        skip=put(read.skip) or None,
        limit=put(read.limit),
        pipeline=tuple(_stages(read.pipeline, given)),
    )


class Parameterised(Protocol):
    """What has a name and parameters."""

    @property
    def name(self) -> str:
        """The name of the statement in messages."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names values are needed for."""

    @property
    def nan_is_null(self) -> bool:
        """Whether a NaN that is given is NULL."""

    @property
    def unused(self) -> tuple[str, ...]:
        """The names that may be given values, though none are needed for them."""


_GIVE = "pass it by name{}; in a workload file, in a line above the statement: `-- params: {{…}}`"
_IN_A_LIST = ", or as item {} of a list in order"
_PLACE = re.compile(r"p([1-9]\d*)")
"""The name of a parameter that SQL gives a place only, as `?`, `%s` and `$1` do."""


def given_values(statement: Parameterised, values: Mapping[str, object] | None) -> dict[str, object]:
    """The values for a statement's parameters, as its database's drivers bind them.

    Raises `WorkloadError` naming parameters that are missing or unknown, and moments that no year from 1 to 9999 has.
    """
    given = dict(values or {})
    _check_given(statement, given)
    return {name: nan_as_null(value) for name, value in given.items()} if statement.nan_is_null else given


def _check_given(read: Parameterised, given: Mapping[str, object]) -> None:
    missing = [name for name in read.parameters if name not in given]
    whose = f"`{read.name}`" if read.name else "the statement"
    problems = [Problem(f"{whose} needs a value for parameter `{name}`", next_move=_give(name)) for name in missing]
    known = (*read.parameters, *read.unused)
    problems += [unknown("parameter", name, known, of=read.name) for name in given if name not in known]
    problems += [
        Problem(f"parameter `{name}`: {value!r} is outside the years 1 to 9999 in UTC")
        for name, value in given.items()
        if any(map(_has_no_year, value if isinstance(value, list | tuple) else (value,)))
    ]
    if problems:
        raise WorkloadError(*problems)


def _give(name: str) -> str:
    """How to give a value for a parameter."""
    place = _PLACE.fullmatch(name)
    return _GIVE.format(_IN_A_LIST.format(place[1]) if place else "")


def _has_no_year(value: object) -> bool:
    """Whether it is a moment of a time zone whose UTC no date has."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return False
    try:
        value.astimezone(UTC)
    except OverflowError:
        return True
    return False


def parameters_in(value: object) -> Iterator[str]:
    """The names of the parameters whose places are in it, in order, each as often as it is there."""
    return (each.name for each in placeholders_in(value))


def placeholders_in(value: object) -> Iterator[Placeholder]:
    """The places of parameters in MQL, or in a whole compiled statement, in order."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from placeholders_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from placeholders_in(inner)
    elif not isinstance(value, str | int | float | None) and isinstance(value, Placeholder):
        yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from placeholders_in(getattr(value, each.name))


def _bound(value: object, given: Mapping[str, object]) -> object:
    if isinstance(value, dict):
        if len(value) == 2 and value.get("$ne", value) is None and isinstance(value.get("$eq"), Placeholder):
            asked = _bound(value["$eq"], given)
            return {"$eq": asked} if asked is not None else {"$eq": asked, "$ne": None}  # what is a value is not NULL
        return {
            name: _stage_list(inner, given) if name == "pipeline" else _bound(inner, given)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_bound(inner, given) for inner in value]
    return value.bind(given[value.name]) if isinstance(value, Placeholder) else value


def _stage_list(value: object, given: Mapping[str, object]) -> object:
    if isinstance(value, list) and all(isinstance(stage, dict) for stage in value):
        return list(_stages(value, given))
    return _bound(value, given)


def _stages(stages: Sequence[Mql], given: Mapping[str, object]) -> Iterator[Mql]:
    """The stages bound; a limit of nothing, and one without end, are other stages than a limit.

    A union with a collection of which nothing can be found is left out: without an index the server would read all of it.
    """
    for stage in stages:
        match stage:
            case {"$limit": Placeholder() as count}:
                limit = count.bind(given[count.name])
                if limit is not None:
                    yield {"$limit": limit} if limit else {"$match": {"$expr": False}}
            case {"$skip": Placeholder() as count}:
                if skip := count.bind(given[count.name]):
                    yield {"$skip": skip}
            case {"$unionWith": {"coll": collection, "pipeline": list() as inner}}:
                found = list(_stages(inner, given))
                if not _adds_nothing(found):
                    yield {"$unionWith": {"coll": collection, "pipeline": found}}
            case _:
                yield cast(Mql, _bound(stage, given))


def _adds_nothing(stages: Sequence[Mql]) -> bool:
    """Whether they find nothing in their collection, and no other adds anything to that, not even the count of nothing."""
    match stages:
        case [{"$match": dict() as asked}, *rest]:
            return asks_for_nothing(asked) and not any("$unionWith" in stage for stage in rest)
        case _:
            return False


def asks_for_nothing(asked: Mql) -> bool:
    """Whether a condition asks a field to be after a time and not after it."""
    return any(_is_empty(field) for name, field in asked.items() if isinstance(field, dict) and "." not in name)


def _is_empty(field: Mapping[str, Any]) -> bool:
    """Whether its bounds, both times, leave nothing between them."""
    least = [(field[each], each == "$gt") for each in ("$gt", "$gte", "$eq") if isinstance(field.get(each), datetime)]
    most = [(field[each], each == "$lt") for each in ("$lt", "$lte", "$eq") if isinstance(field.get(each), datetime)]
    return any(
        low > high or (low == high and (after or before))
        for low, after in least
        for high, before in most
        if (low.tzinfo is None) == (high.tzinfo is None)
    )
