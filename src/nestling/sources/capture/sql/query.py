"""A query in the making, and its text.

Texts name columns by tokens (`token`), which become `alias.attribute` in the end: by then it is known which rows are needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from nestling.ir.free_names import free_name
from nestling.ir.model import Model
from nestling.sources.capture.sql.entity_rows import TOKEN, EntityRow, EntityRows, token
from nestling.sources.capture.sql.field_values import LeftOut, Many
from nestling.sources.capture.sql.predicates import NEVER_TRUE
from nestling.sources.capture.sql.words import plain, quoted


@dataclass(eq=False, slots=True)
class RowsQuery:
    """Rows joined to `root`, conditions on them, groups, order and how many. `inner`: the query its root stands for."""

    every: EntityRows
    root: EntityRow
    inner: RowsQuery | None = None
    rows: list[EntityRow] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    having: list[str] = field(default_factory=list)
    order: list[tuple[str, bool]] = field(default_factory=list)
    limit: str = ""
    offset: str = ""
    distinct: bool = False
    grouped: bool = False
    exported: dict[str, str] = field(default_factory=dict)
    wanted: list[EntityRow] = field(default_factory=list)

    def holds(self, row: EntityRow) -> bool:
        """Whether a row is one of its own."""
        return row.first is self.root

    def wrapped(self) -> RowsQuery:
        """A query that reads from this one, in its order: what comes next happens to its result."""
        outer = RowsQuery(self.every, self.every.new(""), self)
        if self.limit or self.offset:
            outer.order = [(token(outer.root, outer.export(text, "place")), down) for text, down in self.order]
        return outer

    def open(self, array: Many, *, outer: bool) -> EntityRow:
        """Join the rows of an array, even if they are not used: they decide how many rows there are."""
        first, last = array.join(outer)
        if first.after is not None and not self.holds(first.after):
            first.after = self.root  # the array is of the query this one reads from
        if not outer:
            self._requires(last)  # also the rows it is joined to: without these there is none
        self.wanted.append(last)
        return last

    def keep(self, texts: list[str]) -> None:
        """Keep what meets these conditions; a row that must be there is joined by no LEFT JOIN. Raises LeftOut if nothing can."""
        if NEVER_TRUE in texts:
            raise LeftOut("it finds nothing: no document can meet its filter")
        self.where += texts
        for text in texts:
            match = TOKEN.match(text)
            if match is not None and text[match.end() :] == " IS NOT NULL":
                self._requires(self.every.known[int(match[1])])

    def _requires(self, row: EntityRow) -> None:
        if row is self.root or not self.holds(row):
            return
        row.outer = False
        for _, text in row.on:
            for other in self.every.named(text):
                self._requires(other)

    def text(self, shown: list[tuple[str, str]], model: Model) -> str:
        """The SELECT that shows these texts under these names."""
        shown = _pruned(self, shown, model)
        self._use_all(shown)
        self.where = [text for text in self.where if not self._is_certain(text, model)]
        columns = [_shown(name, self.named(text)) for name, text in shown]
        parts = [f"SELECT {'DISTINCT ' if self.distinct else ''}{', '.join(columns)}"]
        joins = [self._join(row) for row in self.rows]
        tail = self._tail()  # before FROM is written: the inner query shows what all of this asks of it
        parts += [f"FROM {self._root(model)}", *joins, *tail]
        return "\n".join(parts)

    def _tail(self) -> Iterator[str]:
        clauses: list[str] = []
        if where := [*self.where, *self._filters()]:
            clauses.append("WHERE " + " AND ".join(map(self.named, where)))
        if self.groups:
            clauses.append("GROUP BY " + ", ".join(dict.fromkeys(map(self.named, self.groups))))
        if self.having:
            clauses.append("HAVING " + " AND ".join(map(self.named, self.having)))
        if self.order:
            keys = (self.named(text) + (" DESC" if descending else "") for text, descending in self.order)
            clauses.append("ORDER BY " + ", ".join(dict.fromkeys(keys)))
        if self.limit:
            clauses.append(f"LIMIT {self.limit}" + (f" OFFSET {self.offset}" if self.offset else ""))
        elif self.offset:
            clauses.append(f"LIMIT -1 OFFSET {self.offset}")
        return iter(clauses)

    def _texts(self) -> Iterator[str]:
        yield from (*self.where, *self._filters(), *self.groups, *self.having, *(text for text, _ in self.order))

    def _filters(self) -> list[str]:
        return [text for row in (self.root, *self.rows) for text in row.filters]

    def _is_certain(self, text: str, model: Model) -> bool:
        """Whether a condition asks that something is there which always is."""
        match = TOKEN.match(text)
        if match is None or text[match.end() :] != " IS NOT NULL":
            return False
        row = self.every.known[int(match[1])]
        is_own = self.holds(row) and row.entity and not row.may_lack
        return bool(is_own) and not model.entity(row.entity).attribute(match[2]).nullable

    def _use_all(self, shown: list[tuple[str, str]]) -> None:
        for row in self.wanted:
            self._join_in(row)
        for text in (*(text for _, text in shown), *self._texts()):
            self._use(text)

    def _use(self, text: str) -> None:
        """Join every row of its own that a text names."""
        for row in self.every.named(text):
            if self.holds(row):
                self._join_in(row)

    def _join_in(self, row: EntityRow) -> None:
        if row is self.root or row in self.rows:
            return
        if row.after is not None:
            self._join_in(row.after)
        for text in (*(text for _, text in row.on), *row.conditions):
            for other in self.every.named(text):
                if other is not row and self.holds(other):
                    self._join_in(other)
        self.rows.append(row)
        for text in row.filters:
            self._use(text)

    def _join(self, row: EntityRow) -> str:
        alias = self.every.alias(row)
        equal = [f"{alias}.{quoted(attribute)} = {self.named(text)}" for attribute, text in row.on]
        conditions = " AND ".join([*equal, *map(self.named, row.conditions)])
        if not conditions and not row.outer:
            return f"CROSS JOIN {quoted(row.entity)} {alias}"
        kind = "LEFT JOIN" if row.outer else "JOIN"
        return f"{kind} {quoted(row.entity)} {alias} ON {conditions or '1 = 1'}"

    def _root(self, model: Model) -> str:
        alias = self.every.alias(self.root)
        if self.inner is None:
            return f"{quoted(self.root.entity)} {alias}"
        shown = [(name, text) for text, name in self.exported.items()] or [("one", "1")]
        return f"({self.inner.text(shown, model)}) AS {alias}"

    def named(self, text: str) -> str:
        """The text with its own columns named; those of a query around it stay tokens."""
        return TOKEN.sub(self._column, text)

    def _column(self, match: re.Match[str]) -> str:
        row, attribute = self.every.known[int(match[1])], match[2]
        if self.holds(row):
            return f"{self.every.alias(row)}.{quoted(attribute)}"
        if self.inner is not None and self.inner.reaches(row):
            return f"{self.every.alias(self.root)}.{quoted(self.export(match[0], attribute))}"
        return match[0]

    def reaches(self, row: EntityRow) -> bool:
        """Whether a row is its own or that of a query it reads from."""
        return self.holds(row) or (self.inner is not None and self.inner.reaches(row))

    def export(self, text: str, name: str) -> str:
        """The name under which the inner query shows a text."""
        if text not in self.exported:
            self.exported[text] = free_name(plain(name), set(self.exported.values()))
        return self.exported[text]


def _shown(name: str, text: str) -> str:
    return text if text.rpartition(".")[2] == quoted(name) and text.count(" ") == 0 else f"{text} AS {quoted(name)}"


def _pruned(query: RowsQuery, shown: list[tuple[str, str]], model: Model) -> list[tuple[str, str]]:
    """Leave out the first row while all that is asked of it is the key a joined child repeats."""
    while query.inner is None:
        query._use_all(shown)
        child = next((row for row in query.rows if _replaces(query, row, shown, model)), None)
        if child is None:
            break
        shown = _without_root(query, child, shown)
    return shown


def _replaces(query: RowsQuery, child: EntityRow, shown: list[tuple[str, str]], model: Model) -> bool:
    root = query.root
    if child.after is not root or child.outer:
        return False
    pairs = {text: attribute for attribute, text in child.on}
    links = [link for link in model.parents_of(child.entity) if link.parent == root.entity and model.is_total(link)]
    if not any(
        dict(zip((token(root, p) for p in link.parent_attributes), link.child_attributes, strict=True)) == pairs
        for link in links
    ):
        return False
    others = [text for row in query.rows if row is not child for text in (*(t for _, t in row.on), *row.conditions)]
    texts = (*(text for _, text in shown), *query._texts(), *others, *child.conditions)
    return all(match[0] in pairs for text in texts for match in TOKEN.finditer(text) if int(match[1]) == root.number)


def _without_root(query: RowsQuery, child: EntityRow, shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
    names = {text: token(child, attribute) for attribute, text in child.on}

    def renamed(text: str) -> str:
        return TOKEN.sub(lambda match: names.get(match[0], match[0]), text)

    for row in query.every.known.values():
        if row.after is query.root:
            row.after = child
        row.on = tuple((attribute, renamed(text)) for attribute, text in row.on)
        row.conditions = list(map(renamed, row.conditions))
        row.filters = list(map(renamed, row.filters))
    query.wanted = [row for row in query.wanted if row is not query.root]
    query.root, child.after, child.on = child, None, ()
    query.rows.clear()
    _rename(query, renamed)
    query.where = [*child.conditions, *query.where]
    child.conditions.clear()
    return [(name, renamed(text)) for name, text in shown]


def _rename(query: RowsQuery, renamed: Callable[[str], str]) -> None:
    query.where = list(map(renamed, query.where))
    query.groups = list(map(renamed, query.groups))
    query.having = list(map(renamed, query.having))
    query.order = [(renamed(text), descending) for text, descending in query.order]
