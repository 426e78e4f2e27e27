"""The sizes that the estimate takes conversions to have, beside those of the expressions they become."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nestling.common.errors import NestlingError
from nestling.emitters.mql.read import compiled_read
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.paths.row_steps import Shape
from nestling.ir.reading import Reading
from nestling.ir.types import Type
from nestling.pipeline import design
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work.expressions import size

KINDS = ("integer", "text", "timestamp", "date", "decimal(10,2)", "float", "boolean")
TARGETS = {
    "sqlite": ("INTEGER", "TEXT", "REAL", "NUMERIC"),
    "postgres": ("INTEGER", "TEXT", "DOUBLE PRECISION", "NUMERIC(10, 1)", "DATE", "TIMESTAMP", "BOOLEAN"),
    "mysql": ("SIGNED", "CHAR", "DOUBLE", "DECIMAL(10, 1)", "DATE", "DATETIME"),
}
MODEL = Model(
    "kinds",
    (
        Entity(
            "thing",
            (
                Attribute("id", Type.parse("integer"), nullable=False),
                *(Attribute(f"c{place}", Type.parse(kind)) for place, kind in enumerate(KINDS)),
            ),
            ("id",),
        ),
    ),
    (),
)
DESIGN = design(Reading(MODEL), "normalized").design


def mentioned(value: object) -> int:
    """The operators, fields and constants of an expression."""
    match value:
        case dict():
            return sum(1 + mentioned(each) for each in value.values())
        case list() | tuple():
            return sum(map(mentioned, value))
        case _:
            return 1


def sizes(dialect: str) -> Iterator[tuple[str, float, float]]:
    """Each conversion that the dialect has: its SQL, the size taken for it, and that of what it becomes."""
    for place, kind in enumerate(KINDS):
        for target in TARGETS[dialect]:
            sql = f"SELECT CAST(c{place} AS {target}) AS x FROM thing"
            try:
                plan = plan_read(translate(sql, MODEL, dialect), DESIGN)  # type: ignore[arg-type]
                read = compiled_read(plan, name="x", sql=sql)
            except NestlingError:
                continue
            assert isinstance(plan.step, Shape)
            shown = read.projection or read.pipeline[-1]["$project"]
            assert isinstance(shown, dict)
            yield f"{kind}: {sql}", size(dict(plan.step.fields)["x"]), mentioned(shown["x"])


@pytest.mark.parametrize("dialect", TARGETS)
def test_sizes_are_near_those_of_what_they_become(dialect: str) -> None:
    """Within a factor of two, or a few operators."""
    found = list(sizes(dialect))
    assert len(found) > 20
    wrong = [each for each in found if max(each[1:]) > 2 * min(each[1:]) + 14]
    assert not wrong
