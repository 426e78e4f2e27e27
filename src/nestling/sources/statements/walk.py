"""The walk over one statement's tree: which names mean what, and what every part of the statement adds to its footprint.

`StatementWalk` holds what is collected; `queries`, `predicates` and `writes` are the parts of the walk, functions over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot import exp

from nestling.common.errors import name_list, suggest
from nestling.ir.model import Entity, Model
from nestling.ir.reading import GapKind
from nestling.ir.statements.sql_dialects import POSTGRESQL, SQLITE
from nestling.ir.workload import StatementKind
from nestling.sources.statements.joins import Equalities
from nestling.sources.statements.occurrences import NamedSource, NameScope, Occurrence, Origins, add_read
from nestling.sources.statements.views import VIEW
from nestling.sources.tables import find_name


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with a statement: a sentence, the offset in the statement, and who cannot do it.

    That is the input itself, nestling, this version of the server, or MongoDB in general.
    """

    what: str
    offset: int
    kind: GapKind = GapKind.INPUT


class StatementWalk:
    """What is collected while one statement is walked."""

    def __init__(self, model: Model, sql: str, dialect: str) -> None:
        self.model = model
        self.sql = sql
        self.dialect = dialect
        self.occurrences: list[Occurrence] = []
        self.equal = Equalities()
        self.mistakes: list[Mistake] = []
        self._views_told: set[str] = set()
        self.text_literals: list[exp.Identifier] = []
        self._origins: dict[int, Origins] = {}
        self._results: dict[int, dict[str, Origins]] = {}
        self._inside: list[tuple[exp.Expr, NameScope]] = []
        self._correlated: set[int] = set()

    # --- sources -----------------------------------------------------------------------------------------------------

    def entity(self, table: exp.Table) -> Entity | None:
        """The entity a table name means; a mistake and None when there is none."""
        names = [entity.name for entity in self.model.entities]
        qualified = f"{table.db}.{table.name}" if table.db else table.name
        found = find_name(qualified, names) or find_name(table.name, names)
        if found is None and not table.db:
            suffixed = [name for name in names if name.casefold().endswith("." + table.name.casefold())]
            found = suffixed[0] if len(suffixed) == 1 else None
        if found is None:
            known = suggest(table.name, names).replace("it has", "there is", 1)
            self.mistake(f"no entity `{qualified}`; {known}", table)
            return None
        return self.model.entity(found)

    def occurrence(self, table: exp.Table, kind: StatementKind) -> tuple[Occurrence | None, NamedSource]:
        """A new occurrence of the entity a table means, and the source of its columns."""
        alias = table.alias or table.name
        entity = self.entity(table)
        if entity is None:
            return None, NamedSource(alias, {}, is_open=True)
        occurrence = Occurrence(entity, kind)
        self.occurrences.append(occurrence)
        return occurrence, NamedSource(alias, {name: ((occurrence, name),) for name in entity.attribute_names}, entity)

    def occurrences_of(self, scope: NameScope) -> list[Occurrence]:
        """The occurrences of entities that are sources of the scope itself."""
        return [
            origins[0][0]
            for source in scope.sources
            if source.entity is not None
            for origins in list(source.columns.values())[:1]
        ]

    # --- columns -----------------------------------------------------------------------------------------------------

    def origins(self, column: exp.Expr) -> Origins:
        """The origin of a column, once visited."""
        return self._origins.get(id(column), ())

    def remember(self, column: exp.Expr, origins: Origins) -> Origins:
        """Keep where a column comes from, and that it is needed."""
        self._origins[id(column)] = origins
        add_read(origins)
        return origins

    @contextmanager
    def inside(self, query: exp.Expr, around: NameScope | None) -> Iterator[None]:
        """While a query is walked; `around`: the scope it stands in."""
        if around is None:
            yield
            return
        self._inside.append((query, around))
        yield
        self._inside.pop()

    def is_correlated(self, query: exp.Expr) -> bool:
        """Whether a query, once visited, mentions a column of rows around it."""
        return id(query) in self._correlated

    def _held_by(self, scope: NameScope | None) -> None:
        """Say that a column is of a source of that scope: the queries it is mentioned in that stand inside it are correlated."""
        if scope is not None:
            self._correlated.update(id(query) for query, around in self._inside if around.is_within(scope))

    def result(self, query: exp.Expr) -> dict[str, Origins]:
        """The output columns of a query, once visited."""
        return self._results.get(id(query), {})

    def remember_result(self, query: exp.Expr, outputs: dict[str, Origins]) -> dict[str, Origins]:
        """Keep the output columns of a query."""
        self._results[id(query)] = outputs
        return outputs

    def resolve(self, column: exp.Column, scope: NameScope) -> Origins:
        """The origin of a column, by its qualifier or by the table that has it; a mistake if no table does."""
        if column.table:
            return self._qualified(column, scope)
        around: NameScope | None = scope
        while around is not None:
            if holders := around.holders(column.name):
                self._held_by(around)
                return self._held(column, holders, around)
            if (output := find_name(column.name, around.outputs)) is not None:
                return around.outputs[output]
            around = around.parent
        if self.dialect == POSTGRESQL and (row := scope.source(column.name)) is not None:
            self._held_by(scope.holding(column.name))
            return tuple(origin for origins in row.columns.values() for origin in origins)
        if self._is_text(column):
            self.text_literals.append(column.this)
            column.replace(exp.Literal.string(column.name))
        elif not scope.is_open:
            self._unknown_column(column, scope)
        return ()

    def _qualified(self, column: exp.Column, scope: NameScope) -> Origins:
        source = scope.source(column.table)
        if source is None:
            known = suggest(column.table, scope.aliases()).replace("it has", "there is", 1)
            self.mistake(f"no table or alias `{column.table}` here; {known}", column)
            return ()
        self._held_by(scope.holding(column.table))
        found = source.column(column.name)
        if found is None and source.entity is not None:
            problem = source.entity.no_attribute(column.name)
            self.mistake(f"{problem.what}; {problem.known}", column)
        elif found is None and not source.is_open:
            self.mistake(
                f"no column `{column.name}` in `{source.alias}`; {suggest(column.name, source.columns)}", column
            )
        return found or ()

    def _held(self, column: exp.Column, holders: list[NamedSource], scope: NameScope) -> Origins:
        if len(holders) > 1 and column.name.casefold() not in scope.merged:
            aliases = name_list((holder.alias for holder in holders), " and ")
            self.mistake(f"column `{column.name}` is ambiguous: it is in {aliases}", column)
        return holders[0].column(column.name) or ()

    def _is_text(self, column: exp.Column) -> bool:
        """Whether it is a text in double quotes, which SQLite takes for a string where no column has that name."""
        start = _offset(column)
        return (
            bool(column.this.args.get("quoted")) and self.dialect in ("", SQLITE) and '"' in self.sql[start : start + 1]
        )

    def _unknown_column(self, column: exp.Column, scope: NameScope) -> None:
        entities = {source.entity.name: source.entity for source in scope.sources if source.entity}
        if len(entities) == 1 and len(scope.sources) == 1:
            problem = next(iter(entities.values())).no_attribute(column.name)
            self.mistake(f"{problem.what}; {problem.known}", column)
            return
        among = name_list(scope.aliases()) or "a statement without tables"
        known = suggest(column.name, scope.column_names()).replace("it has", "there is", 1)
        self.mistake(f"no column `{column.name}` in {among}; {known}", column)

    def mistake(self, what: str, node: exp.Expr) -> None:
        """List what is not there, with its place: of a view one thing, as it tells whether the view is right."""
        view = _name(node).meta.get(VIEW, "")
        found = Mistake(f"view `{view}`: {what}" if view else what, _offset(node))
        if found in self.mistakes or (view and view in self._views_told):
            return
        self._views_told.add(view)
        self.mistakes.append(found)


def _name(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node.this, exp.Identifier) else node


def _offset(node: exp.Expr) -> int:
    """Where a node's own name starts in the statement, 0 when the parser did not keep it."""
    return int(_name(node).meta.get("start", 0))


def outermost(node: exp.Expr, wanted: Callable[[exp.Expr], bool]) -> Iterator[exp.Expr]:
    """The nodes below (or at) this one that are wanted and not inside another wanted one."""
    if wanted(node):
        yield node
        return
    for child in list(node.iter_expressions()):
        yield from outermost(child, wanted)
