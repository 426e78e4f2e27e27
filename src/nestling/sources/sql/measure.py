"""Measures the data of each table by SQL that runs in the database: one statement per table, sampled if it is large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nestling.ir.statistics import AttributeStatistics, EntityStatistics, Quantity, distinct_of_all, inferred, measured
from nestling.ir.types import TypeName
from nestling.sources.sql.engines import engine_of
from nestling.sources.sql.probes import FIXED_BYTES, probes
from nestling.sources.sql.sampling import sample

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity
    from nestling.sources.sql.row_sql import Tables

EXPRESSIONS = 1_000
"""Aggregates in one statement; databases allow 1,600 and more."""
INT32 = range(-(2**31), 2**31)


@dataclass(frozen=True, slots=True)
class Connected:
    """Runs SQLAlchemy statements on a driver's connection."""

    connection: Any
    dialect: Any

    def row(self, statement: Any) -> Sequence[Any]:
        """The first row of a result."""
        found: Sequence[Any] = self.all(statement)[0]
        return found

    def all(self, statement: Any, around: str = "%s") -> Sequence[Sequence[Any]]:
        """All rows of a small result; `around`: the SQL the statement is a part of, written where `%s` is."""
        compiled = statement.compile(dialect=self.dialect, compile_kwargs={"render_postcompile": True})
        positional = compiled.positional
        parameters = tuple(compiled.params[n] for n in compiled.positiontup) if positional else compiled.params
        cursor = self.connection.cursor()
        cursor.execute(around % compiled, parameters)
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
        return rows


@dataclass(frozen=True, slots=True)
class TableMeasures:
    """One table: its rows, how many of them were looked at, and the named numbers of each column."""

    entity: str
    rows: int
    looked_at: int
    columns: Mapping[str, Mapping[str, Any]]

    @property
    def sampled(self) -> int | None:
        """The number of measured rows, None for all."""
        return self.looked_at if self.looked_at != self.rows else None


def measure_table(
    tables: Tables,
    entity: Entity,
    database: Connected,
    collations: Mapping[str, str],
    *,
    rowid: bool,
    sampled_above_rows: int,
) -> TableMeasures:
    """Count a table exactly and measure its columns over all of it, or over a sample. `collations`: the names of its columns'."""
    table = tables.table(entity.name)
    rows = int(database.row(sa.select(sa.func.count()).select_from(table))[0])
    source: Any = table
    if rows > sampled_above_rows:
        share = sampled_above_rows / rows
        source = sample(
            table, entity, tables.dialect, rowid=rowid, share=share, rows=sampled_above_rows, fetch=database.row
        )
    named: list[tuple[str | None, str, Any]] = [(None, "rows", sa.func.count())]
    for attribute in entity.attributes:
        column = source.c[attribute.name]
        asked = probes(attribute, column, tables.dialect, collations.get(attribute.name, ""))
        named.extend((attribute.name, name, probe) for name, probe in asked)
    columns: dict[str | None, dict[str, Any]] = {}
    for start in range(0, len(named), EXPRESSIONS):
        part = named[start : start + EXPRESSIONS]
        selected = [probe.label(f"m{position}") for position, (_, _, probe) in enumerate(part)]
        found = database.row(sa.select(*selected).select_from(source))
        for (attribute_name, name, _), value in zip(part, found, strict=True):
            columns.setdefault(attribute_name, {})[name] = value
    for attribute in entity.attributes:
        asked_apart = engine_of(tables.dialect).measures_of_elements(
            attribute.type.name, source, source.c[attribute.name]
        )
        columns.setdefault(attribute.name, {}).update(
            (name, database.row(question)[0]) for name, question in asked_apart
        )
    seen = int(columns.pop(None)["rows"])
    return TableMeasures(entity.name, rows, seen, {name: of for name, of in columns.items() if name is not None})


def entity_statistics(entity: Entity, measures: TableMeasures, dialect: str) -> EntityStatistics:
    """The measures as statistics."""
    attributes = tuple((a.name, _attribute(a, entity, measures, dialect)) for a in entity.attributes)
    return EntityStatistics(measured(measures.rows), None, attributes)


def _attribute(attribute: Attribute, entity: Entity, measures: TableMeasures, dialect: str) -> AttributeStatistics:
    found, looked_at, sampled = measures.columns[attribute.name], measures.looked_at, measures.sampled
    values = int(found["values"])
    average, maximum = _widths(attribute, found, sampled, dialect)
    return AttributeStatistics(
        average,
        maximum,
        _distinct(attribute, entity, measures),
        measured(1 - values / looked_at, sampled) if looked_at else None,
        ordered_otherwise=_measured(found.get("unordered"), sampled),
        elements=measured(int(found["elements"]) / values, sampled) if found.get("elements") and values else None,
        distinct_elements=_measured(found.get("distinct_elements"), sampled),
    )


def _measured(number: Any, sampled: int | None) -> Quantity | None:
    return None if number is None else measured(int(number), sampled)


def _widths(
    attribute: Attribute, found: Mapping[str, Any], sampled: int | None, dialect: str
) -> tuple[Quantity | None, Quantity | None]:
    if not found["values"]:
        return None, None
    if attribute.type.name is TypeName.INTEGER:
        ends = found.get("least"), found.get("most")
        size = 4 if all(isinstance(end, int) and end in INT32 for end in ends) else 8
        return measured(size, sampled), measured(size, sampled)
    if attribute.type.name in FIXED_BYTES and not attribute.also:
        size = FIXED_BYTES[attribute.type.name]
        return inferred(size), inferred(size)
    if "average_bytes" not in found or (
        engine_of(dialect).measures_all_widths and attribute.type.name is TypeName.FLOAT
    ):
        return inferred(8), inferred(8)
    return measured(float(found["average_bytes"] or 0), sampled), measured(float(found["maximum_bytes"] or 0), sampled)


def _distinct(attribute: Attribute, entity: Entity, measures: TableMeasures) -> Quantity | None:
    found = measures.columns[attribute.name].get("distinct")
    if measures.sampled is None:
        return None if found is None else measured(int(found))
    if (attribute.name,) in (entity.key, *entity.uniques):
        return inferred(measures.rows)
    if found is None or not measures.looked_at:
        return None
    return measured(distinct_of_all(int(found), measures.looked_at, measures.rows), measures.looked_at)
