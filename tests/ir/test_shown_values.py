"""Values of an answer have one form, whoever handed them over."""

from __future__ import annotations

from datetime import timedelta

import pytest

from nestling.ir.programs.compiled import OutputColumn
from nestling.ir.types import Type, TypeName
from nestling.ir.value_forms.shown_values import shown_rows

COLUMN = OutputColumn("v", "v", Type(TypeName.INTERVAL))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("P32D", timedelta(days=32)),
        ("P1DT2H0.5S", timedelta(days=1, hours=2, milliseconds=500)),
        ("P-1DT-2H", -timedelta(days=1, hours=2)),
        ("PT0S", timedelta()),
        ("P1Y2M", timedelta(days=425)),
    ],
)
def test_an_interval_is_what_psycopg_gives(text: str, span: timedelta) -> None:
    """A text of MongoDB's and a `timedelta` of PostgreSQL's driver."""
    assert shown_rows([(text,)], [COLUMN]) == shown_rows([(span,)], [COLUMN])
    assert shown_rows([(text,)], [COLUMN]) != shown_rows([(span + timedelta(seconds=1),)], [COLUMN])
