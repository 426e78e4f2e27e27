"""An application-level join as plain data: a read, its ids, a second read by these ids, and how the rows come together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nestling.ir.nested_values import with_leaves
from nestling.ir.programs.compiled import CompiledRead, OutputColumn, ReadPlan, bind, given_values

MOST_IDS = 10_000
"""Ids asked for at once, where a second read can be asked in parts."""


@dataclass(frozen=True, slots=True)
class Ids:
    """Where the ids go that the first read found: the list after `$in`."""


IDS = Ids()


@dataclass(frozen=True, slots=True)
class Joining:
    """How the rows of two reads come together.

    `given` and `found` are the fields of the first and second read's documents that must be equal; without `found` the rows of
    the second read are the answer. `outputs` are, for each
    column, which read (0 or 1) and the field. The answer has the order of read `ordered_by`. `lonely`: rows of the first that
    find nothing stay, with NULLs. `whole`: the second read cannot be asked in parts, since it sorts, limits or groups.
    """

    given: str
    found: str
    outputs: tuple[tuple[int, str], ...]
    ordered_by: int = 0
    lonely: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """What the planner found: two reads and the join; `parameter` stands in the second where the ids go."""

    first: ReadPlan
    second: ReadPlan
    columns: tuple[OutputColumn, ...]
    joining: Joining
    parameter: str


@dataclass(frozen=True, slots=True)
class ClientJoin:
    """A compiled application-level join. `second` has `IDS` in place of the list of ids.

    `nan_is_null`, `unused`: as of a read.
    """

    name: str
    sql: str
    columns: tuple[OutputColumn, ...]
    parameters: tuple[str, ...]
    first: CompiledRead
    second: CompiledRead
    joining: Joining
    access_path: str = ""
    notes: tuple[str, ...] = ()
    nan_is_null: bool = False
    unused: tuple[str, ...] = ()


def bind_join(join: ClientJoin, values: Mapping[str, object] | None = None) -> ClientJoin:
    """The join with values in place of its parameters; errors as of `bind`."""
    given = given_values(join, values)
    first, second = (bind(read, {name: given[name] for name in read.parameters}) for read in (join.first, join.second))
    return replace(join, parameters=(), first=first, second=second)


def with_ids(read: CompiledRead, ids: object) -> CompiledRead:
    """The second read with the ids, or what stands for them, in their place."""

    def put(leaf: object) -> object:
        return ids if isinstance(leaf, Ids) else leaf

    return replace(read, filter=with_leaves(read.filter, put), pipeline=tuple(with_leaves(read.pipeline, put)))
