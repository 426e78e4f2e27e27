"""Which names a piece of SQL can see, and what they become.

An `Env` is what an expression is bound in: the sources of its SELECT, the SELECT's own output names, the grouping once rows are
grouped, and the `Env` around it (for a subquery). Names are found whatever their case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from nestling.common.errors import name_list
from nestling.ir.model import Entity, Model, View
from nestling.ir.statements.algebra import NamedWindow, Relation, WindowFunction
from nestling.ir.statements.expression import Column, Expression
from nestling.ir.statements.operators import Affinity, Collation
from nestling.ir.statements.read_locks import ReadLock
from nestling.planner.sql.dialect import Dialect
from nestling.planner.sql.gaps import mistake, no_such, statement_gap, with_heirs

Bind = Callable[[exp.Expr], Expression]
"""Binds a part of what is being bound, in the same `Env`."""

MOST_RELATIONS = 500
"""A CTE is bound wherever it is named; beyond so many tables such a statement doubles itself without end."""


@dataclass(frozen=True, slots=True)
class FromSource:
    """One table of a FROM: its alias, and what each of its column names means, in order."""

    name: str
    columns: tuple[tuple[str, Expression], ...]
    hidden: frozenset[str] = frozenset()  # folded names a USING or NATURAL took into one
    found: dict[str, Expression] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        names: dict[str, Expression] = {}
        for name, column in self.columns:
            names.setdefault(name.casefold(), column)
        object.__setattr__(self, "found", names)


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources in order, and the columns USING or NATURAL merged."""

    sources: tuple[FromSource, ...] = ()
    merged: tuple[tuple[str, Expression], ...] = ()

    def source(self, name: str) -> FromSource | None:
        """The source of that name."""
        return next((source for source in self.sources if source.name.casefold() == name.casefold()), None)

    def find(self, name: str, node: exp.Expr) -> Expression | None:
        """The one column of that name; raises WorkloadError when several sources have it."""
        folded = name.casefold()
        for merged, expression in self.merged:
            if merged.casefold() == folded:
                return expression
        having = [source for source in self.sources if folded in source.found and folded not in source.hidden]
        if len(having) > 1:
            tables = name_list((source.name for source in having), " and ")
            raise mistake(f"`{name}` is ambiguous: {tables} have it", node, f"write `{having[0].name}.{name}`")
        return having[0].found[folded] if having else None

    def columns(self, *, in_place: bool = False) -> list[tuple[str, Expression]]:
        """What `*` means: merged columns first, or (in SQLite) where the leftmost table has them."""
        if in_place:
            return self._in_place()
        rest = (
            (name, column)
            for source in self.sources
            for name, column in source.columns
            if name.casefold() not in source.hidden
        )
        return [*self.merged, *rest]

    def _in_place(self) -> list[tuple[str, Expression]]:
        waiting = {name.casefold(): expression for name, expression in self.merged}
        found: list[tuple[str, Expression]] = []
        for source in self.sources:
            for name, column in source.columns:
                if name.casefold() not in source.hidden:
                    found.append((name, column))
                elif name.casefold() in waiting:
                    found.append((name, waiting.pop(name.casefold())))
        return found


@dataclass
class Translation:
    """What is shared by all of one statement's translation: the model, and the names and facts handed out so far."""

    model: Model
    dialect: Dialect
    rounds: bool = False  # datetimes with microseconds to the milliseconds of an attribute's dates
    entities: dict[str, Entity] = field(init=False)
    views: dict[str, View] = field(init=False)
    affinities: dict[tuple[str, str], Affinity | None] = field(default_factory=dict)
    collations: dict[tuple[str, str], Collation] = field(default_factory=dict)
    sums: dict[tuple[str, str], bool] = field(default_factory=dict)  # see `nestling.planner.sql.postgresql.sum_types`
    digits: dict[tuple[str, str], tuple[int, int | None]] = field(default_factory=dict)  # see `decimal_digits` there
    second_digits: dict[tuple[str, str], int] = field(
        default_factory=dict
    )  # see `nestling.planner.sql.mysql.times_as_text`
    scans: dict[str, Entity] = field(default_factory=dict)
    aliases: dict[str, int] = field(default_factory=dict)
    listed: dict[str, bool] = field(default_factory=dict)  # parameters: whether a list is given
    relations: int = 0
    open_views: list[str] = field(default_factory=list)
    locks: ReadLock | None = None  # how rows that are read are locked at the source
    watch: Callable[[Expression, exp.Expr], None] | None = None  # told what every piece of SQL means

    def __post_init__(self) -> None:
        self.entities = {entity.name.casefold(): entity for entity in self.model.entities}
        self.views = {view.name.casefold(): view for view in self.model.views}

    def alias(self, wish: str) -> str:
        """An alias nobody has yet in this statement."""
        self.relations += 1
        if self.relations > MOST_RELATIONS:
            raise statement_gap(f"a statement of more than {MOST_RELATIONS} tables and steps")
        number = self.aliases.get(wish.casefold(), 0) + 1
        self.aliases[wish.casefold()] = number
        return wish if number == 1 else self.alias(f"{wish}_{number}")

    def entity(self, table: exp.Table) -> Entity:
        """The entity a table stands for; a schema in front of it is only there to be read.

        If others inherit from it, anything but an INSERT has to name it with ONLY: PostgreSQL would include their rows.
        """
        found = self._entity(table)
        if found.inherited_by and not table.args.get("only") and not isinstance(table.parent, exp.Insert | exp.Schema):
            raise with_heirs(found.name, found.inherited_by, table)
        return found

    def _entity(self, table: exp.Table) -> Entity:
        for name in _names(table):
            if name in self.entities:
                return self.entities[name]
        if self.view(table) is not None:
            raise statement_gap(f"a write to the view `{table.name}`", table)
        known = [*(entity.name for entity in self.model.entities), *(view.name for view in self.model.views)]
        raise no_such("table", table.name, known, table)

    def view(self, table: exp.Table) -> View | None:
        """The view a table stands for, if it does."""
        found = next((name for name in _names(table) if name in self.views or name in self.entities), None)
        return self.views[found] if found is not None and found not in self.entities else None


