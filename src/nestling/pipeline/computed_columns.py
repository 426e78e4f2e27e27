"""Reports columns that the database computes in a way that cannot be reproduced: rows with them cannot be inserted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.common.errors import WorkloadError
from nestling.ir.constraints.defaults import ComputedAttribute
from nestling.ir.model import Attribute, Entity
from nestling.ir.reading import FoundGap, Gap, GapKind, Reading


def with_uncomputed(reading: Reading) -> Reading:
    """Give the reading a gap for each such column, in place of the note that writes compute it."""
    from nestling.sources.remarks import computed

    found = [*_uncomputed(reading)]
    untrue = {computed(entity.name, attribute.name) for entity, attribute, _ in found}
    notes = tuple(note for note in reading.notes if note not in untrue)
    return replace(reading, gaps=(*reading.gaps, *(gap for _, _, gap in found)), notes=notes)


def _uncomputed(reading: Reading) -> Iterator[tuple[Entity, Attribute, Gap]]:
    for entity in reading.model.entities:
        for attribute in entity.attributes:
            if (
                isinstance(attribute.default, ComputedAttribute)
                and (gap := _gap_of(attribute, entity, reading)) is not None
            ):
                what = f"an INSERT into `{entity.name}`, or {gap.what}"
                yield entity, attribute, replace(gap, what=what, where=f"{entity.name}.{attribute.name}")


def _gap_of(attribute: Attribute, entity: Entity, reading: Reading) -> Gap | None:
    from nestling.emitters.mql import sql
    from nestling.emitters.mql.in_layout import InLayout
    from nestling.ir.paths.row_steps import Layout
    from nestling.planner.sql.changes.generated_attributes import write_of
    from nestling.planner.sql.computed_columns import computed_column

    try:
        scan, value = computed_column(attribute, entity, reading.model, reading.dialect)
    except FoundGap as error:
        return error.gap
    except WorkloadError as error:
        return Gap(GapKind.INPUT, f"{write_of(attribute)}: {error.problems[0].what}")
    try:
        sql.kept_mql(value, InLayout(Layout.of({(scan.alias, each.name): each.name for each in scan.columns})))
    except FoundGap as error:
        return replace(error.gap, what=f"{write_of(attribute)}: {error.gap.what}")
    return None
