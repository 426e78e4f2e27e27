"""Draws for one statement: rows sampled from the source give its parameters the values, and the skew, of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from nestling.common.errors import Problem, WorkloadError
from nestling.ir.bindings import UNKNOWN_LIST, Bindings, Drawn, Fresh, ParameterRole, ParameterUse, ParameterUses
from nestling.ir.model import Model, OnDelete
from nestling.ir.quantity_words import first_of
from nestling.ir.rows import JsonNull, RowColumn, RowPath, RowQuery, RowSource
from nestling.ir.statements.sql_dialects import MYSQL, NAMES
from nestling.ir.statistics import CLOSED_RANGE
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.json_text import json_text
from nestling.ir.workload import Statement
from nestling.sources.draws.bases import Base, bases
from nestling.sources.draws.fresh import combinations, counted, fresh, unique_groups
from nestling.sources.draws.reservoir import reservoir

_NAMED = 5
"""Parameters an error names of more."""
PREFIX_LETTERS = 3
"""Letters of a value that a pattern asks for, when the statement gives no pattern of its own."""
_GIVEN_FIRST = frozenset({ParameterRole.LOWER, ParameterRole.UPPER, ParameterRole.PATTERN, ParameterRole.AMOUNT})


def draw(
    statement: Statement, uses: ParameterUses, source: RowSource, *, dialect: str, count: int, seed: int, place: int
) -> Bindings:
    """At most `count` draws for a statement in that dialect; `place` tells statements that insert rows of the same entity apart.

    Equality takes the values of rows, as often as rows have them; values of one row go together, as do rows that the statement
    joins. Ranges, patterns and amounts take the statement's sample values where it has some. Inserted rows look like those there
    are, with keys that are not. Raises `WorkloadError` naming the parameters for which there is nothing.
    """
    chance = Random(f"{seed} {statement.name}")  # noqa: S311 - not secret
    drawing = _Drawing(statement, uses, source, source.model, dialect, count, chance)
    drawing.given()
    drawing.counted(place)
    drawing.combined()
    drawing.of_rows()
    drawing.last_resort()
    return drawing.bindings()


@dataclass(slots=True)
class _Drawing:
    """What has been found so far: a list of values, or fresh ones, for each parameter."""

    statement: Statement
    uses: ParameterUses
    source: RowSource
    model: Model
    dialect: str
    count: int
    chance: Random
    values: dict[str, list[object]] = field(default_factory=dict)
    fresh: dict[str, Fresh] = field(default_factory=dict)
    drawn: dict[str, Drawn] = field(default_factory=dict)
    most: int = 0  # draws that do something, when they do it only once

    @property
    def open(self) -> dict[str, ParameterUse]:
        """The first use of each parameter that has no values yet."""
        found: dict[str, ParameterUse] = {}
        for use in self.uses.uses:
            if use.parameter not in self.values and use.parameter not in self.fresh:
                found.setdefault(use.parameter, use)
        return found

    @property
    def samples(self) -> dict[str, object]:
        """The statement's sample values."""
        return self.uses.samples(self.statement.samples, self.model)

    def give(self, parameter: str, values: list[object], drawn: Drawn) -> None:
        if values:
            self.values[parameter], self.drawn[parameter] = values, drawn

    def given(self) -> None:
        """Sample values of parameters that rows say little about."""
        found = self.open
        for name, value in self.samples.items():
            if name not in found or found[name].role in _GIVEN_FIRST:
                self.give(name, [value], Drawn.GIVEN)

    def inserted(self) -> Mapping[str, dict[str, ParameterUse]]:
        """The inserted rows: their parameters by attribute."""
        rows: dict[str, dict[str, ParameterUse]] = {}
        for use in self.open.values():
            if use.role is ParameterRole.INSERTED:
                rows.setdefault(use.row, {})[use.attribute] = use
        return rows

    def counted(self, place: int) -> None:
        """New keys, and new values for attributes that are unique."""
        rows = self.inserted()
        for row, cells in rows.items():
            entity = self.model.entity(next(iter(cells.values())).entity)
            number = place + list(rows).index(row)
            for attribute in counted(entity, self.model, frozenset(cells)):
                self.count_up(cells[attribute], number)
        for use in self.open.values():
            entity = self.model.entity(use.entity)
            if use.role is ParameterRole.ASSIGNED and any(
                use.attribute in group for group in (entity.key, *entity.uniques)
            ):
                self.count_up(use, place)

    def count_up(self, use: ParameterUse, place: int) -> None:
        entity = self.model.entity(use.entity)
        self.fresh[use.parameter] = fresh(use.parameter, entity, use.attribute, self.source, place)
        self.drawn[use.parameter] = Drawn.FRESH

    def combined(self) -> None:
        """Keys made of foreign keys alone: combinations that are not there."""
        for cells in self.inserted().values():
            entity = self.model.entity(next(iter(cells.values())).entity)
            group = next(unique_groups(entity, frozenset(cells)), None)
            if group is not None:
                found = combinations(entity, self.model, group, self.source, count=self.count, chance=self.chance)
                for attribute in group:
                    self.give(cells[attribute].parameter, [row[attribute] for row in found], Drawn.ROWS)
                self.most = len(found)

    def of_rows(self) -> None:
        """The values of rows."""
        uses = list(self.open.values())
        entities = dict(self.uses.rows) | {use.row: use.entity for use in uses}
        for base in bases((use.row for use in uses), self.uses.joined):
            paths = dict(base.paths)
            self.of_base([use for use in uses if use.row in paths], base, entities[base.row], paths)

    def of_base(self, uses: list[ParameterUse], base: Base, entity: str, paths: Mapping[str, RowPath]) -> None:
        columns = tuple(dict.fromkeys(RowColumn(use.attribute, paths[use.row]) for use in uses))
        needed = [
            columns.index(RowColumn(u.attribute, paths[u.row])) for u in uses if u.role is not ParameterRole.INSERTED
        ]
        rows = self.sampled(entity, columns, needed, target=base.row == next(iter(dict(self.uses.rows)), None))
        if self.uses.deletes:
            self.most = len(rows)
        before: dict[RowColumn, list[ParameterUse]] = {}
        for use in uses:
            column = RowColumn(use.attribute, paths[use.row])
            before.setdefault(column, []).append(use)
            kind = self.model.entity(use.entity).attribute(use.attribute).type
            self.of_column([_bindable(row[columns.index(column)], kind, self.dialect) for row in rows], before[column])

    def sampled(
        self, entity: str, columns: tuple[RowColumn, ...], needed: list[int], *, target: bool
    ) -> list[tuple[object, ...]]:
        """Rows that have all values that are needed; of rows to delete, those that may go."""
        inner = tuple({column.path: None for column in columns if column.path})
        held = next((link.name for link in self.model.children_of(entity) if link.on_delete is OnDelete.RESTRICT), None)
        for without in dict.fromkeys((held if target and self.uses.deletes else None, None)):
            query = RowQuery(entity, columns, inner=inner, without_children=without)
            whole = (row for row in self.source.rows(query) if all(row[place] is not None for place in needed))
            if rows := reservoir(whole, self.count, self.chance):
                return rows
        return []

    def of_column(self, values: list[object], uses: list[ParameterUse]) -> None:
        """Values for the last of the uses of one attribute: each takes another row's, and ranges lie the right way round."""
        use = uses[-1]
        match use.role:
            case ParameterRole.LOWER | ParameterRole.UPPER if any(
                {use.role, each.role} == {ParameterRole.LOWER, ParameterRole.UPPER} for each in uses
            ):
                self.ends(values, next(each for each in uses if each.role is not use.role), use)
            case ParameterRole.LOWER | ParameterRole.UPPER if use.parameter in dict(self.statement.quantiles):
                self.give(use.parameter, [self.at(values, use.parameter)], Drawn.ROWS)
            case ParameterRole.PATTERN:
                self.give(use.parameter, [f"{str(value)[:PREFIX_LETTERS]}%" for value in values], Drawn.ROWS)
            case ParameterRole.LISTED:
                self.give(use.parameter, self.lists(use.parameter, values), Drawn.ROWS)
            case _:
                turn = (len(uses) - 1) % max(1, len(values))
                self.give(use.parameter, values[turn:] + values[:turn], Drawn.ROWS)

    def lists(self, parameter: str, values: list[object]) -> list[object]:
        """Lists of values that follow each other, as long as the sample value; rows to delete are in one list only."""
        sample = dict(self.statement.samples).get(parameter)
        length = max(1, min(len(sample) if isinstance(sample, list) else UNKNOWN_LIST, len(values)))
        starts = range(0, len(values), length if self.uses.deletes else 1)
        if self.uses.deletes:
            self.most = min(self.most, len(starts))
        after = values if self.uses.deletes else values + values
        return [list(dict.fromkeys(after[start : start + length])) for start in starts]

    def ends(self, values: list[object], one: ParameterUse, other: ParameterUse) -> None:
        """Draw both ends of a range that contains the share of values that the statement declares, or else a twentieth."""
        ranked = _ranked(values)
        lower, upper = (one, other) if one.role is ParameterRole.LOWER else (other, one)
        said = dict(self.statement.quantiles)
        is_told = {lower.parameter, upper.parameter} <= said.keys()
        share = said[upper.parameter] - said[lower.parameter] if is_told else CLOSED_RANGE
        width = min(max(int(len(ranked) * share), 1), len(ranked) - 1)
        starts = [self.chance.randrange(max(1, len(ranked) - width)) for _ in ranked]
        self.give(lower.parameter, [ranked[start] for start in starts], Drawn.ROWS)
        self.give(upper.parameter, [ranked[start + width] for start in starts], Drawn.ROWS)

    def at(self, values: list[object], parameter: str) -> object:
        """The value that so many are smaller than."""
        ranked = _ranked(values)
        return ranked[min(int(len(ranked) * dict(self.statement.quantiles)[parameter]), len(ranked) - 1)]

    def last_resort(self) -> None:
        """Sample values where there are no rows; raises when there are none either."""
        samples = self.samples
        missing = [n for n in self.statement.parameters if n not in self.values and n not in self.fresh]
        self_given = [name for name in missing if name in samples]
        for name in self_given:
            self.give(name, [samples[name]], Drawn.GIVEN)
        if without := [name for name in missing if name not in samples]:
            raise WorkloadError(_nothing(self.statement.name, without))

    def bindings(self) -> Bindings:
        names = tuple(self.values)
        count = self.most or max((len(values) for values in self.values.values()), default=1)
        draws = tuple(tuple(values[number % len(values)] for values in self.values.values()) for number in range(count))
        once = self.most > 0
        drawn = tuple((name, self.drawn[name]) for name in self.statement.parameters)
        return Bindings(self.statement.name, names, draws, tuple(self.fresh.values()), drawn, once)


def _ranked(values: list[object]) -> list[Any]:
    return sorted(values, key=lambda value: (str(type(value)), value))


def _bindable(value: object, kind: Type, dialect: str) -> object:
    """A value of this type as a parameter takes it: JSON as its text, MySQL's bits as a number."""
    if isinstance(value, JsonNull):
        return "null"
    if kind.name is TypeName.BITS and isinstance(value, str) and NAMES.get(dialect) == MYSQL:
        return int(value, 2)
    is_array = kind.name is TypeName.ARRAY and isinstance(value, list)
    return json_text(value) if isinstance(value, dict | list) and not is_array else value


def _nothing(statement: str, parameters: list[str]) -> Problem:
    which = f"parameter{'s' * (len(parameters) > 1)} {first_of([f'`{each}`' for each in parameters], _NAMED)}"
    what = f"statement `{statement}`: there is no value for its {which}"
    values = ", ".join(f'"{each}": …' for each in parameters)
    return Problem(what=what, next_move=f"add a line `-- params: {{{values}}}` under its name")