def _names(table: exp.Table) -> tuple[str, ...]:
    """The names in a model that a table may have: with its schema before the one without."""
    name = table.name.casefold()
    return (f"{table.db.casefold()}.{name}", name) if table.db else (name,)


@dataclass(frozen=True, slots=True)
class Cte:
    """The query of a WITH, bound again wherever it is named. `working` makes the reference inside its own recursion."""

    query: exp.Expr
    columns: tuple[str, ...]
    ctes: Mapping[str, Cte]
    recursive: bool = False
    working: Callable[[str], Relation] | None = None


@dataclass
class SelectWindows:
    """The window functions of one SELECT, as they are met."""

    alias: str
    named: Mapping[str, exp.Expr]
    functions: list[NamedWindow] = field(default_factory=list)

    def add(self, window: WindowFunction) -> Column:
        """The column of the function; equal ones share it."""
        for item in self.functions:
            if item.window == window:
                return Column(self.alias, item.name, window.type, mixed=window.mixed)
        self.functions.append(NamedWindow(f"{window.function.value}_{len(self.functions) + 1}", window))
        return Column(self.alias, self.functions[-1].name, window.type, mixed=window.mixed)


class Grouped(Protocol):
    """How things are seen after grouping; `nestling.planner.sql.grouping` has the one there is."""

    def column(self, column: Column, node: exp.Expr) -> Expression:
        """The key the column is, or a bare column."""

    def key(self, node: exp.Expr) -> Expression | None:
        """The key the expression is, if it is one."""

    def aggregate(self, node: exp.Expr, env: Env) -> Expression:
        """The column an aggregate becomes."""


@dataclass(frozen=True)
class Env:
    """What an expression is bound in. `outputs_first`: a name is an output's before it is a column's, as in MySQL's HAVING."""

    translation: Translation
    scope: Scope = Scope()
    ctes: Mapping[str, Cte] = field(default_factory=dict)
    parent: Env | None = None
    outputs: Mapping[str, exp.Expr] = field(default_factory=dict)
    outputs_first: bool = False
    grouped: Grouped | None = None
    windows: SelectWindows | None = None

    @property
    def dialect(self) -> Dialect:
        """The statement's dialect."""
        return self.translation.dialect

    def rows(self) -> Env:
        """The environment before grouping, without window functions."""
        return replace(self, outputs_first=False, grouped=None, windows=None)

    def find(self, node: exp.Column) -> Expression | NamedOutput | None:
        """What a column's name means here: an expression, an output still to be bound, or None."""
        output = self._output(node)
        if output is not None and self.outputs_first:
            return output
        found = self._own(node)
        if found is not None:
            return self._seen(found, node)
        if output is not None or self.parent is None:
            return output
        return replace(self.parent, outputs_first=False).find(node)

    def _output(self, node: exp.Column) -> NamedOutput | None:
        tree = self.outputs.get(node.name.casefold()) if not node.table else None
        if tree is None:
            return None
        others = {name: other for name, other in self.outputs.items() if other is not tree}
        return NamedOutput(tree, replace(self, outputs={} if self.outputs_first else others, outputs_first=False))

    def _own(self, node: exp.Column) -> Expression | None:
        if not node.table:
            return self.scope.find(node.name, node)
        source = self.scope.source(node.table)
        if source is None:
            return None
        if node.name.casefold() not in source.found:
            raise no_such("column", node.name, (name for name, _ in source.columns), node, of=source.name)
        return source.found[node.name.casefold()]

    def _seen(self, found: Expression, node: exp.Expr) -> Expression:
        if self.grouped is None:
            return found
        if isinstance(found, Column):
            return self.grouped.column(found, node)
        key = self.grouped.key(node)
        if key is None:
            raise statement_gap("a merged column that is not grouped by", node)
        return key

    def known(self) -> list[str]:
        """Every name visible, for suggestions."""
        names = [name for name, _ in self.scope.columns()] + list(self.outputs)
        return names + (self.parent.known() if self.parent is not None else [])


@dataclass(frozen=True, slots=True)
class NamedOutput:
    """What the name of an output stands for: its tree, and what that is bound in."""

    tree: exp.Expr
    env: Env


Handler = Callable[[exp.Expr, Env, Bind], Expression]
"""Makes an expression of a function's call; its arguments are bound by the third."""
